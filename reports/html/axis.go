package html

import (
	"math"
	"strconv"

	"gatecrash/reports/chart"
)

// tick is a label of an axis at a place in percent from the left or the bottom.
type tick struct {
	At    string
	Label string
	Minor bool // left out on narrow pages
	y     float64
}

// scale maps a chart's values to 0..1 from the bottom.
type scale struct {
	low, high float64
	log       bool
}

func newScale(c chart.Chart) scale {
	low, high := c.Bottom(), c.Top()
	if c.Log {
		return logScale(low, high)
	}
	if c.Zero && high-low < 2 {
		low, high = min(low, -1), max(high, 1)
	}
	if high <= low {
		high = low + 1
	}
	step := niceStep(high - low)
	return scale{low: math.Floor(low/step) * step, high: math.Ceil(high/step) * step}
}

func logScale(low, high float64) scale {
	if low <= 0 {
		low = 1
	}
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(max(high, low)))
	if to <= from {
		to = from + 1
	}
	return scale{low: math.Pow(10, from), high: math.Pow(10, to), log: true}
}

// niceStep is 1, 2 or 5 times a power of ten, so that about four steps make the range.
func niceStep(span float64) float64 {
	raw := span / 4
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if f*base >= raw {
			return f * base
		}
	}
	return 10 * base
}

func (s scale) at(v float64) float64 {
	if s.log {
		v = max(v, s.low)
		return math.Log10(v/s.low) / math.Log10(s.high/s.low)
	}
	return (v - s.low) / (s.high - s.low)
}

func (s scale) ticks() []tick {
	var all []tick
	add := func(v float64, label string) {
		y := s.at(v)
		all = append(all, tick{At: percentage(y), Label: label, y: y})
	}
	if s.log {
		decades := int(math.Round(math.Log10(s.high / s.low)))
		for i := 0; i <= decades; i += 1 + decades/6 {
			v := s.low * math.Pow(10, float64(i))
			add(v, millis(v))
		}
		return all
	}
	step := niceStep(s.high - s.low)
	for i := 0; s.low+float64(i)*step <= s.high+step/2; i++ {
		v := s.low + float64(i)*step
		add(v, short(v))
	}
	return all
}

// millis labels a decade of milliseconds.
func millis(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + " s"
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " ms"
}

// short labels a value in at most five characters.
func short(v float64) string {
	if math.Abs(v) >= 10_000 {
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + "k"
	}
	return figure(v)
}

// timeSteps are the distances between labels of the time axis, in seconds.
var timeSteps = [...]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400}

// timeTicks labels the time axis in at most about eight steps; every second one is left out on narrow pages.
func timeTicks(from, to float64) []tick {
	step := timeSteps[len(timeSteps)-1]
	for _, s := range timeSteps {
		if (to-from)/s <= 8 {
			step = s
			break
		}
	}
	step = max(step, math.Ceil((to-from)/8/step)*step)
	var all []tick
	for i := math.Ceil(from / step); i*step <= to; i++ {
		at := i * step
		all = append(all, tick{At: percentage((at - from) / (to - from)), Label: clock(at), Minor: math.Mod(i, 2) != 0})
	}
	return all
}

// percentage writes a ratio as a number of percent for a style.
func percentage(ratio float64) string { return strconv.FormatFloat(ratio*100, 'f', 2, 64) }
