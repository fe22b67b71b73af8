package measure

import (
	"math"
	"slices"
	"sort"

	"gatecrash/sim/history"
)

// Never is an instant that is not reached.
const Never = int64(math.MaxInt64)

// Window is a fault as it was carried out. Times are nanoseconds since the run's zero.
type Window struct {
	Applied   int64
	Healed    int64 // Never: lasted to the end
	Recovered int64 // when goodput was back, or the seats sold out; Never: not before the end; Healed: there was nothing to recover
}

// Span is a stretch of the run in one phase, from From to before Until.
type Span struct {
	From, Until int64 // nanoseconds since the run's zero
	Phase       history.Phase
}

// Timeline is the run cut into phases, without gaps. The first span reaches back without bound, the last one forward.
type Timeline []Span

// NewTimeline cuts a run: warm-up until opened; then sold-out from the moment nobody could be served any more; fault from apply to heal; recovery from heal to
// recovered; else steady. Where two hold, the one named first counts. Never stands for what did not happen.
func NewTimeline(opened, soldOut int64, faults []Window) Timeline {
	cuts := []int64{math.MinInt64, opened, soldOut}
	for _, w := range faults {
		cuts = append(cuts, w.Applied, w.Healed, w.Recovered)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var line Timeline
	for i, from := range cuts {
		if from == Never {
			break
		}
		until := Never
		if i+1 < len(cuts) {
			until = cuts[i+1]
		}
		p := phaseAt(from, opened, soldOut, faults)
		if n := len(line); n > 0 && line[n-1].Phase == p {
			line[n-1].Until = until
			continue
		}
		line = append(line, Span{from, until, p})
	}
	return line
}

func phaseAt(at, opened, soldOut int64, faults []Window) history.Phase {
	within := func(from, until func(Window) int64) bool {
		return slices.ContainsFunc(faults, func(w Window) bool { return from(w) <= at && at < until(w) })
	}
	applied, healed := func(w Window) int64 { return w.Applied }, func(w Window) int64 { return w.Healed }
	recovered := func(w Window) int64 { return w.Recovered }
	switch {
	case at < opened:
		return history.Warmup
	case at >= soldOut:
		return history.SoldOutPhase
	case within(applied, healed):
		return history.Fault
	case within(healed, recovered):
		return history.Recovery
	default:
		return history.Steady
	}
}

// At is the phase of an instant.
func (l Timeline) At(at int64) history.Phase {
	i := sort.Search(len(l), func(i int) bool { return l[i].Until > at })
	if len(l) == 0 {
		return history.Warmup
	}
	return l[min(i, len(l)-1)].Phase
}

// Of is the phase of a request: that of its intended instant, so that what a fault delays counts where it was wanted.
func (l Timeline) Of(r *history.Record) history.Phase {
	if r.Op == history.OpResumeBook || r.Op == history.OpResumeCancel {
		return history.AfterEnd
	}
	return l.At(r.Intended)
}

// Fill sets the phase of every record.
func (l Timeline) Fill(records []history.Record) {
	for i := range records {
		records[i].Phase = l.Of(&records[i])
	}
}
