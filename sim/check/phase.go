package check

import (
	"gatecrash/sim/history"
	"gatecrash/sim/measure"
	"gatecrash/sim/result"
)

// Timeline cuts a run into phases, for whoever fills them into the records or writes the series. Judge uses the same.
func Timeline(in *Input) measure.Timeline { return newFacts(in).line }

// timeline takes the moments from the rows: the opening, the first answer that showed too few seats for anybody, faults and what came of them.
func (f *facts) timeline() measure.Timeline {
	var windows []measure.Window
	for _, r := range f.recovers {
		if !r.window.Applied {
			continue
		}
		w := measure.Window{Applied: r.window.AppliedNS, Healed: never, Recovered: never}
		if r.window.Healed {
			w.Healed = r.window.HealedNS
			w.Recovered = w.Healed
		}
		switch r.state {
		case recovered, soldOut:
			w.Recovered = w.Healed + r.after
		case metastable:
			w.Recovered = never
		}
		windows = append(windows, w)
	}
	return measure.NewTimeline(f.openedAt(), f.soldOutAt(), windows)
}

// phases in which the crowd sends requests, in the order of reports.
func phases() []history.Phase {
	return []history.Phase{history.Warmup, history.Steady, history.Fault, history.Recovery, history.SoldOutPhase}
}

// goodput counts bookings that the crowd heard of within the visitor's patience, by phase, and in all.
func (f *facts) goodput() []result.Goodput {
	counts := map[history.Phase]int64{}
	total := result.Goodput{Phase: "all"}
	for i := range f.intents {
		if in := &f.intents[i]; f.good(in) {
			counts[f.line.At(in.answered)]++
			total.Bookings++
		}
	}
	seconds := f.line.Seconds(0, f.in.Run.EndMS*1e6)
	total.Seconds = float64(f.in.Run.EndMS) / 1e3
	all := []result.Goodput{total}
	for _, p := range phases() {
		if seconds[p] > 0 || counts[p] > 0 {
			all = append(all, result.Goodput{Phase: p.String(), Seconds: seconds[p], Bookings: counts[p]})
		}
	}
	for i := range all {
		if all[i].Seconds > 0 {
			all[i].PerSec = float64(all[i].Bookings) / all[i].Seconds
		}
	}
	return all
}

// good reports whether an intent counts as goodput: in the truth before the resume, and told to the visitor while it still waited.
func (f *facts) good(in *intent) bool {
	if in.answered == never || in.booking < 0 || !f.inSnapshot1(in) || !f.toldInTime(in) {
		return false
	}
	sc := f.in.Scenario
	if int(in.crowd) >= len(sc.Crowds) || int(in.visitor) >= len(f.arrived) {
		return true
	}
	patience := sc.Crowds[in.crowd].Patience.Nanoseconds()
	return patience <= 0 || in.answered <= f.arrived[in.visitor]+patience
}
