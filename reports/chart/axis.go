package chart

import "math"

// Axis is the vertical axis of a chart: it ends at round values.
type Axis struct {
	Low, High float64 // Invariant: Low < High, and 0 < Low where Log
	Log       bool
	step      float64 // between ticks; decades where Log
}

// Steps of an axis: at most about this many, and at most so many decades.
const (
	linearSteps = 4
	maxDecades  = 6
)

// Axis of a chart.
func (c Chart) Axis() Axis {
	low, high := c.Bottom(), c.Top()
	if c.Log {
		return logAxis(low, high)
	}
	if c.Zero && high-low < 2 {
		low, high = min(low, -1), max(high, 1)
	}
	if high <= low {
		high = low + 1
	}
	step := niceStep((high - low) / linearSteps)
	return Axis{Low: math.Floor(low/step) * step, High: math.Ceil(high/step) * step, step: step}
}

func logAxis(low, high float64) Axis {
	if low <= 0 {
		low = 1
	}
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(max(high, low)))
	if to <= from {
		to = from + 1
	}
	return Axis{Low: math.Pow(10, from), High: math.Pow(10, to), Log: true, step: math.Ceil((to - from) / maxDecades)}
}

// niceStep is the smallest of 1, 2 and 5 times a power of ten that is not below raw.
func niceStep(raw float64) float64 {
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if f*base >= raw {
			return f * base
		}
	}
	return 10 * base
}

// Ratio is how far up a value lies, 0 at Low and 1 at High. On a logarithmic axis what is below Low lies on it.
func (a Axis) Ratio(v float64) float64 {
	if a.Log {
		return math.Log10(max(v, a.Low)/a.Low) / math.Log10(a.High/a.Low)
	}
	return (v - a.Low) / (a.High - a.Low)
}

// Ticks are the values to label.
func (a Axis) Ticks() []float64 {
	var all []float64
	if a.Log {
		for v := a.Low; v <= a.High*1.001; v *= math.Pow(10, a.step) {
			all = append(all, v)
		}
		return all
	}
	for i := 0.0; a.Low+i*a.step <= a.High+a.step/2; i++ {
		all = append(all, a.Low+i*a.step)
	}
	return all
}

// timeSteps are the distances between labels of the time axis, in seconds.
var timeSteps = [...]float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400}

// maxTimeSteps is how many steps the time axis has at most.
const maxTimeSteps = 8

// TimeTicks are the seconds to label on the time axis.
func (s Set) TimeTicks() []float64 {
	span := s.To - s.From
	step := timeSteps[len(timeSteps)-1]
	step *= max(1, math.Ceil(span/maxTimeSteps/step))
	for _, fits := range timeSteps {
		if span/fits <= maxTimeSteps {
			step = fits
			break
		}
	}
	var all []float64
	for i := math.Ceil(s.From / step); i*step <= s.To; i++ {
		all = append(all, i*step)
	}
	return all
}
