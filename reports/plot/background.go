package plot

import (
	"fmt"
	"image/color"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gatecrash/reports/chart"
)

// colours of series by key.
func colours() map[string]color.NRGBA {
	return map[string]color.NRGBA{
		"arrivals": {20, 102, 184, 255}, "requests": {140, 152, 165, 255},
		"ok": {42, 145, 97, 255}, "refused": {169, 180, 192, 255}, "failed": {207, 63, 53, 255}, "unknown": {134, 82, 181, 255}, "unfinished": {58, 67, 78, 255},
		"bookings": {42, 145, 97, 255}, "truth": {58, 67, 78, 255}, "should": {106, 174, 232, 255}, "gate": {198, 93, 0, 255}, "drift": {20, 102, 184, 255},
		"response99": {20, 102, 184, 255}, "response50": {106, 174, 232, 255}, "service99": {198, 93, 0, 255}, "service50": {235, 168, 96, 255},
	}
}

// Colours of what lies behind the series.
func faultColour() color.Color { return color.NRGBA{198, 60, 40, 36} }
func labelColour() color.Color { return color.NRGBA{163, 48, 31, 255} }
func gapColour() color.Color   { return color.NRGBA{120, 130, 140, 60} }
func markColour() color.Color  { return color.NRGBA{91, 103, 117, 255} }

// background draws fault windows, gaps and marks over the whole height.
type background struct {
	set  chart.Set
	gaps []chart.Gap
}

var _ gonum.Plotter = background{}

// Plot implements plot.Plotter.
func (b background) Plot(c draw.Canvas, p *gonum.Plot) {
	x, _ := p.Transforms(&c)
	for _, g := range b.gaps {
		shade(c, x(g.From), x(g.To), gapColour())
	}
	for i, w := range b.set.Windows {
		shade(c, x(w.From), x(w.To), faultColour())
		label(c, p, x(w.From), i, fmt.Sprintf("%d %s", w.Number, w.Name), labelColour())
	}
	for i, m := range b.set.Marks {
		at := x(m.At)
		c.StrokeLine2(draw.LineStyle{Color: markColour(), Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}, at, c.Min.Y, at, c.Max.Y)
		label(c, p, at, len(b.set.Windows)+i, m.Label, markColour())
	}
}

// shade fills the whole height, at least a point wide.
func shade(c draw.Canvas, from, to vg.Length, with color.Color) {
	to = max(to, from+vg.Points(1))
	c.FillPolygon(with, []vg.Point{{X: from, Y: c.Min.Y}, {X: from, Y: c.Max.Y}, {X: to, Y: c.Max.Y}, {X: to, Y: c.Min.Y}})
}

// labelRows is how many rows the labels take turns in, so that neighbours do not cover each other.
const labelRows = 4

// label writes beside a place, at its left where the right has no room.
func label(c draw.Canvas, p *gonum.Plot, at vg.Length, n int, what string, ink color.Color) {
	style := text.Style{Color: ink, Font: p.X.Tick.Label.Font, Handler: p.TextHandler, YAlign: draw.YTop}
	style.Font.Size = vg.Points(8)
	at += vg.Points(2)
	if at+style.Width(what) > c.Max.X {
		style.XAlign = draw.XRight
		at -= vg.Points(4)
	}
	c.FillText(style, vg.Point{X: at, Y: c.Max.Y - vg.Points(10)*vg.Length(n%labelRows)}, what)
}

// message says in the middle of an empty picture why it is empty.
type message string

var _ gonum.Plotter = message("")

// Plot implements plot.Plotter.
func (m message) Plot(c draw.Canvas, p *gonum.Plot) {
	style := text.Style{Color: markColour(), Font: p.X.Label.TextStyle.Font, Handler: p.TextHandler, XAlign: draw.XCenter, YAlign: draw.YCenter}
	style.Font.Size = vg.Points(11)
	c.FillText(style, c.Center(), string(m))
}
