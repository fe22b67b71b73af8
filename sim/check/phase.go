package check

import (
	"slices"
	"sort"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// span is a stretch of the run in one phase; times since the run's zero in ns.
type span struct {
	from, to int64
	phase    history.Phase
}

// split cuts the run into phases: warm-up before the opening, then sold-out once nobody can be served, fault from apply to heal, recovery from
// heal to recovered, else steady. A phase is a property of the moment, the same for every request that was intended then.
func (f *facts) split() {
	end := max(f.in.Run.EndMS*1e6, 1)
	start := int64(0)
	for _, at := range f.arrived {
		start = min(start, at)
	}
	opened, gone := f.openedAt(), f.soldOutAt()
	faults, recovers := f.faultWindows(end)
	cuts := []int64{start, end, opened, gone}
	for _, w := range append(slices.Clone(faults), recovers...) {
		cuts = append(cuts, w.from, w.to)
	}
	slices.Sort(cuts)
	for i := 1; i < len(cuts); i++ {
		s := span{from: cuts[i-1], to: cuts[i]}
		if s.from < start || s.to > end || s.from == s.to {
			continue
		}
		switch {
		case s.from < opened:
			s.phase = history.Warmup
		case s.from >= gone:
			s.phase = history.SoldOutPhase
		case within(faults, s.from):
			s.phase = history.Fault
		case within(recovers, s.from):
			s.phase = history.Recovery
		default:
			s.phase = history.Steady
		}
		f.spans = append(f.spans, s)
	}
}

// faultWindows are the times of faults, and of the recoveries after them.
func (f *facts) faultWindows(end int64) (faults, recovers []span) {
	for _, r := range f.recovers {
		w := r.window
		if !w.Applied {
			continue
		}
		healed := end
		if w.Healed {
			healed = min(w.HealedNS, end)
		}
		faults = append(faults, span{from: w.AppliedNS, to: healed})
		switch r.state {
		case recovered, soldOut:
			recovers = append(recovers, span{from: healed, to: min(healed+r.after, end)})
		case metastable:
			recovers = append(recovers, span{from: healed, to: end})
		}
	}
	return faults, recovers
}

func within(spans []span, at int64) bool {
	for _, s := range spans {
		if s.from <= at && at < s.to {
			return true
		}
	}
	return false
}

// phaseAt is the phase of a moment; what comes after the end of the crowd belongs to the last phase.
func (f *facts) phaseAt(at int64) history.Phase {
	if len(f.spans) == 0 {
		return history.Warmup
	}
	i := sort.Search(len(f.spans), func(i int) bool { return f.spans[i].to > at })
	return f.spans[min(i, len(f.spans)-1)].phase
}

func (f *facts) phaseOf(r *history.Record) history.Phase {
	if resumes(r.Op) {
		return history.AfterEnd
	}
	return f.phaseAt(r.Intended)
}

// phases of a run in which requests are sent, in the order of reports.
func phases() []history.Phase {
	return []history.Phase{history.Warmup, history.Steady, history.Fault, history.Recovery, history.SoldOutPhase}
}

// goodput counts bookings that the crowd heard of within the visitor's patience, by phase, and in all.
func (f *facts) goodput() []result.Goodput {
	counts, seconds := map[history.Phase]int64{}, map[history.Phase]float64{}
	total := result.Goodput{Phase: "all"}
	for i := range f.intents {
		if in := &f.intents[i]; f.good(in) {
			counts[f.phaseAt(in.answered)]++
			total.Bookings++
		}
	}
	for _, s := range f.spans {
		seconds[s.phase] += float64(s.to-s.from) / 1e9
		total.Seconds += float64(s.to-s.from) / 1e9
	}
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
