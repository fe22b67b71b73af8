package plot

import (
	"image/color"
	"math"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

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
	p.Add(background{set: set, gaps: c.Gaps})
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
	p.X.Min, p.X.Max = set.From, set.To
	p.Y.Min, p.Y.Max = c.Bottom(), c.Top()
	switch {
	case c.Log:
		logAxis(&p.Y)
	case c.Zero && p.Y.Max-p.Y.Min < 2:
		p.Y.Min, p.Y.Max = min(p.Y.Min, -1), max(p.Y.Max, 1)
	case p.Y.Max <= p.Y.Min:
		p.Y.Max = p.Y.Min + 1
	}
}

// logAxis covers whole decades.
func logAxis(y *gonum.Axis) {
	if y.Min <= 0 {
		y.Min, y.Max = 1, 10
	}
	y.Min = math.Pow(10, math.Floor(math.Log10(y.Min)))
	y.Max = max(math.Pow(10, math.Ceil(math.Log10(y.Max))), y.Min*10)
	y.Scale = gonum.LogScale{}
	y.Tick.Marker = gonum.TickerFunc(decades)
}

// decades are the ticks of a logarithmic axis, labelled at powers of ten.
func decades(low, high float64) []gonum.Tick {
	var ticks []gonum.Tick
	for v := low; v <= high*1.001; v *= 10 {
		ticks = append(ticks, gonum.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
		for m := 2.0; m < 10 && v*m < high; m++ {
			ticks = append(ticks, gonum.Tick{Value: v * m})
		}
	}
	return ticks
}

// add puts a series into the picture and its legend.
func add(p *gonum.Plot, s chart.Series, stacked bool, floor float64) error {
	ink := colours()[s.Key]
	filled := stacked || s.Kind == chart.Band
	var thumb gonum.Thumbnailer
	for _, run := range chart.Stretches(s.Points) {
		drawn, err := shape(run, s.Kind, filled, floor, ink)
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

func shape(run []chart.Point, kind chart.Kind, filled bool, floor float64, ink color.NRGBA) (inked, error) {
	if filled {
		polygon, err := plotter.NewPolygon(outline(run))
		if err != nil {
			return nil, err
		}
		fill := ink
		if kind == chart.Band {
			fill.A = 80
		}
		polygon.Color, polygon.LineStyle.Color, polygon.LineStyle.Width = fill, ink, vg.Points(0.8)
		return polygon, nil
	}
	line, err := plotter.NewLine(edge(run, kind, floor))
	if err != nil {
		return nil, err
	}
	line.LineStyle.Color, line.LineStyle.Width = ink, vg.Points(1.4)
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
