package html

import (
	"math"
	"strconv"
	"strings"

	"gatecrash/reports/chart"
)

// Size of the drawing; the page stretches it.
const (
	drawingWidth  = 2000
	drawingHeight = 400
)

// pen writes path data in whole drawing units.
type pen struct {
	from, to float64
	axis     chart.Axis
	out      strings.Builder
}

func (p *pen) x(at float64) int {
	return int(math.Round((at - p.from) / (p.to - p.from) * drawingWidth))
}

func (p *pen) y(v float64) int { return int(math.Round((1 - p.axis.Ratio(v)) * drawingHeight)) }

func (p *pen) put(verb byte, coordinates ...int) {
	p.out.WriteByte(verb)
	for i, c := range coordinates {
		if i > 0 {
			p.out.WriteByte(' ')
		}
		p.out.WriteString(strconv.Itoa(c))
	}
}

// curve draws a line through the middles of the buckets. A lone point becomes a dot: a line of no length with round ends.
func (p *pen) curve(points []chart.Point) string {
	for _, run := range chart.Stretches(points) {
		verb := byte('M')
		for _, pt := range run {
			p.put(verb, p.x(pt.X+pt.Width/2), p.y(pt.High))
			verb = 'L'
		}
		if len(run) == 1 {
			p.put('h', 0)
		}
	}
	return p.out.String()
}

// stairs draws the upper edge of the buckets.
func (p *pen) stairs(points []chart.Point) string {
	for _, run := range chart.Stretches(points) {
		p.put('M', p.x(run[0].X), p.y(run[0].High))
		p.edge(run, func(pt chart.Point) float64 { return pt.High })
	}
	return p.out.String()
}

// edge goes right along one edge of the buckets, leaving out corners where nothing changes.
func (p *pen) edge(run []chart.Point, of func(chart.Point) float64) {
	y := p.y(of(run[0]))
	for _, pt := range run {
		if next := p.y(of(pt)); next != y {
			p.put('H', p.x(pt.X))
			p.put('V', next)
			y = next
		}
	}
	end := run[len(run)-1]
	p.put('H', p.x(end.X+end.Width))
}

// area fills from Low to High.
func (p *pen) area(points []chart.Point) string {
	for _, run := range chart.Stretches(points) {
		p.put('M', p.x(run[0].X), p.y(run[0].High))
		p.edge(run, func(pt chart.Point) float64 { return pt.High })
		p.back(run)
		p.put('Z')
	}
	return p.out.String()
}

// back goes left along the lower edge.
func (p *pen) back(run []chart.Point) {
	y := p.y(run[len(run)-1].Low)
	p.put('V', y)
	for i := len(run) - 1; i >= 0; i-- {
		pt := run[i]
		if next := p.y(pt.Low); next != y {
			p.put('H', p.x(pt.X+pt.Width))
			p.put('V', next)
			y = next
		}
	}
	p.put('H', p.x(run[0].X))
}
