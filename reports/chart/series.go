package chart

import "strconv"

// crowd is who came and what they sent.
func (d *Data) crowd(b buckets) Chart {
	arrivals, visitors := d.perSecond(b, allOps, "arrivals", mean, 1)
	sent, requests := d.perSecond(b, allOps, "sent", mean, 1)
	return d.seriesEmpty(Chart{
		Name: "crowd", Title: "Arrivals and requests", Unit: "per second",
		Model: "arrivals: visitors whose planned moment fell in the second; requests: sent in the second, retries included",
		Count: count(visitors, "visitors") + ", " + count(requests, "requests"),
		Series: []Series{
			{Key: "requests", Name: "requests", Kind: Step, Points: sent},
			{Key: "arrivals", Name: "arrivals", Kind: Step, Points: arrivals},
		},
	}, "Nobody came: nothing was sent.")
}

// outcomeNames are the outcomes of a request, from the bottom of the stack.
var outcomeNames = [...]string{"ok", "refused", "failed", "unknown", "unfinished"}

// outcomes stacks what became of the requests.
func (d *Data) outcomes(b buckets) Chart {
	c := Chart{
		Name: "outcomes", Title: "Outcomes of requests", Unit: "requests per second", Stacked: true,
		Model: "every request by its outcome, in the second in which it was done; unknown: it may have happened",
	}
	total := 0.0
	var below []Point
	for _, name := range outcomeNames {
		points, n := d.perSecond(b, allOps, name, mean, 1)
		total += n
		if n == 0 && name != "ok" {
			continue
		}
		below = stack(points, below)
		c.Series = append(c.Series, Series{Key: name, Name: name + " " + grouped(n), Kind: Step, Points: below})
	}
	c.Count = count(total, "requests")
	return d.seriesEmpty(c, "Nothing was sent.")
}

// stack puts points on top of the layer below; points is changed.
func stack(points, below []Point) []Point {
	for i := range below {
		if below[i].Known {
			points[i].Low = below[i].High
			points[i].High += below[i].High
			points[i].Known = true
		}
	}
	if below == nil {
		for i := range points {
			points[i].Low = 0
		}
	}
	return points
}

// goodput is what the sale is for.
func (d *Data) goodput(b buckets) Chart {
	points, n := d.perSecond(b, allOps, "bookings", mean, 1)
	c := Chart{
		Name: "goodput", Title: "Goodput", Unit: "bookings per second",
		Model:  "bookings committed within the visitor's patience; what the resume booked after the end is left out",
		Count:  count(n, "bookings"),
		Series: []Series{{Key: "bookings", Name: "bookings", Kind: Step, Points: points}},
	}
	if n == 0 && d.missing("series.csv") == "" {
		c.Series, c.Empty = nil, "No booking was made."
	}
	return d.seriesEmpty(c, "No booking was made.")
}

// times are the response and service times of bookings.
func (d *Data) times(b buckets) Chart {
	c := Chart{
		Name: "response", Title: "Response time and service time of bookings", Unit: "milliseconds, logarithmic", Log: true,
		Model: "response time = done − intended, service time = done − sent; percentiles of the requests done in each second",
	}
	for _, s := range []Series{
		{Key: "response99", Name: "response time p99"}, {Key: "response50", Name: "response time p50"},
		{Key: "service99", Name: "service time p99", Dashed: true}, {Key: "service50", Name: "service time p50", Dashed: true},
	} {
		column := map[string]string{"response99": "response_p99_us", "response50": "response_p50_us", "service99": "service_p99_us", "service50": "service_p50_us"}[s.Key]
		s.Kind = Line
		s.Points, _ = d.perSecond(b, "book", column, worst, 1e-3)
		c.Series = append(c.Series, s)
	}
	done := 0.0
	for _, name := range outcomeNames[:4] {
		_, n := d.perSecond(b, "book", name, mean, 1)
		done += n
	}
	c.Count = count(done, "booking requests done")
	return d.seriesEmpty(c, "No booking was requested.")
}

func count(n float64, what string) string { return grouped(n) + " " + what }

// grouped writes a whole number with commas between thousands.
func grouped(n float64) string {
	digits := strconv.FormatFloat(n, 'f', 0, 64)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
