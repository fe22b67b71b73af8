package check

import (
	"gatecrash/sim/history"
	"gatecrash/sim/measure"
	"gatecrash/sim/result"
)

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
	seconds := secondsOf(f.line, f.in.Run.EndMS*1e6)
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

// secondsOf is how long each phase lasted between zero and the end of the crowd.
func secondsOf(line measure.Timeline, end int64) map[history.Phase]float64 {
	all := map[history.Phase]float64{}
	for _, s := range line {
		if a, b := max(s.From, 0), min(s.Until, end); a < b {
			all[s.Phase] += float64(b-a) / 1e9
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
