package chart

import (
	"fmt"
	"math"
	"strconv"

	"gatecrash/sim/result"
)

// Charts makes every chart of a run.
func (d *Data) Charts() Set {
	s := Set{Windows: d.windows(), Marks: d.marks()}
	if len(s.Windows) > MaxWindows {
		s.Notes = append(s.Notes, fmt.Sprintf("Of %d fault windows the first %d are drawn; the table has them all.", len(s.Windows), MaxWindows))
		s.Windows = s.Windows[:MaxWindows]
	}
	s.From, s.To = d.span(s.Windows)
	for i := range s.Windows {
		if s.Windows[i].Open {
			s.Windows[i].To = s.To
		}
	}
	b := newBuckets(s.From, s.To)
	if b.width > 1 {
		s.Notes = append(s.Notes, fmt.Sprintf("Each point stands for %s seconds: counts are means, times and drift the worst of them.", strconv.FormatFloat(b.width, 'f', -1, 64)))
	}
	s.Charts = []Chart{d.crowd(b), d.outcomes(b), d.goodput(b)}
	s.Charts = append(s.Charts, d.gateCharts(b)...)
	s.Charts = append(s.Charts, d.times(b))
	if extra := len(d.Sales()) - MaxSales; extra > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("The seats and the drift of %d more sales are not drawn; the tables have them.", extra))
	}
	return s
}

// windows takes the faults as carried out, else as judged.
func (d *Data) windows() []Window {
	var all []Window
	for i, f := range d.Faults {
		if f.Applied {
			all = append(all, Window{Number: i + 1, Name: f.Name, Inject: f.Inject, From: seconds(f.AppliedNS, 1e9), To: seconds(f.HealedNS, 1e9), Open: !f.Healed})
		}
	}
	if len(d.Faults) > 0 {
		return all
	}
	for i, f := range d.Result.Faults {
		if f.Applied {
			all = append(all, Window{Number: i + 1, Name: f.Name, Inject: f.Inject, From: seconds(f.AppliedMS, 1e3), To: seconds(f.HealedMS, 1e3), Open: !f.Healed})
		}
	}
	return all
}

func seconds(n int64, perSecond float64) float64 { return float64(n) / perSecond }

// marks are the opening and the selling out of each sale; one label serves where all sales share the moment.
func (d *Data) marks() []Mark {
	var all []Mark
	for i, at := range d.Run.OpenedMS {
		if at >= 0 {
			all = addMark(all, Mark{Key: "opened", Label: d.label("opened", i, len(d.Run.OpenedMS)), At: seconds(at, 1e3)})
		}
	}
	for i, s := range d.Result.Sales {
		if s.SoldOutMS >= 0 {
			all = addMark(all, Mark{Key: "soldout", Label: d.label("sold out", i, len(d.Result.Sales)), At: seconds(s.SoldOutMS, 1e3)})
		}
	}
	return all
}

func (d *Data) label(what string, i, of int) string {
	if names := d.Sales(); of > 1 && i < len(names) {
		return what + " " + names[i]
	}
	return what
}

func addMark(all []Mark, m Mark) []Mark {
	if len(all) >= 2*MaxSales {
		return all
	}
	return append(all, m)
}

// span covers zero, every second of the series, every drift sample after zero and every fault, in whole seconds.
func (d *Data) span(windows []Window) (from, to float64) {
	see := func(at float64) { from, to = min(from, math.Floor(at)), max(to, math.Ceil(at)) }
	for i := range d.series.rows {
		if c := d.series.number(i, "second"); c.known {
			see(c.value)
			see(c.value + 1)
		}
	}
	for i := range d.drift.rows {
		if c := d.drift.number(i, "at_ms"); c.known {
			see(max(0, c.value/1e3)) // what is sampled before the first second of the series is the gate at rest
		}
	}
	for _, w := range windows {
		see(w.From)
		see(w.To)
	}
	see(seconds(d.Run.EndMS, 1e3))
	see(seconds(d.Result.DurationMS, 1e3))
	if to <= from {
		to = from + 1
	}
	return from, to
}

// buckets divides the time axis; a bucket of a series of seconds is at least one second wide.
type buckets struct {
	from  float64
	width float64 // whole seconds
	n     int
}

func newBuckets(from, to float64) buckets {
	width := max(1, math.Ceil((to-from)/MaxPoints))
	return buckets{from: from, width: width, n: int(math.Ceil((to - from) / width))}
}

func (b buckets) index(at float64) int {
	return max(0, min(b.n-1, int(math.Floor((at-b.from)/b.width))))
}

// fold is how the figures of one bucket become one.
type fold int

const (
	mean  fold = iota // sum divided by the bucket's seconds: counts per second
	worst             // the largest: times
	last              // the latest: levels such as seats
)

// perSecond makes a series of a column of series.csv for one operation. A bucket without a known figure is a gap.
func (d *Data) perSecond(b buckets, op, column string, how fold, scale float64) ([]Point, float64) {
	points, rows, total := make([]Point, b.n), make([]float64, b.n), 0.0
	for i := range points {
		points[i] = Point{X: b.from + float64(i)*b.width, Width: b.width}
	}
	for i := range d.series.rows {
		at, v := d.series.number(i, "second"), d.series.number(i, column)
		if !at.known || !v.known || d.series.text(i, "op") != op {
			continue
		}
		p, k := &points[b.index(at.value)], b.index(at.value)
		p.High = folded(how, *p, v.value*scale)
		p.Known = true
		rows[k]++
		total += v.value
	}
	for i := range points {
		if how == mean && rows[i] > 0 {
			points[i].High /= rows[i]
		}
		points[i].Low = points[i].High
	}
	return points, total
}

func folded(how fold, p Point, v float64) float64 {
	switch {
	case how == mean:
		return p.High + v
	case how == worst && p.Known:
		return max(p.High, v)
	default:
		return v
	}
}

// empty says why a chart cannot be drawn: its file, or that nothing of it happened.
func (d *Data) empty(c *Chart, file, nothing string) {
	for _, s := range c.Series {
		if s.known() {
			return
		}
	}
	c.Series, c.Empty = nil, nothing
	if why := d.missing(file); why != "" {
		c.Empty = "Not drawn: " + why + "."
	}
}

// allOps is the operation of series.csv that sums the others.
const allOps = "all"

func (d *Data) seriesEmpty(c Chart, nothing string) Chart {
	d.empty(&c, result.FileSeries, nothing)
	return c
}
