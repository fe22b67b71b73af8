package check

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
	"gatecrash/sim/target"
)

// served is a run of 40 s with one intent each 50 ms. serve says when an intent that first asks at a time is answered, and whether with a booking.
func served(capacity int64, faultAt, heal time.Duration, serve func(at int64) (done int64, books bool)) *Input {
	in := &Input{
		Dir: "runs/test", ParseKey: keyParser("g"), ParseAccount: parseAccount,
		Run: result.Run{RunID: "r", Started: zero, Sales: []string{"main"}, Crowds: []string{"fans"}, Planned: 800, OpensMS: []int64{0}, OpenedMS: []int64{0}, KeyPrefix: "g",
			Ended: true, EndMS: 40_000},
		Scenario: &scenario.Scenario{Sales: []scenario.Sale{{Name: "main", Capacity: capacity, PerAccount: 1}}, Crowds: []scenario.Crowd{{Name: "fans"}},
			Expect: []scenario.Expectation{{Recovery: &scenario.RecoveryExpect{Of: "f", Within: 5 * time.Second}}}},
		Faults: []result.FaultWindow{{Name: "f", Inject: "redis.kill", Applied: true, AppliedNS: int64(faultAt), Healed: true, HealedNS: int64(heal), HealingNS: int64(heal)}},
	}
	version := int64(0)
	for i := range int64(800) {
		at := i * 50 * msec
		done, booked := serve(at)
		r := history.Record{Intended: at, Sent: at, Done: done, Version: -1, Intent: uint64(i + 1), Visitor: uint32(i), Account: uint32(i), Quantity: 1, Attempt: 1, Op: history.OpBook,
			Outcome: history.Failed, Problem: history.Overloaded}
		// the visitor asks once a second until it is answered
		for booked && r.Done-at > sec && at < 39*sec {
			again := r
			again.Done = at + 100*msec
			again.Sent, again.Intended = at, at
			in.Requests = append(in.Requests, again)
			at += sec
			r.Intended, r.Sent = at, at
		}
		if booked && version < capacity {
			version++
			r.Outcome, r.Problem, r.Path, r.Version, r.Booking, r.Answered = history.Ok, history.NoProblem, history.PathDB, version, version, 1
			row := target.BookingRow{ID: version, Sale: "main", Account: fmt.Sprintf("a%d", i), Key: fmt.Sprintf("g-%x", i+1), Quantity: 1, State: "live", Version: version, At: zero}
			in.Bookings2 = append(in.Bookings2, row)
			in.Ledger2 = append(in.Ledger2, target.LedgerRow{Sale: "main", Version: version, Kind: kindBook, Account: row.Account, Key: row.Key, Booking: row.ID, Seats: -1, At: zero})
		}
		in.Requests = append(in.Requests, r)
	}
	sale := []result.SaleRow{{Sale: "main", Capacity: capacity, Free: capacity - version, Version: version, PerAccount: 1}}
	in.Truth = result.Truth{Complete: true, Fenced: true, Sales1: sale, Sales2: sale}
	in.Bookings1, in.Ledger1 = in.Bookings2, in.Ledger2
	return in
}

func TestRecovery(t *testing.T) {
	const fault, heal = 10 * time.Second, 15 * time.Second
	quick := func(at int64) (int64, bool) { return at + 20*msec, true }
	down := func(until time.Duration, after func(at int64) (int64, bool)) func(int64) (int64, bool) {
		return func(at int64) (int64, bool) {
			if at < int64(fault) {
				return quick(at)
			}
			if at < int64(until) {
				return at + 100*msec, false
			}
			return after(at)
		}
	}
	tests := []struct {
		name     string
		capacity int64
		serve    func(at int64) (int64, bool)
		state    string
		within   [2]time.Duration // of the time since the heal
		verdict  result.Verdict   // of the objective
	}{
		{"at once", 10_000, down(heal, quick), recovered, [2]time.Duration{0, 250 * time.Millisecond}, result.Pass},
		{"after three seconds", 10_000, down(heal+3*time.Second, quick), recovered, [2]time.Duration{2500 * time.Millisecond, 3250 * time.Millisecond}, result.Pass},
		{"too late for the objective", 10_000, down(heal+8*time.Second, quick), recovered, [2]time.Duration{7 * time.Second, 9 * time.Second}, result.Fail},
		{"never", 10_000, down(time.Hour, quick), metastable, [2]time.Duration{}, result.Fail},
		{"at half its strength", 10_000, down(heal, func(at int64) (int64, bool) { return at + 20*msec, at/(50*msec)%2 == 0 }), metastable, [2]time.Duration{}, result.Fail},
		{"sold out soon after", 220, down(heal, quick), soldOut, [2]time.Duration{900 * time.Millisecond, 1100 * time.Millisecond}, result.Pass},
		{"sold out before the heal", 150, down(heal, quick), unmeasured, [2]time.Duration{}, result.Inconclusive},
		{"nobody was served before the fault", 10_000, func(at int64) (int64, bool) { return at + msec, at >= int64(heal) }, unmeasured, [2]time.Duration{}, result.Inconclusive},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := served(tt.capacity, fault, heal, tt.serve)
			f := newFacts(in)
			got := f.recovers[0]
			if got.state != tt.state || time.Duration(got.after) < tt.within[0] || time.Duration(got.after) > tt.within[1] {
				t.Errorf("recovery: got %v (%v after the heal), want %s within %v", got, time.Duration(got.after), tt.state, tt.within)
			}
			objective := f.objectives()[0]
			if objective.Verdict != tt.verdict {
				t.Errorf("objective: got %s (%s %s), want %s", objective.Verdict, objective.Measured, objective.Reason, tt.verdict)
			}
		})
	}
}

// METASTABLE fails the check only where the scenario declares a recovery; elsewhere it is a warning.
func TestMetastableFailsOnlyWhereDeclared(t *testing.T) {
	in := served(10_000, 10*time.Second, 15*time.Second, func(at int64) (int64, bool) { return at + 20*msec, at < 10*sec })
	if got := verdicts(Judge(in), result.Fail); !slices.Contains(got, "recovery") || !slices.Contains(got, "recovery:f") {
		t.Errorf("declared: got %q failed, want recovery and recovery:f", got)
	}
	in.Scenario.Expect = nil
	r := Judge(in)
	if got := verdicts(r, result.Fail); slices.Contains(got, "recovery") {
		t.Errorf("not declared: got %q failed, want no recovery", got)
	}
	if !slices.ContainsFunc(r.Findings, func(f result.Finding) bool { return f.Severity == "warning" }) {
		t.Errorf("not declared: got findings %v, want a warning", r.Findings)
	}
}

func TestRecoveryOfARunThatEndedTooSoon(t *testing.T) {
	in := served(10_000, 10*time.Second, 37*time.Second, func(at int64) (int64, bool) { return at + 20*msec, at < 10*sec })
	if got := newFacts(in).recovers[0]; got.state != unmeasured {
		t.Errorf("recovery: got %v, want nothing to measure", got)
	}
}
