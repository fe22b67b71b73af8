package check

import (
	"fmt"

	"gatecrash/sim/result"
)

// spec is one check of the list.
type spec struct {
	name   string
	kind   result.Kind
	holds  string // the formula, as result.json shows it
	reads  string // input columns
	needs  Source
	min    int64               // samples without which it says nothing
	always bool                // too few samples decide the run's verdict, whatever the scenario
	asked  func(f *facts) bool // too few samples decide the run's verdict in this scenario; nil: never
	judge  func(f *facts, t *trial)
}

// checks is every check that needs no waiting room, in the order of reports. Objectives of the scenario follow it.
var checks = []spec{
	{
		name: "no_oversell", kind: result.Invariant, needs: Rows, min: 1, always: true, judge: noOversell,
		holds: "0 <= booked <= capacity at every version, by the ledger and by booking rows",
		reads: "ledger: sale version kind seats; bookings: id quantity state version",
	},
	{
		name: "versions_dense", kind: result.Invariant, needs: Rows, min: 1, always: true, judge: versionsDense,
		holds: "versions of a sale are 1..k and its row is the fold of the ledger",
		reads: "ledger: sale version seats; truth: sales_2",
	},
	{
		name: "one_booking_per_intent", kind: result.Invariant, needs: Rows, min: 1, always: true, judge: oneBooking,
		holds: "at most one booking for each sale, account and key",
		reads: "bookings: sale account key",
	},
	{
		name: "same_answer", kind: result.Invariant, needs: Requests, min: 1, always: true, judge: sameAnswer,
		holds: "all ok answers of an intent name the same booking, quantity and version",
		reads: "requests: intent op outcome booking answered quantity version; bookings: id quantity version",
	},
	{
		name: "no_lost_booking", kind: result.Invariant, needs: Requests | Rows, min: 1, always: true, judge: noLost,
		holds: "answered ok => in the ledger at the end; a cancel answered ok => returned",
		reads: "requests: intent op outcome booking; ledger: kind booking; bookings: id key state",
	},
	{
		name: "no_phantom_booking", kind: result.Invariant, needs: Requests | Rows, min: 1, always: true, judge: noPhantom,
		holds: "in the ledger => attempted, with that account and quantity, by an attempt that may have reached it",
		reads: "bookings: sale account key quantity; requests: intent sale account quantity outcome problem",
	},
	{
		name: "real_time_order", kind: result.Invariant, needs: Requests | Rows, min: 2, judge: realTimeOrder,
		holds: "A answered before the first attempt of B was sent => version(A) < version(B)",
		reads: "bookings: key version; requests: intent sent_ns done_ns outcome",
	},
	{
		name: "sold_out_was_true", kind: result.Invariant, needs: Requests | Rows, min: 1, judge: soldOutWasTrue,
		holds: "free(v) < wanted at the version v of each database refusal; v is neither older than what was answered before nor newer than what was there",
		reads: "requests: sent_ns done_ns problem version quantity; ledger: version seats",
	},
	{
		name: "refused_has_no_booking", kind: result.Invariant, needs: Requests | Rows, min: 1, judge: refusedHasNone,
		holds: "a final refusal that overlaps no other attempt of its intent => no live booking of it before that answer",
		reads: "requests: intent sent_ns done_ns outcome problem version; bookings: key version; ledger: cancels",
	},
	{
		name: "account_limit", kind: result.Invariant, needs: Rows, min: 1, always: true, judge: accountLimit,
		holds: "live seats of an account <= the limit of the sale at every version",
		reads: "ledger: version kind account seats; bookings: account quantity state",
	},
	{
		name: "seats_conserved", kind: result.Invariant, needs: Rows, min: 1, always: true, judge: seatsConserved,
		holds: "capacity = free + booked in both snapshots; each booking takes its seats once, each cancel returns them once",
		reads: "bookings: id quantity state version; ledger: kind booking seats; truth: sales_1 sales_2",
	},
	{
		name: "limiter_closed", kind: result.Invariant, needs: Requests | Windows, min: 1, judge: limiterClosed,
		asked: func(f *facts) bool { return len(f.closedWindows()) > 0 },
		holds: "limiter's store down for longer than the request deadline => no booking that began after",
		reads: "faults: inject applied_ns healing_ns; requests: sent_ns done_ns outcome path",
	},
	{
		name: "arrivals_accounted", kind: result.Invariant, needs: Requests | Counts, min: 1, always: true, judge: arrivalsAccounted,
		holds: "planned = started + not started; started = booked + refused + gave up + unfinished; sent = ok + refused + failed + unknown + unfinished",
		reads: "run: visitors planned records; requests: visitor op outcome",
	},
	{
		name: "no_undersell", kind: result.Health, needs: Requests | Rows, min: 1, judge: noUndersell,
		holds: "no seats stay free to the end that the gate refused to somebody who never booked",
		reads: "requests: intent outcome problem quantity; ledger: version seats; truth: sales_1",
	},
	{
		name: "gate_drift", kind: result.Health, needs: Rows | Samples, min: 1, judge: gateDrift,
		asked: func(f *facts) bool { return f.in.Scenario.System.Gate.Enabled },
		holds: "the second reconciliation changes nothing, leaves no debit, and gate = free",
		reads: "truth: reconciled; drift: known drift_low drift_high",
	},
	{
		name: "recovery", kind: result.Health, needs: Requests | Rows | Windows, min: 1, judge: recoveryCheck,
		holds: "goodput / min(offered, capability before the fault) >= 90 % for 5 s after the heal, or sold out; fails only where declared",
		reads: "requests: intent intended_ns done_ns outcome; faults: applied_ns healed_ns",
	},
	{
		name: "load_offered", kind: result.Health, needs: Requests | Counts, min: 1, always: true, judge: loadOffered,
		holds: ">= 99 % of requests sent within 100 ms of intent, >= 99 % of visitors started, generator not saturated",
		reads: "requests: intended_ns sent_ns; run: generator visitors",
	},
	{
		name: "faults_bit", kind: result.Health, needs: Requests | Windows, min: 1, judge: faultsBit,
		holds: "each planned fault was applied, is proven and over, and touched requests",
		reads: "faults: applied proven reverted evidence; requests: sent_ns done_ns replica",
	},
}

// Names lists the checks that every run is judged by, in order.
func Names() []string {
	names := make([]string, len(checks))
	for i := range checks {
		names[i] = checks[i].name
	}
	return names
}

// run judges one check.
func (s *spec) run(f *facts) result.Check {
	c := result.Check{Name: s.name, Kind: s.kind, Expected: s.holds, MinSamples: s.min, Decides: true, Evidence: []string{}}
	if missing := s.needs & f.in.Lacks; missing != 0 {
		c.Verdict, c.Reason = result.Inconclusive, "cannot tell without "+missing.String()
		c.Decides = s.always || s.asked == nil || s.asked(f)
		return c
	}
	var t trial
	s.judge(f, &t)
	c.Samples, c.Violations, c.Measured, c.Unit, c.Reason, c.Evidence = t.samples, t.violations, t.measured, t.unit, t.reason, t.evidence()
	switch {
	case t.verdict != "":
		c.Verdict = t.verdict
	case t.violations > 0:
		c.Verdict = result.Fail
	case t.samples < s.min:
		c.Verdict = result.Inconclusive
		c.Decides = s.always || s.asked != nil && s.asked(f)
		if c.Reason == "" {
			c.Reason = fmt.Sprintf("nothing to check: %d samples, at least %d are needed", t.samples, s.min)
		}
	default:
		c.Verdict = result.Pass
	}
	if t.violations > 0 {
		first := t.first
		c.First = &first
	}
	return c
}
