package check

import (
	"fmt"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// Bounds of a run whose planned load was offered.
const (
	onTime       = int64(100 * time.Millisecond) // a request sent later than this after its intended time is late
	onTimeRatio  = 0.99                          // of all requests must be on time
	startedRatio = 0.99                          // of all planned visitors must have started, unless the run was stopped
	maxCPURatio  = 0.95                          // of all cores, used by the generator's process alone
	maxStallMS   = 1000                          // longest pause of the pacer
	maxLittle    = 0.25                          // |L - lambda W| / L, in the worst window: above it the generator's own books are wrong
)

// lateness of a request; a request that was never sent is as late as the run is long.
func lateness(r *history.Record) int64 {
	if r.Sent < r.Intended {
		if r.Outcome == history.Failed {
			return 0 // nothing could be sent, at once
		}
		return r.Done - r.Intended
	}
	return r.Sent - r.Intended
}

// loadOffered wants the planned load on the wire on time. What is late is charged to response time; too much of it, and the run answers another question.
func loadOffered(f *facts, t *trial) {
	var sent, late int64
	for _, op := range operations() {
		if c := f.of(op); op != history.OpResumeBook && op != history.OpResumeCancel {
			sent, late = sent+c.Sent, late+c.late
		}
	}
	g, v := f.in.Run.Generator, f.in.Run.Visitors
	t.samples, t.unit = sent, "ratio"
	t.measured = fmt.Sprintf("%.4f on time", 1-share(late, sent))
	t.note("cpu ratio %.2f, longest stall %d ms, Little's law off by %.3f at worst, at most %d of %d in flight", g.CPURatio, g.LongestStallMS, g.LittleError, g.MaxInFlight, g.InFlightCap)
	for _, bad := range []struct {
		holds bool
		text  string
	}{
		{sent > 0 && 1-share(late, sent) < onTimeRatio, fmt.Sprintf("%d of %d requests were sent more than 100 ms late", late, sent)},
		{!f.in.Run.Interrupted && v.Planned > 0 && share(v.Started, v.Planned) < startedRatio, fmt.Sprintf("%d of %d planned visitors never started", v.NotStarted, v.Planned)},
		{g.CPURatio > maxCPURatio, fmt.Sprintf("the generator used %.0f %% of all cores", g.CPURatio*100)},
		{g.LongestStallMS > maxStallMS, fmt.Sprintf("the pacer stood still for %d ms", g.LongestStallMS)},
		{g.LittleError > maxLittle, fmt.Sprintf("requests in flight and their times disagree by %.0f %%", g.LittleError*100)},
	} {
		if bad.holds {
			t.decide(result.Invalid, "%s", bad.text)
			return
		}
	}
}

// instantTouch is how long after a fault without a duration requests count as touched by it.
const instantTouch = int64(time.Second)

// faultsBit wants for each planned fault that it was applied, proven by independent evidence, over again, and met by requests.
func faultsBit(f *facts, t *trial) {
	bit := 0
	for i, planned := range f.in.Scenario.Faults {
		t.samples++
		wrong := "it is not in faults.json"
		if i < len(f.in.Faults) && f.in.Faults[i].Inject == planned.Inject {
			w := &f.in.Faults[i]
			touched := f.told[i].Touched
			wrong = toothless(w, touched)
			t.note("%s (%s): %d requests touched; %q", w.Name, w.Inject, touched, w.Evidence)
		}
		if wrong == "" {
			bit++
			continue
		}
		if t.verdict == "" {
			t.decide(result.Inconclusive, "fault %q: %s", planned.Name, wrong)
		}
	}
	t.measured = fmt.Sprintf("%d of %d", bit, len(f.in.Scenario.Faults))
}

// toothless says why a fault proves nothing; empty: it bit.
func toothless(w *result.FaultWindow, touched int64) string {
	because := ""
	if w.Error != "" {
		because = ": " + w.Error
	}
	switch {
	case !w.Applied:
		return "it was never applied" + because
	case !w.Proven:
		return "nothing proves that it happened" + because
	case !w.Healed || !w.Reverted:
		return "nothing proves that it is over" + because
	case touched == 0:
		return "no request met it"
	}
	return ""
}

// touched counts the crowd's requests that were in flight or begun while a fault lasted; of one replica where it struck one.
func (f *facts) touched(w *result.FaultWindow) int64 {
	if !w.Applied {
		return 0
	}
	until := max(w.HealedNS, w.AppliedNS+instantTouch)
	n := int64(0)
	for i := range f.in.Requests {
		r := &f.in.Requests[i]
		if resumes(r.Op) || r.Sent > until || r.Done < w.AppliedNS || w.Replica > 0 && r.Replica > 0 && int(r.Replica) != w.Replica {
			continue
		}
		n++
	}
	return n
}

func (f *facts) faults() []result.Fault {
	all := []result.Fault{}
	for i, r := range f.recovers {
		w := &f.in.Faults[i]
		fault := result.Fault{
			Name: w.Name, Inject: w.Inject, Applied: w.Applied, Healed: w.Healed, AppliedMS: w.AppliedNS / 1e6, HealedMS: w.HealedNS / 1e6,
			Evidence: append([]string{}, w.Evidence...), Proven: w.Proven, Touched: f.touched(w), RecoveryMS: -1, Recovery: r.state,
		}
		if r.state == recovered || r.state == soldOut {
			fault.RecoveryMS = r.after / 1e6
		}
		all = append(all, fault)
	}
	return all
}
