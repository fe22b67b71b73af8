package embedded

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"gatecrash/sim/scenario"
)

// environment of a replica: the scenario's settings as the variables of `gatecrash serve`. What the scenario leaves out keeps the system's default.
// The harness's own variables are not handed on, so that nothing in a developer's shell changes a run.
func (s *System) environment(number int) []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GATECRASH_") {
			env = append(env, v)
		}
	}
	for _, kv := range s.settings(number) {
		if kv[1] != "" {
			env = append(env, "GATECRASH_"+kv[0]+"="+kv[1])
		}
	}
	return env
}

func (s *System) settings(number int) [][2]string {
	a, sc := s.setup.Addresses, s.setup.Scenario.System
	replicas := max(s.setup.Replicas, 1)
	return append([][2]string{
		{"POSTGRES_URL", a.PostgresURL}, {"REDIS_URL", a.RedisURL}, {"GATE_URL", s.setup.GateURL},
		{"SCHEMA", a.Schema}, {"PREFIX", a.Prefix}, {"APPLICATION", a.AppName},
		{"REPLICAS", strconv.Itoa(replicas)}, {"NUMBER", strconv.Itoa(number)},
		{"LOGIN_KEY", s.keys.login}, {"OPERATOR_KEY", s.keys.operator},
		{"CRASH_POINTS", "true"}, {"TRUSTED_PROXIES", "127.0.0.0/8,::1/128"}, {"LOG_LEVEL", "warn"},
	}, behaviour(sc)...)
}

// behaviour is what a scenario says of the booking system.
func behaviour(sc scenario.System) [][2]string {
	all := [][2]string{
		{"GATE", strconv.FormatBool(sc.Gate.Enabled)},
		{"LEASE", duration(sc.Gate.Lease)}, {"RECONCILE_EVERY", duration(sc.Gate.ReconcileEvery)}, {"GATE_BUDGET", duration(sc.Gate.Budget)},
		{"FALLBACK_CONCURRENCY", strconv.Itoa(sc.Gate.FallbackConcurrency)},
		{"REQUEST_TIMEOUT", duration(sc.Timeouts.Request)}, {"STATEMENT_TIMEOUT", duration(sc.Timeouts.Statement)}, {"LOCK_TIMEOUT", duration(sc.Timeouts.Lock)},
		{"ACCOUNT_RATE", rate(sc.Limiter.PerAccount)}, {"ADDRESS_RATE", rate(sc.Limiter.PerAddress)}, {"LOGIN_RATE", rate(sc.Limiter.PerAddress)},
	}
	if sc.Limiter.Burst > 0 {
		all = append(all, [2]string{"ACCOUNT_BURST", strconv.Itoa(sc.Limiter.Burst)})
	}
	if sc.Limiter.PerAddress > 0 {
		// an address may send two seconds' worth at once: a flash crowd of one household, or of one office
		burst := strconv.Itoa(int(2*sc.Limiter.PerAddress) + 1)
		all = append(all, [2]string{"ADDRESS_BURST", burst}, [2]string{"LOGIN_BURST", burst})
	}
	if sc.Connections > 0 {
		all = append(all, [2]string{"CONNECTIONS", strconv.Itoa(sc.Connections)})
	}
	if sc.Commit.AtOnce > 0 {
		all = append(all, [2]string{"SALE_AT_ONCE", strconv.Itoa(sc.Commit.AtOnce)})
	}
	return all
}

// duration leaves a zero out.
func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func rate(perSec float64) string { return fmt.Sprintf("%g", perSec) }
