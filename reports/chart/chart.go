package chart

// MaxPoints is the most points a series has; longer runs are put into wider buckets.
const MaxPoints = 600

// MaxSales is how many sales get charts of their own.
const MaxSales = 4

// MaxWindows is how many fault windows are drawn.
const MaxWindows = 40

// Set is every chart of a run over one time axis.
type Set struct {
	From, To float64 // seconds since the run's zero; Invariant: From < To
	Charts   []Chart
	Windows  []Window // fault windows, in the order in which they were applied
	Marks    []Mark
	Notes    []string // what was left out, and why
}

// Window is the time a fault lasted. Number is its place in the table of faults, from 1.
type Window struct {
	Number   int
	Name     string
	Inject   string
	From, To float64
	Open     bool // never healed: drawn to the end of the run
}

// Mark is a moment: the opening, sold out.
type Mark struct {
	Key   string // "opened" or "soldout"
	Label string
	At    float64
}

// Kind says how a series is drawn.
type Kind string

// Kinds of series.
const (
	Line Kind = "line" // a curve through the points, broken at gaps
	Step Kind = "step" // a value that holds for the width of its bucket
	Band Kind = "band" // an interval from Low to High that holds for the width of its bucket
)

// Chart is one picture.
type Chart struct {
	Name    string // also the file name of the plot: crowd, outcomes, goodput, seats, drift, response
	Title   string
	Unit    string // of the vertical axis
	Model   string // how the figures were made, one sentence
	Count   string // the sample count with what it counts: "24,310 requests"
	Log     bool   // logarithmic vertical axis
	Stacked bool   // the series are steps put on top of each other; High is the upper edge
	Zero    bool   // the line at 0 is the reference and is drawn strongly
	Series  []Series
	Gaps    []Gap
	Empty   string // why there is nothing to draw; "" otherwise
}

// Gap is a stretch of time over which the figures are not known.
type Gap struct{ From, To float64 }

// Series is one curve, step line or band.
type Series struct {
	Key    string // stable name of its colour: arrivals, requests, ok, refused, failed, unknown, unfinished, bookings, truth, should, gate, drift, response50 …
	Name   string
	Kind   Kind
	Dashed bool // set where it often lies on another one
	Points []Point
}

// Point is one bucket of a series. High equals Low except in bands and stacks.
type Point struct {
	X         float64 // start of the bucket, seconds since zero
	Width     float64 // seconds, > 0
	Low, High float64
	Known     bool // false: a gap
}

// known tells whether a series has anything to draw.
func (s Series) known() bool {
	for _, p := range s.Points {
		if p.Known {
			return true
		}
	}
	return false
}

// Top is the largest value of a chart, 0 if it has none.
func (c Chart) Top() float64 {
	top := 0.0
	c.each(func(p Point) { top = max(top, p.High) })
	return top
}

// Bottom is the smallest value of a chart: at most 0 on a linear axis, the smallest positive value on a logarithmic one (0 if there is none).
func (c Chart) Bottom() float64 {
	bottom := 0.0
	c.each(func(p Point) {
		switch {
		case !c.Log:
			bottom = min(bottom, p.Low)
		case p.Low > 0 && (bottom == 0 || p.Low < bottom):
			bottom = p.Low
		}
	})
	return bottom
}

func (c Chart) each(do func(Point)) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Known {
				do(p)
			}
		}
	}
}

// Stretches cuts points at their gaps.
func Stretches(points []Point) [][]Point {
	var all [][]Point
	start := -1
	for i, p := range points {
		if p.Known && start < 0 {
			start = i
		}
		if !p.Known && start >= 0 {
			all, start = append(all, points[start:i]), -1
		}
	}
	if start >= 0 {
		all = append(all, points[start:])
	}
	return all
}
