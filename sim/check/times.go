package check

import (
	"slices"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// durations of one operation in one phase, in ns, sorted when asked for.
type durations struct {
	response, service []int64
	censored          int64
	sorted            bool
}

// timeKey names durations; phase 0 is the whole run.
type timeKey struct {
	op    history.Op
	phase history.Phase
}

// timings groups every request that came due by operation and phase. A request that was never answered counts with its age at the end.
// Both uses, the table and the objectives, share one grouping.
func (f *facts) timings() map[timeKey]*durations {
	if f.timed != nil {
		return f.timed
	}
	all := map[timeKey]*durations{}
	for i := range f.in.Requests {
		r := &f.in.Requests[i]
		for _, k := range []timeKey{{r.Op, 0}, {r.Op, f.phaseOf(r)}} {
			d := all[k]
			if d == nil {
				d = &durations{}
				all[k] = d
			}
			d.take(r)
		}
	}
	f.timed = all
	return all
}

func (d *durations) take(r *history.Record) {
	d.response = append(d.response, r.Done-r.Intended)
	if r.Sent >= r.Intended {
		d.service = append(d.service, r.Done-r.Sent)
	}
	if r.Outcome == history.Unfinished {
		d.censored++
	}
}

func (d *durations) sort() {
	if !d.sorted {
		slices.Sort(d.response)
		slices.Sort(d.service)
		d.sorted = true
	}
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

// times is the table of result.json.
func (f *facts) times() []result.Times {
	timings := f.timings()
	var all []result.Times
	for _, op := range operations() {
		for _, p := range append([]history.Phase{0}, append(phases(), history.AfterEnd)...) {
			d := timings[timeKey{op, p}]
			if d == nil {
				continue
			}
			d.sort()
			all = append(all, result.Times{Op: op.String(), Phase: phaseName(p), Response: summary(d.response, d.censored), Service: summary(d.service, d.censored)})
		}
	}
	return all
}

func phaseName(p history.Phase) string {
	if p == 0 {
		return "all"
	}
	return p.String()
}

func summary(sorted []int64, censored int64) result.Percentiles {
	p := result.Percentiles{N: int64(len(sorted)), Censored: censored}
	if p.N == 0 {
		return p
	}
	sum := 0.0
	for _, v := range sorted {
		sum += float64(v)
	}
	p.Mean = sum / float64(p.N) / 1e3
	for _, q := range []struct {
		at float64
		to *int64
	}{{50, &p.P50}, {90, &p.P90}, {95, &p.P95}, {99, &p.P99}, {99.9, &p.P999}, {100, &p.Max}} {
		*q.to = percentile(sorted, q.at) / 1e3
	}
	return p
}
