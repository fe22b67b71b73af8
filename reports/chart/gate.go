package chart

import (
	"fmt"

	"gatecrash/sim/result"
)

// sample is one row of drift.csv.
type sample struct {
	at                  float64 // seconds since zero
	known               bool
	avail               cell
	freeLow, freeHigh   cell
	driftLow, driftHigh cell
}

// gateCharts are the seats and the drift of each sale, up to MaxSales.
func (d *Data) gateCharts(b buckets) []Chart {
	sales := d.Sales()
	if len(sales) == 0 {
		sales = []string{""}
	}
	var charts []Chart
	for i, sale := range sales[:min(len(sales), MaxSales)] {
		samples := d.samples(sale)
		name := func(base string) string {
			if i == 0 {
				return base
			}
			return fmt.Sprintf("%s-%d", base, i+1)
		}
		title := ""
		if len(sales) > 1 {
			title = " of " + sale
		}
		charts = append(charts, d.seats(b, samples, name("seats"), title), d.driftChart(samples, b, name("drift"), title))
	}
	return charts
}

// samples of one sale; with no name of a sale known, all of them.
func (d *Data) samples(sale string) []sample {
	var all []sample
	for i := range d.drift.rows {
		at := d.drift.number(i, "at_ms")
		if !at.known || (sale != "" && d.drift.text(i, "sale") != sale) {
			continue
		}
		n := func(name string) cell { return d.drift.number(i, name) }
		s := sample{at: at.value / 1e3, known: n("known").value == 1, freeLow: n("free_low"), freeHigh: n("free_high")}
		if s.known {
			s.avail, s.driftLow, s.driftHigh = n("avail"), n("drift_low"), n("drift_high")
		}
		all = append(all, s)
	}
	return all
}

// seats sets what the gate shows against what it should show, and against the truth.
func (d *Data) seats(b buckets, samples []sample, name, of string) Chart {
	fine := finer(b)
	c := Chart{
		Name: name, Title: "Seats left" + of + ": the truth and the gate", Unit: "seats",
		Model: "free: seats not booked in Postgres, at the end of each second; the gate should show: free less the live debits of requests under way, as an interval; the gate shows: available in Redis",
		Count: count(float64(len(samples)), "samples"),
		Series: []Series{
			{Key: "should", Name: "the gate should show", Kind: Band, Points: fine.intervals(samples, func(s sample) (cell, cell) { return s.freeLow, s.freeHigh })},
			{Key: "gate", Name: "the gate shows", Kind: Line, Points: fine.intervals(samples, func(s sample) (cell, cell) { return s.avail, s.avail })},
		},
		Gaps: unknown(b.from, samples),
	}
	if of == "" && d.missing(result.FileSeries) == "" {
		free := Series{Key: "truth", Name: "free", Kind: Line, Points: d.free(b)}
		c.Series = append([]Series{free}, c.Series...)
	}
	d.empty(&c, result.FileDrift, "The seats were never sampled.")
	return c
}

// free are the seats left at the end of each second, over all sales: of use where there is one.
func (d *Data) free(b buckets) []Point {
	points, _ := d.perSecond(b, allOps, "seats_left", last, 1)
	for i := range points {
		points[i].X += b.width / 2 // a line goes through the middle of a bucket, and the figure is of its end
	}
	return points
}

// driftChart is the gate's drift as an interval.
func (d *Data) driftChart(samples []sample, b buckets, name, of string) Chart {
	c := Chart{
		Name: name, Title: "Drift of the gate" + of, Unit: "seats", Zero: true,
		Model: "gate available − (truth free − live debits whose intent has no booking), as an interval; above 0 surplus: useless contenders let through; below 0 leak: buyers wrongly refused",
		Series: []Series{{Key: "drift", Name: "drift interval", Kind: Band,
			Points: finer(b).intervals(samples, func(s sample) (cell, cell) { return s.driftLow, s.driftHigh })}},
		Gaps: unknown(b.from, samples),
	}
	dark := 0
	for _, s := range samples {
		if !s.known {
			dark++
		}
	}
	c.Count = count(float64(len(samples)), "samples")
	if dark > 0 {
		c.Count += fmt.Sprintf(" (%s with the gate out of reach)", grouped(float64(dark)))
	}
	d.empty(&c, result.FileDrift, "The gate was never sampled.")
	if c.Empty == "The gate was never sampled." && dark > 0 {
		c.Empty = "The gate was out of reach at every sample: the drift is not known."
	}
	return c
}

// finer are buckets for samples that come many times a second.
func finer(b buckets) buckets {
	span := float64(b.n) * b.width
	return buckets{from: b.from, width: span / MaxPoints, n: MaxPoints}
}

// intervals puts samples into buckets, the widest interval of each; a bucket between two samples holds the earlier one, and one without any
// known sample near it is a gap.
func (b buckets) intervals(samples []sample, of func(sample) (cell, cell)) []Point {
	points := make([]Point, b.n)
	touched := make([]bool, b.n)
	for i := range points {
		points[i] = Point{X: b.from + float64(i)*b.width, Width: b.width}
	}
	for i, s := range samples {
		if s.at < b.from {
			continue
		}
		low, high := of(s)
		first := b.index(s.at)
		for k := first; k <= b.until(samples, i, first); k++ {
			touched[k] = true
			points[k].widen(low, high, k == first)
		}
	}
	return trimmed(points, touched)
}

// until is the last bucket that sample i holds for: up to the next sample, at most a second.
func (b buckets) until(samples []sample, i, first int) int {
	if i+1 == len(samples) {
		return first
	}
	return max(first, min(b.index(samples[i+1].at)-1, b.index(samples[i].at+1)))
}

func (p *Point) widen(low, high cell, first bool) {
	switch {
	case !low.known || !high.known:
	case !p.Known:
		p.Low, p.High, p.Known = low.value, high.value, true
	case first:
		p.Low, p.High = min(p.Low, low.value), max(p.High, high.value)
	}
}

// trimmed drops the untouched buckets of both ends and keeps those between as gaps.
func trimmed(points []Point, touched []bool) []Point {
	first, end := -1, 0
	for i, t := range touched {
		if t && first < 0 {
			first = i
		}
		if t {
			end = i + 1
		}
	}
	if first < 0 {
		return nil
	}
	return points[first:end]
}

// unknown are the stretches from a sample without an answer to the next one with an answer, at most MaxPoints of them, all after from.
func unknown(from float64, samples []sample) []Gap {
	var gaps []Gap
	open := false
	for _, s := range samples {
		switch {
		case s.at < from:
		case !s.known && !open && len(gaps) < MaxPoints:
			gaps, open = append(gaps, Gap{From: s.at, To: s.at}), true
		case open:
			gaps[len(gaps)-1].To = s.at
			open = !s.known
		}
	}
	return gaps
}
