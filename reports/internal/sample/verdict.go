package sample

import (
	"fmt"

	"gatecrash/sim/result"
)

// verdict is a passing result without the figures of the sale.
func verdict(spec Spec) result.Result {
	r := result.Result{
		Schema: result.Schema, RunID: fmt.Sprintf("20260504T180000Z-%s-%d", spec.Name, spec.Seed), Verdict: result.Pass,
		Reason: "every invariant held and every objective was met", Scenario: spec.Name, Expected: "pass", Seed: spec.Seed, Scale: 1,
		Question: "Redis dies when half the seats are gone, and a server crashes while the rest sells. Is a seat sold twice, and how long until buyers are served again?",
		PlanHash: "sha256:5f0c2a917b3e", Started: started, DurationMS: int64(spec.Seconds) * 1e3,
		Environment: environment(spec), Checks: Checks(), Times: times(),
		Drift:      []result.Drift{{Sale: "main", Samples: int64(spec.Seconds * ticksPerSecond), Unknown: 50, MaxSurplus: 37, MaxLeak: 2, SurplusSeconds: 2.9, LeakSeconds: 0.2, LongestLeakS: 0.1, LongestSurplus: 2.7, FinalKnown: true}},
		Generator:  generator(),
		Contenders: result.Contenders{DatabaseRefusals: 31, GateRefusals: 10240, PerSeatSold: 0.02, LockWaitMeanUS: 810},
		Findings:   []result.Finding{{Severity: "note", Text: "the first 1.3 s after the opening carried 41 % of all requests"}},
	}
	for _, f := range spec.Faults {
		r.Faults = append(r.Faults, result.Fault{
			Name: f.Name, Inject: f.Inject, Applied: true, Healed: true, AppliedMS: int64(f.At * 1e3), HealedMS: int64((f.At + f.For) * 1e3),
			Evidence: []string{"run_id 1f3a8c20 -> 9c41d7e6"}, Proven: true, Touched: 1204, RecoveryMS: 1700, Recovery: "recovered",
		})
	}
	return r
}

func environment(spec Spec) result.Environment {
	return result.Environment{
		Version: "v0.1.0", GoVersion: "go1.26.0", OS: "linux/amd64", Cores: 2, Backend: "local", Replicas: 2, CommitMode: "single",
		Postgres: map[string]string{"server_version": "15.14", "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "100"},
		Redis:    map[string]string{"redis_version": "7.0.15", "appendonly": "yes", "appendfsync": "everysec", "maxmemory-policy": "noeviction"},
		Command:  fmt.Sprintf("gatecrash run %s --backend local --seed %d", spec.Name, spec.Seed), RunDir: "runs/" + spec.Name,
	}
}

func times() []result.Times {
	p := func(n, scale int64) result.Percentiles {
		return result.Percentiles{N: n, Mean: float64(9000 * scale), P50: 4100 * scale, P90: 15300 * scale, P95: 22800 * scale, P99: 61000 * scale, P999: 143000 * scale, Max: 380500 * scale}
	}
	censored := p(3120, 8)
	censored.Censored = 4
	return []result.Times{
		{Op: "login", Phase: "all", Response: p(12000, 2), Service: p(12000, 1)},
		{Op: "book", Phase: "all", Response: p(14210, 6), Service: p(14210, 1)},
		{Op: "book", Phase: "steady", Response: p(11090, 2), Service: p(11090, 1)},
		{Op: "book", Phase: "fault", Response: censored, Service: p(3120, 4)},
	}
}

func generator() result.Generator {
	return result.Generator{
		Lateness:    result.Percentiles{N: 26410, Mean: 90, P50: 61, P90: 140, P95: 210, P99: 900, P999: 4100, Max: 18000},
		OnTimeRatio: 0.9999, CPUSeconds: 14.2, CPURatio: 0.118, Stalls: 0, MaxInFlight: 812, InFlightCap: 20000, LittleError: 0.013, GCPauseMaxMS: 0.4,
	}
}

// Checks are all checks of a passing run.
func Checks() []result.Check {
	list := []struct {
		name, expected, measured, unit string
		kind                           result.Kind
		samples, min                   int64
	}{
		{"no_oversell", "0 <= booked <= capacity at every version", "0 violations", "versions", result.Invariant, 1043, 1},
		{"versions_dense", "1..k without gap", "0 violations", "versions", result.Invariant, 1043, 1},
		{"one_booking_per_intent", "at most 1", "0 violations", "intents", result.Invariant, 10210, 1},
		{"same_answer", "one answer of each intent", "0 violations", "intents", result.Invariant, 988, 1},
		{"no_lost_booking", "every ok answer is in the ledger", "0 lost", "answers", result.Invariant, 1021, 1},
		{"no_phantom_booking", "every booking was attempted", "0 phantoms", "bookings", result.Invariant, 1043, 1},
		{"real_time_order", "version order follows real time", "0 inversions", "pairs", result.Invariant, 51210, 1},
		{"sold_out_was_true", "fewer free seats than asked for", "0 violations", "refusals", result.Invariant, 31, 1},
		{"seats_conserved", "capacity = free + booked", "0 seats astray", "versions", result.Invariant, 1043, 1},
		{"arrivals_accounted", "both balances hold", "12000 = 12000", "visitors", result.Invariant, 12000, 1},
		{"gate_drift", "final 0", "final 0, surplus 37, leak 2", "seats", result.Health, 600, 100},
		{"load_offered", ">= 99 % within 100 ms", "99.99 %", "requests", result.Health, 26410, 100},
		{"faults_bit", "each fault has evidence and touched requests", "2 of 2", "faults", result.Health, 2, 1},
		{"recovery", "blackout within 5s", "1.7 s", "", result.Objective, 5, 5},
		{"response_time", "book p99 <= 800ms, steady", "122 ms", "", result.Objective, 11090, 100},
	}
	checks := make([]result.Check, 0, len(list))
	for _, c := range list {
		checks = append(checks, result.Check{Name: c.name, Kind: c.kind, Verdict: result.Pass, Expected: c.expected, Measured: c.measured, Unit: c.unit, Samples: c.samples, MinSamples: c.min, Evidence: []string{}})
	}
	return checks
}
