package html

import (
	"cmp"
	"slices"
	"strconv"

	"gatecrash/reports/chart"
)

// flag is a label above the charts: a fault window or a mark. Flags that would touch each other stand in different lanes.
type flag struct {
	Class string
	Label string
	Lane  int
	Left  string // percent; "" when it is anchored at the right
	Right string

	from, to float64 // percent of the width that the text takes
}

// Room that a label takes, judged for the narrowest page (a phone), where letters are widest against the chart.
const (
	narrowWidth  = 310.0 // pixels of the chart on a phone
	letterWidth  = 6.0   // pixels
	labelMargin  = 12.0  // pixels
	maxLanes     = 4
	maxLabelText = 18 // bytes
)

// flags places the labels; one that finds no room keeps its shade or line and loses its text.
func flags(s chart.Set) ([]flag, []int) {
	var all []flag
	percentAt := func(at float64) float64 { return (at - s.From) / (s.To - s.From) * 100 }
	for _, w := range s.Windows {
		all = append(all, newFlag("fault", strconv.Itoa(w.Number)+" "+w.Name, percentAt(w.From)))
	}
	for _, m := range s.Marks {
		all = append(all, newFlag(m.Key, m.Label, percentAt(m.At)))
	}
	slices.SortStableFunc(all, func(a, b flag) int { return cmp.Compare(a.from, b.from) })
	return laned(all)
}

func newFlag(class, label string, at float64) flag {
	label = clipTo(label, maxLabelText)
	width := (float64(len([]rune(label)))*letterWidth + labelMargin) / narrowWidth * 100
	f := flag{Class: class, Label: label, Left: percentage(at / 100), from: at, to: at + width}
	if f.to > 100 {
		f.Left, f.Right = "", percentage(1-at/100)
		f.from, f.to = at-width, at
	}
	return f
}

// laned gives each flag the first lane in which it touches no other and drops those without one.
func laned(all []flag) ([]flag, []int) {
	var placed []flag
	var lanes [][]flag
	for _, f := range all {
		lane := slices.IndexFunc(lanes, func(l []flag) bool { return !slices.ContainsFunc(l, f.touches) })
		if lane < 0 && len(lanes) == maxLanes {
			continue
		}
		if lane < 0 {
			lane = len(lanes)
			lanes = append(lanes, nil)
		}
		f.Lane = lane
		lanes[lane] = append(lanes[lane], f)
		placed = append(placed, f)
	}
	return placed, make([]int, len(lanes))
}

func (f flag) touches(other flag) bool { return f.from < other.to && other.from < f.to }
