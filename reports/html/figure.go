package html

import (
	"slices"
	"strconv"

	"gatecrash/reports/chart"
)

// drawn is one chart as the template needs it.
type drawn struct {
	Name, Title, Unit, Model, Count string
	Empty                           string
	Paths                           []path
	Legend                          []legend
	YTicks                          []tick
	Grid                            []int // heights of the grid lines in the drawing
	ZeroLine                        int   // -1: none
	Gaps                            []span
	Seed                            string
}

// path is one drawn shape; Class holds its kind and the key of its colour.
type path struct{ Class, D string }

// legend is one entry of a chart's legend.
type legend struct{ Key, Name string }

// span is a stretch of the drawing.
type span struct{ X, Width int }

// frame is what all charts of a page share.
type frame struct {
	Windows []span
	Marks   []markLine
	Flags   []flag
	Lanes   []int // one for each row of flags
	XTicks  []tick
}

type markLine struct {
	Key string
	X   int
}

func newFrame(s chart.Set) frame {
	f := frame{XTicks: timeTicks(s)}
	p := &pen{from: s.From, to: s.To}
	for _, w := range s.Windows {
		f.Windows = append(f.Windows, stretch(p, w.From, w.To))
	}
	for _, m := range s.Marks {
		f.Marks = append(f.Marks, markLine{Key: m.Key, X: p.x(m.At)})
	}
	f.Flags, f.Lanes = flags(s)
	return f
}

// stretch is at least a little wide, so that a fault of an instant is seen.
func stretch(p *pen, from, to float64) span {
	return span{X: p.x(from), Width: max(6, p.x(to)-p.x(from))}
}

func draw(c chart.Chart, s chart.Set, seed uint64) drawn {
	d := drawn{Name: c.Name, Title: c.Title, Unit: c.Unit, Model: c.Model, Count: c.Count, Empty: c.Empty, ZeroLine: -1, Seed: strconv.FormatUint(seed, 10)}
	if c.Empty != "" {
		return d
	}
	axis := c.Axis()
	fresh := func() *pen { return &pen{from: s.From, to: s.To, axis: axis} }
	for _, series := range c.Series {
		d.Legend = append(d.Legend, legend{Key: series.Key, Name: series.Name})
		d.Paths = append(d.Paths, paths(series, c.Stacked, fresh)...)
	}
	d.YTicks, d.Grid = valueTicks(axis, fresh())
	if c.Zero {
		d.ZeroLine = fresh().y(0)
	}
	for _, g := range c.Gaps {
		d.Gaps = append(d.Gaps, stretch(fresh(), g.From, g.To))
	}
	return d
}

// paths draws a series: a step gets its area and its edge, a band its area with an outline.
func paths(s chart.Series, stacked bool, fresh func() *pen) []path {
	switch {
	case s.Dashed:
		return []path{{"curve dashed " + s.Key, fresh().curve(s.Points)}}
	case s.Kind == chart.Line:
		return []path{{"curve " + s.Key, fresh().curve(s.Points)}}
	case s.Kind == chart.Band:
		return []path{{"band " + s.Key, fresh().area(s.Points)}}
	case stacked:
		return []path{{"stack " + s.Key, fresh().area(s.Points)}}
	default:
		return []path{{"fill " + s.Key, fresh().area(grounded(s.Points))}, {"curve " + s.Key, fresh().stairs(s.Points)}}
	}
}

// grounded are the same points as areas down to 0.
func grounded(points []chart.Point) []chart.Point {
	all := slices.Clone(points)
	for i := range all {
		all[i].Low = 0
	}
	return all
}
