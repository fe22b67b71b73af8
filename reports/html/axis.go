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
}

// valueTicks labels the vertical axis and gives the heights of its grid lines in the drawing.
func valueTicks(a chart.Axis, p *pen) ([]tick, []int) {
	var ticks []tick
	var grid []int
	for _, v := range a.Ticks() {
		label := short(v)
		if a.Log {
			label = millis(v)
		}
		ticks = append(ticks, tick{At: percentage(a.Ratio(v)), Label: label})
		grid = append(grid, p.y(v))
	}
	return ticks, grid
}

// millis labels a decade of milliseconds.
func millis(v float64) string {
	if v >= 1000 {
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + " s"
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " ms"
}

// short labels a value in at most about five characters.
func short(v float64) string {
	if math.Abs(v) >= 10_000 {
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + "k"
	}
	return figure(v)
}

// timeTicks labels the time axis; every second label is left out on narrow pages.
func timeTicks(s chart.Set) []tick {
	var all []tick
	for i, at := range s.TimeTicks() {
		all = append(all, tick{At: percentage((at - s.From) / (s.To - s.From)), Label: clock(at), Minor: i%2 == 1})
	}
	return all
}

// percentage writes a ratio as a number of percent for a style.
func percentage(ratio float64) string { return strconv.FormatFloat(ratio*100, 'f', 2, 64) }
