package scenario

import (
	"reflect"
	"testing"
	"time"
)

const full = `version: 1
name: redis-blackout
question: Redis dies when half the seats are gone. Is a seat sold twice, and how long until buyers are served again?
seed: 7
max_duration: 90s
sale: {capacity: 2000, per_account: 4, opens_after: 2s}
system:
  replicas: 2
  commit: {mode: single, max: 1}
  gate: {enabled: true, lease: 5s, reconcile_every: 500ms, fallback_concurrency: 32}
  limiter: {per_account: 20/s, burst: 40, per_address: 200/s}
  postgres: {commit_delay: 1000}
crowds:
  - name: fans
    visitors: 20000
    accounts: 1 per visitor
    addresses: shared 500
    arrive: {shape: flash, at_open: 65%, reaction: {median: 700ms, p95: 2s}, tau: 20s}
    quantity: {1: 50%, 2: 35%, 4: 15%}
    think: {median: 800ms, p95: 4s}
    patience: 60s
    timeout: 2s
    retry: {attempts: 5, backoff: {base: 200ms, factor: 2, cap: 5s, jitter: full}, honour_retry_after: true, key: stable, budget: 10%}
    cancel: 5%
  - {name: bots, arrive: {shape: constant, rate: 10/s, for: 20s, delay: 1s}, accounts: 3 per visitor}
faults:
  - {name: blackout, inject: redis.kill, when: {sold: 50%}, for: 5s}
  - {inject: api.crash, replica: 1, point: booked-before-answer, hit: 50, restart_after: 1s, when: {after: blackout}}
  - {inject: redis.flush, at: 0s}
  - {inject: redis.flush, when: {after_open: 3s}}
expect:
  - {recovery: {of: blackout, within: 5s}}
  - {response_time: {of: book, p99: 800ms, p50: 100ms, max: 5s, during: steady}}
  - {gate_drift: {final: 0, leak_for: 10s}}
expect_verdict: {fail: no_oversell}
`

func TestParseFull(t *testing.T) {
	sc, err := Parse("full.yaml", []byte(full))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	want := &Scenario{
		Version: 1, Name: "redis-blackout", Seed: 7, MaxDuration: 90 * time.Second,
		Question: "Redis dies when half the seats are gone. Is a seat sold twice, and how long until buyers are served again?",
		Sales:    []Sale{{Name: "main", Capacity: 2000, PerAccount: 4, OpensAfter: 2 * time.Second}},
		System: System{
			Replicas: 2, Commit: Commit{Mode: "single", Max: 1},
			Gate:     GateSettings{Enabled: true, Lease: 5 * time.Second, ReconcileEvery: 500 * time.Millisecond, FallbackConcurrency: 32, Budget: 100 * time.Millisecond},
			Limiter:  Limiter{PerAccount: 20, Burst: 40, PerAddress: 200},
			Timeouts: Timeouts{Request: 2 * time.Second, Statement: time.Second, Lock: 800 * time.Millisecond},
			Postgres: ServerSettings{"commit_delay": "1000"},
		},
		Crowds: []Crowd{
			{
				Name: "fans", Sale: "main", Visitors: 20000, Accounts: Pool{OnePerVisitor, 1}, Addresses: Pool{Shared, 500},
				Arrive:   Arrival{Shape: "flash", AtOpen: 0.65, Reaction: Spread{700 * time.Millisecond, 2 * time.Second}, Tau: 20 * time.Second},
				Quantity: []Weight{{1, 0.5}, {2, 0.35}, {4, 0.15}}, Think: Spread{800 * time.Millisecond, 4 * time.Second},
				Patience: time.Minute, Timeout: 2 * time.Second, Cancel: 0.05, Login: LoginProof,
				Retry: Retry{Attempts: 5, Backoff: Backoff{200 * time.Millisecond, 2, 5 * time.Second, "full"}, HonourRetryAfter: true, Key: "stable", Budget: 0.1},
			},
			{
				Name: "bots", Sale: "main", Visitors: 200, Accounts: Pool{ManyPer, 3}, Addresses: Pool{OnePerVisitor, 1},
				Arrive:   Arrival{Shape: "constant", Rate: 10, For: 20 * time.Second, Delay: time.Second},
				Quantity: []Weight{{1, 1}}, Patience: time.Minute, Timeout: 5 * time.Second, Login: LoginProof,
				Retry: Retry{Attempts: 5, Backoff: Backoff{200 * time.Millisecond, 2, 5 * time.Second, "full"}, HonourRetryAfter: true, Key: "stable", Budget: -1},
			},
		},
		Faults: []Fault{
			{Name: "blackout", Inject: "redis.kill", When: Moment{Sold: 0.5}, For: 5 * time.Second},
			{Name: "api.crash", Inject: "api.crash", When: Moment{After: "blackout"}, Replica: 1, Point: "booked-before-answer", Hit: 50, RestartAfter: time.Second},
			{Name: "redis.flush", Inject: "redis.flush", When: Moment{IsAt: true}},
			{Name: "redis.flush-2", Inject: "redis.flush", When: Moment{AfterOpen: new(3 * time.Second)}},
		},
		Expect: []Expectation{
			{Recovery: &RecoveryExpect{Of: "blackout", Within: 5 * time.Second}, Line: 32, Column: 5},
			{ResponseTime: &TimeExpect{Of: "book", During: "steady", MinN: 100, Bounds: []PercentileBound{{50, 100 * time.Millisecond}, {99, 800 * time.Millisecond}, {100, 5 * time.Second}}}, Line: 33, Column: 5},
			{GateDrift: &DriftExpect{Final: new(int64(0)), LeakFor: new(10 * time.Second)}, Line: 34, Column: 5},
		},
		Verdict: Verdict{Word: "fail", Of: "no_oversell"},
	}
	if !reflect.DeepEqual(sc, want) {
		t.Errorf("Parse(full):\n got %+v\nwant %+v", sc, want)
	}
}
