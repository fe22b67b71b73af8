package check

import (
	"testing"
	"time"

	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

// base is a good history in which every rule has something to judge.
func base() *Input {
	w := newWorld(4)
	w.blackout = true
	w.visitors = 600
	w.capacity = 700
	in := w.run()
	stranded := 6 * time.Second
	in.Drift[4].Oldest = 5 * time.Second
	in.Scenario.Expect = []scenario.Expectation{
		{Recovery: &scenario.RecoveryExpect{Of: "blackout", Within: 5 * time.Second}},
		{ResponseTime: &scenario.TimeExpect{Of: "book", Bounds: []scenario.PercentileBound{{Percentile: 90, AtMost: time.Second}}, During: "steady"}},
		{ServiceTime: &scenario.TimeExpect{Of: "book", Bounds: []scenario.PercentileBound{{Percentile: 95, AtMost: time.Second}, {Percentile: 100, AtMost: time.Minute}}}},
		{Goodput: &scenario.GoodputExpect{AtLeast: 1}},
		{Sold: &scenario.SoldExpect{AtLeast: 0.5}},
		{Outcome: &scenario.OutcomeExpect{Of: "book", Outcome: "unknown", AtMost: 0.5}},
		{GateDrift: &scenario.DriftExpect{Final: new(int64), LeakFor: new(time.Duration), SurplusFor: new(time.Duration), DebitFor: &stranded, MaxLeak: new(int64), MaxSurplus: new(int64)}},
	}
	return in
}

func TestBasePassesEveryCheck(t *testing.T) {
	r := Judge(base())
	if r.Verdict != result.Pass || r.Exit != 0 {
		t.Errorf("Judge(base): got %s, exit %d; want pass, 0\n%s", r.Verdict, r.Exit, explain(r))
	}
	for _, c := range r.Checks {
		t.Logf("%-28s %-12s %6d samples  %s", c.Name, c.Verdict, c.Samples, c.Measured)
		if c.Verdict != result.Pass && c.Name != "no_undersell" {
			t.Errorf("%s: got %s (%s), want pass", c.Name, c.Verdict, c.Reason)
		}
	}
}
