package check

import (
	"slices"

	"gatecrash/sim/history"
	"gatecrash/sim/measure"
	"gatecrash/sim/result"
)

// times is the table of result.json, from histograms of three digits.
func (f *facts) times() []result.Times {
	var t measure.Times
	for i := range f.in.Requests {
		r := f.in.Requests[i]
		if slices.Contains(operations(), r.Op) {
			r.Phase = f.line.Of(&r)
			t.Add(&r)
		}
	}
	return t.Table()
}

// durations gives the response or service times of an operation in a phase, sorted; phase 0 is the whole run. They are exact, because a threshold is judged by
// them. A request that was never answered counts with its age at the end; one that was never sent has no service time.
func (f *facts) durations(op string, phase history.Phase, service bool) []int64 {
	var all []int64
	for i := range f.in.Requests {
		r := &f.in.Requests[i]
		if r.Op.String() != op || phase != 0 && f.line.Of(r) != phase {
			continue
		}
		if !service {
			all = append(all, r.Done-r.Intended)
		} else if r.Sent >= r.Intended {
			all = append(all, r.Done-r.Sent)
		}
	}
	slices.Sort(all)
	return all
}

// percentile of sorted values by nearest rank: the smallest value that at least p per cent of them do not exceed. 100 is the maximum.
func percentile(sorted []int64, p float64) int64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(p / 100 * float64(len(sorted)))
	if float64(rank) < p/100*float64(len(sorted)) {
		rank++
	}
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func phaseName(p history.Phase) string {
	if p == 0 {
		return "all"
	}
	return p.String()
}
