package check

import (
	"strings"
	"testing"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

// broken puts in a broken invariant, missed a failed objective.
func broken(in *Input) { in.Truth.Sales2[0].Version-- }

func missed(in *Input) {
	in.Scenario.Expect = []scenario.Expectation{{Sold: &scenario.SoldExpect{AtLeast: 1}}}
}

func interrupted(in *Input) { in.Run.Interrupted = true }

func brokeDown(in *Input) { in.Run.Broke = "postgres would not start" }

func unproven(in *Input) {
	in.Scenario.Faults = []scenario.Fault{{Name: "cut", Inject: "gate.cut"}}
	in.Faults = []result.FaultWindow{{Name: "cut", Inject: "gate.cut", Applied: true}}
}

func expect(word, of string) func(*Input) {
	return func(in *Input) { in.Scenario.Verdict = scenario.Verdict{Word: word, Of: of} }
}

func TestVerdictAndExit(t *testing.T) {
	tests := []struct {
		name    string
		do      []func(*Input)
		verdict result.Verdict
		exit    int
		reason  string // part of it
	}{
		{"all held", nil, result.Pass, 0, "checks held"},
		{"broken invariant", []func(*Input){broken}, result.Fail, 1, "versions_dense is broken"},
		{"broken before interrupted", []func(*Input){broken, interrupted}, result.Fail, 1, "versions_dense"},
		{"broken before invalid", []func(*Input){broken, brokeDown}, result.Fail, 1, "versions_dense"},
		{"interrupted", []func(*Input){interrupted}, result.Pass, 130, "interrupted"},
		{"interrupted before invalid", []func(*Input){interrupted, brokeDown}, result.Invalid, 130, "interrupted"},
		{"interrupted before a missed objective", []func(*Input){interrupted, missed}, result.Fail, 130, "interrupted"},
		{"invalid", []func(*Input){brokeDown}, result.Invalid, 4, "postgres would not start"},
		{"invalid before a missed objective", []func(*Input){brokeDown, missed}, result.Invalid, 4, "postgres"},
		{"missed objective", []func(*Input){missed}, result.Fail, 1, "sold: got"},
		{"missed before inconclusive", []func(*Input){missed, unproven}, result.Fail, 1, "sold"},
		{"inconclusive", []func(*Input){unproven}, result.Inconclusive, 3, "faults_bit"},
		{"unknown to the end", []func(*Input){func(in *Input) { in.Truth.ResumeLost = 2 }}, result.Inconclusive, 3, "2 unknown requests"},

		{"expected failure", []func(*Input){broken, expect("fail", "versions_dense")}, result.Fail, 0, "as the scenario expects"},
		{"expected any failure", []func(*Input){broken, expect("fail", "")}, result.Fail, 0, "as the scenario expects"},
		{"expected failure and one more", []func(*Input){broken, missed, expect("fail", "versions_dense")}, result.Fail, 1, "versions_dense"},
		{"another failure than expected", []func(*Input){broken, expect("fail", "no_oversell")}, result.Fail, 1, "versions_dense"},
		{"another objective than expected", []func(*Input){missed, expect("fail", "no_oversell")}, result.Fail, 1, "sold"},
		{"expected objective", []func(*Input){missed, expect("fail", "sold")}, result.Fail, 0, "as the scenario expects"},
		{"expected failure in an invalid run", []func(*Input){broken, brokeDown, expect("fail", "versions_dense")}, result.Fail, 1, "versions_dense"},
		{"expected failure that did not come", []func(*Input){expect("fail", "no_oversell")}, result.Pass, 1, "expected fail:no_oversell, but"},
		{"expected failure, but inconclusive", []func(*Input){unproven, expect("fail", "no_oversell")}, result.Inconclusive, 3, "faults_bit"},
		{"expected failure, interrupted", []func(*Input){broken, interrupted, expect("fail", "versions_dense")}, result.Fail, 130, "interrupted"},
		{"expected inconclusive", []func(*Input){unproven, expect("inconclusive", "")}, result.Inconclusive, 0, "as the scenario expects"},
		{"expected invalid", []func(*Input){brokeDown, expect("invalid", "")}, result.Invalid, 0, "as the scenario expects"},
		{"expected pass in words", []func(*Input){expect("pass", "")}, result.Pass, 0, "checks held"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := calm()
			for _, do := range tt.do {
				do(in)
			}
			r := Judge(in)
			if r.Verdict != tt.verdict || r.Exit != tt.exit || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("Judge: got %s, exit %d, %q; want %s, exit %d, %q", r.Verdict, r.Exit, r.Reason, tt.verdict, tt.exit, tt.reason)
			}
		})
	}
}

// nobody is a run in which no visitor came as far as a booking; answer says what became of the log-ins.
func nobody(answer func(r *history.Record)) *Input {
	in := calm()
	kept := in.Requests[:0]
	for _, r := range in.Requests {
		if r.Op == history.OpLogin {
			answer(&r)
			kept = append(kept, r)
		}
	}
	in.Requests, in.Run.Records = kept, int64(len(kept))
	in.Ledger1, in.Ledger2, in.Bookings1, in.Bookings2 = nil, nil, nil, nil
	in.eachSale(func(s *result.SaleRow) { s.Version, s.Free = 0, s.Capacity })
	for i := range in.Truth.Reconciled {
		r := &in.Truth.Reconciled[i]
		r.From, r.To, r.Free = 900, 900, 900
	}
	in.Run.Visitors.GaveUp, in.Run.Visitors.Booked = in.Run.Visitors.Started, 0
	return in
}

// What must never be a pass, and what it is instead.
func TestNeverPass(t *testing.T) {
	edited := func(do func(in *Input)) func() *Input {
		return func() *Input {
			in := calm()
			do(in)
			return in
		}
	}
	tests := []struct {
		name    string
		from    func() *Input
		verdict result.Verdict
		exit    int
		reason  string
	}{
		{"nobody gets in", func() *Input {
			return nobody(func(r *history.Record) { r.Outcome, r.Status, r.Problem = history.Refused, 401, history.SessionUnknown })
		}, result.Inconclusive, 3, "no_oversell"},
		{"everybody gets in and nobody books", func() *Input { return nobody(func(*history.Record) {}) }, result.Inconclusive, 3, "no_oversell"},
		{"the store is down from the start", func() *Input {
			return nobody(func(r *history.Record) { r.Outcome, r.Status, r.Problem = history.Failed, 503, history.DependencyDown })
		}, result.Invalid, 4, "out of reach from the start"},
		{"nothing answers at all", func() *Input {
			return nobody(func(r *history.Record) { r.Outcome, r.Status, r.Error = history.Unknown, 0, history.ErrTimeout })
		}, result.Invalid, 4, "out of reach from the start"},
		{"no visitor was planned", edited(func(in *Input) {
			in.Run.Planned, in.Run.Visitors, in.Requests, in.Run.Records = 0, result.Visitors{}, nil, 0
			in.Ledger1, in.Ledger2, in.Bookings1, in.Bookings2 = nil, nil, nil, nil
			in.eachSale(func(s *result.SaleRow) { s.Version, s.Free = 0, s.Capacity })
			in.Truth.Reconciled = []result.ReconcileRow{{Pass: 2, Sale: "sale0", Known: true, From: 900, To: 900, Free: 900}}
		}), result.Inconclusive, 3, "no_oversell"},
		{"the run did not end", edited(func(in *Input) { in.Run.Ended, in.Lacks = false, Counts }), result.Invalid, 4, "did not end"},
		{"the truth could not be read", edited(func(in *Input) {
			in.Truth, in.Lacks = result.Truth{Error: "connection refused"}, Rows
		}), result.Invalid, 4, "connection refused"},
		{"sessions were left at the snapshot", edited(func(in *Input) { in.Truth.Fenced, in.Truth.Sessions = false, 3 }), result.Invalid, 4, "3 database sessions"},
		{"the directory is damaged", edited(func(in *Input) { in.Damage = []string{"ledger.parquet: cut"} }), result.Invalid, 4, "ledger.parquet: cut"},
		{"requests were late", edited(func(in *Input) {
			for i := range in.Requests {
				if r := &in.Requests[i]; i%40 == 0 && r.Op == history.OpLogin {
					r.Intended -= 200 * msec
				}
			}
		}), result.Invalid, 4, "more than 100 ms late"},
		{"visitors never started", edited(func(in *Input) {
			in.Run.Planned, in.Run.Visitors.Planned, in.Run.Visitors.NotStarted = 300, 300, 50
		}), result.Invalid, 4, "50 of 300 planned visitors never started"},
		{"the generator was saturated", edited(func(in *Input) { in.Run.Generator.CPURatio = 0.99 }), result.Invalid, 4, "99 % of all cores"},
		{"the pacer stood still", edited(func(in *Input) { in.Run.Generator.LongestStallMS = 5000 }), result.Invalid, 4, "5000 ms"},
		{"the generator's books are wrong", edited(func(in *Input) { in.Run.Generator.LittleError = 0.5 }), result.Invalid, 4, "disagree by 50 %"},
		{"the gate could not be read at the end", edited(func(in *Input) { in.Truth.Reconciled[1].Known = false }), result.Inconclusive, 3, "gate_drift"},
		{"the gate was never sampled", edited(func(in *Input) { in.Drift = nil }), result.Inconclusive, 3, "gate_drift"},
		{"the records are gone", edited(func(in *Input) { in.Requests, in.Lacks = nil, Requests }), result.Inconclusive, 3, "cannot tell without requests"},
		{"an objective without samples", edited(func(in *Input) {
			in.Scenario.Expect = []scenario.Expectation{{ResponseTime: &scenario.TimeExpect{Of: "book", During: "recovery", Bounds: []scenario.PercentileBound{{Percentile: 50}}}}}
		}), result.Inconclusive, 3, "response_time:book:p50:recovery: 0 samples"},
		{"a recovery of a fault that is not there", edited(func(in *Input) {
			in.Scenario.Expect = []scenario.Expectation{{Recovery: &scenario.RecoveryExpect{Of: "none"}}}
		}), result.Inconclusive, 3, "recovery:none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Judge(tt.from())
			if r.Verdict != tt.verdict || r.Exit != tt.exit || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("Judge: got %s, exit %d, %q; want %s, exit %d, %q\n%s", r.Verdict, r.Exit, r.Reason, tt.verdict, tt.exit, tt.reason, explain(r))
			}
		})
	}
}

func TestFaultsMustBite(t *testing.T) {
	tests := []struct {
		name   string
		do     func(in *Input)
		reason string // empty: it bit
	}{
		{"it bit", func(*Input) {}, ""},
		{"never applied", func(in *Input) { in.Faults[0].Applied, in.Faults[0].Error = false, "apply: no such process" }, "never applied: apply: no such process"},
		{"not proven", func(in *Input) { in.Faults[0].Proven = false }, "nothing proves that it happened"},
		{"not proven to be over", func(in *Input) { in.Faults[0].Reverted = false }, "nothing proves that it is over"},
		{"touched nothing", func(in *Input) { in.Faults[0].AppliedNS, in.Faults[0].HealedNS = 1<<60, 1<<60+1 }, "no request met it"},
		{"missing in the file", func(in *Input) { in.Faults = nil }, "not in faults.json"},
		{"another fault in the file", func(in *Input) { in.Faults[0].Inject = "redis.flush" }, "not in faults.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := base()
			in.Scenario.Expect = nil
			tt.do(in)
			r := Judge(in)
			want, exit := result.Pass, 0
			if tt.reason != "" {
				want, exit = result.Inconclusive, 3
			}
			if r.Verdict != want || r.Exit != exit || !strings.Contains(r.Reason, tt.reason) {
				t.Errorf("Judge: got %s, exit %d, %q; want %s, %d, %q", r.Verdict, r.Exit, r.Reason, want, exit, tt.reason)
			}
		})
	}
}

func TestWorse(t *testing.T) {
	inOrder := []*result.Result{
		{Exit: 1, Checks: []result.Check{{Kind: result.Invariant, Verdict: result.Fail}}}, {Exit: 130}, {Exit: 4}, {Exit: 1}, {Exit: 3}, {Exit: 0},
	}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := Worse(a, b); got != (i < j) {
				t.Errorf("Worse(exit %d, exit %d): got %v, want %v", a.Exit, b.Exit, got, i < j)
			}
		}
	}
}
