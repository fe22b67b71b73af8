package html

import (
	"math"
	"strconv"

	"gatecrash/reports/chart"
)

// reading is what the script needs to show the figures at the pointer: small, bounded by reports/chart.
type reading struct {
	From   float64         `json:"from"`
	To     float64         `json:"to"`
	Charts []readingCharts `json:"charts"`
}

type readingCharts struct {
	Name   string          `json:"name"`
	Series []readingSeries `json:"series"`
}

// readingSeries has its values as text by bucket; "" is a gap.
type readingSeries struct {
	At     float64  `json:"at"` // start of the first bucket, seconds
	Width  float64  `json:"width"`
	Values []string `json:"values"`
}

func newReading(s chart.Set) reading {
	r := reading{From: s.From, To: s.To, Charts: []readingCharts{}}
	for _, c := range s.Charts {
		rc := readingCharts{Name: c.Name, Series: []readingSeries{}}
		for _, series := range c.Series {
			rc.Series = append(rc.Series, newReadingSeries(c, series))
		}
		r.Charts = append(r.Charts, rc)
	}
	return r
}

func newReadingSeries(c chart.Chart, s chart.Series) readingSeries {
	rs := readingSeries{Values: []string{}}
	if len(s.Points) > 0 {
		rs.At, rs.Width = rounded(s.Points[0].X), rounded(s.Points[0].Width)
	}
	for _, p := range s.Points {
		rs.Values = append(rs.Values, readingValue(c, s, p))
	}
	return rs
}

func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func readingValue(c chart.Chart, s chart.Series, p chart.Point) string {
	switch {
	case !p.Known:
		return ""
	case c.Log:
		return micros(int64(p.High * 1e3))
	case c.Stacked:
		return figure(p.High - p.Low)
	case s.Kind == chart.Band && p.Low != p.High:
		return bound(p.Low) + " … " + bound(p.High)
	default:
		return figure(p.High)
	}
}

func bound(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
