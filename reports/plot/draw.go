package plot

import (
	"image/color"
	"math"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gatecrash/reports/chart"
)

// picture draws one chart.
func picture(title string, set chart.Set, c chart.Chart) (*gonum.Plot, error) {
	p := gonum.New()
	p.Title.Text, p.Title.Padding = title, vg.Points(6)
	p.Title.TextStyle.Font.Variant, p.Title.TextStyle.Font.Size = "Sans", vg.Points(12)
	p.X.Label.Text, p.Y.Label.Text = "seconds since the first planned arrival", c.Unit
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font} {
		f.Variant, f.Size = "Sans", vg.Points(9)
	}
	axes(p, set, c)
	grid := plotter.NewGrid()
	grid.Vertical.Width, grid.Horizontal.Color = 0, color.Gray{Y: 225}
	p.Add(background{set: set, gaps: c.Gaps}, grid)
	if c.Empty != "" {
		p.Add(message(c.Empty))
		return p, nil
	}
	for _, s := range c.Series {
		if err := add(p, s, c.Stacked, p.Y.Min); err != nil {
			return nil, err
		}
	}
	p.Legend.Top, p.Legend.Padding = true, vg.Points(2)
	return p, nil
}

// axes fixes both ranges, so that all pictures of a run have the same time axis.
func axes(p *gonum.Plot, set chart.Set, c chart.Chart) {
	a := c.Axis()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = set.From, set.To, a.Low, a.High
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker = ticks(set.TimeTicks())
	p.Y.Tick.Marker = ticks(a.Ticks())
	if a.Log {
		p.Y.Scale = gonum.LogScale{}
	}
}

// ticks are labelled as plain numbers.
func ticks(at []float64) gonum.ConstantTicks {
	var all gonum.ConstantTicks
	for _, v := range at {
		all = append(all, gonum.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return all
}

// add puts a series into the picture and its legend.
func add(p *gonum.Plot, s chart.Series, stacked bool, floor float64) error {
	ink := colours()[s.Key]
	filled := stacked || s.Kind == chart.Band
	var thumb gonum.Thumbnailer
	for _, run := range chart.Stretches(s.Points) {
		drawn, err := shape(run, s, filled, floor, ink)
		if err != nil {
			return err
		}
		p.Add(drawn)
		thumb = drawn
	}
	if thumb != nil {
		p.Legend.Add(s.Name, thumb)
	}
	return nil
}

// inked is what can be drawn and shown in a legend.
type inked interface {
	gonum.Plotter
	gonum.Thumbnailer
}

func shape(run []chart.Point, s chart.Series, filled bool, floor float64, ink color.NRGBA) (inked, error) {
	if filled {
		polygon, err := plotter.NewPolygon(outline(run))
		if err != nil {
			return nil, err
		}
		fill := ink
		if s.Kind == chart.Band {
			fill.A = 80
		}
		polygon.Color, polygon.LineStyle = fill, draw.LineStyle{Color: ink, Width: vg.Points(0.8)}
		return polygon, nil
	}
	line, err := plotter.NewLine(edge(run, s.Kind, floor))
	if err != nil {
		return nil, err
	}
	line.Color, line.Width = ink, vg.Points(1.4)
	if s.Dashed {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)} // where both times are the same, both are seen
	}
	return line, nil
}

// edge is the upper edge of the buckets, or a line through their middles; a lone bucket of a line is as wide as it lasted.
func edge(run []chart.Point, kind chart.Kind, floor float64) plotter.XYs {
	var xys plotter.XYs
	for _, pt := range run {
		y := max(pt.High, floor)
		if kind == chart.Line && len(run) > 1 {
			xys = append(xys, plotter.XY{X: pt.X + pt.Width/2, Y: y})
			continue
		}
		xys = append(xys, plotter.XY{X: pt.X, Y: y}, plotter.XY{X: pt.X + pt.Width, Y: y})
	}
	return xys
}

// outline goes along the upper edge and back along the lower one.
func outline(run []chart.Point) plotter.XYs {
	xys := edge(run, chart.Step, math.Inf(-1))
	for i := len(run) - 1; i >= 0; i-- {
		pt := run[i]
		xys = append(xys, plotter.XY{X: pt.X + pt.Width, Y: pt.Low}, plotter.XY{X: pt.X, Y: pt.Low})
	}
	return xys
}
