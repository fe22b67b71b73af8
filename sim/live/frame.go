package live

import (
	"fmt"
	"strings"
	"time"

	"gatecrash/sim/result"
)

// Frame is a run at one moment.
type Frame struct {
	Scenario string
	Stage    string        // what the run is doing: Crowd, or a few words for before and after
	At       time.Duration // since the run's zero; before it negative
	Planned  int64         // visitors
	Started  int64
	Left     int64
	InFlight int64
	Rate     float64           // visitors per second, of late
	Goodput  float64           // bookings per second, of late
	Requests []result.Requests // so far, by operation
	P50, P99 time.Duration     // response time of late
	Sales    []Sale
	Faults   []result.FaultWindow
}

// Sale is one sale at one moment.
type Sale struct {
	Name     string
	Open     bool
	Capacity int64
	Free     int64 // by the truth, as last read
	Known    bool  // false: the drift is unknown
	Low      int64 // drift, lowest and highest, in seats
	High     int64
}

// Lines draws the block for a terminal of this width: no line is wider, and what does not fit goes on in the next.
func (f Frame) Lines(width int) []string {
	var lines []string
	for _, r := range f.rows() {
		lines = append(lines, r.flow(width)...)
	}
	return lines
}

// rows of the block, before they are fitted to a width.
func (f Frame) rows() []row {
	rows := []row{{ink: bold, parts: f.heading()}}
	if f.Planned > 0 {
		rows = append(rows,
			row{label: "crowd", parts: []string{fmt.Sprintf("%d of %d came", f.Started, f.Planned), fmt.Sprintf("%.0f/s", f.Rate), fmt.Sprintf("%d left", f.Left), fmt.Sprintf("%d in flight", f.InFlight)}},
			row{label: "goodput", parts: []string{fmt.Sprintf("%.0f bookings/s", f.Goodput), "response time p50 " + short(f.P50), "p99 " + short(f.P99)}},
			row{label: "answers", parts: f.outcomes()})
	}
	for _, s := range f.Sales {
		rows = append(rows, s.row())
	}
	for _, w := range f.Faults {
		rows = append(rows, faultRow(w))
	}
	return rows
}

// Crowd is the stage in which figures move.
const Crowd = "crowd"

// with takes the figures of an earlier frame where this one has none, as after the crowd.
func (f Frame) with(before Frame) Frame {
	if f.Planned > 0 {
		return f
	}
	before.Scenario, before.Stage, before.At = f.Scenario, f.Stage, f.At
	return before
}

// phase says more of the crowd's time: whether seats can be had and whether a fault is in force. Whether a run has recovered is only known afterwards.
func (f Frame) phase() string {
	if f.Stage != Crowd || len(f.Sales) == 0 {
		return f.Stage
	}
	phase := "warm-up"
	for _, s := range f.Sales {
		switch {
		case s.Open && s.Free > 0:
			phase = "open"
		case s.Open && phase == "warm-up":
			phase = "sold out"
		}
	}
	for _, w := range f.Faults {
		if w.Applied && !w.Healed {
			phase += ", fault"
			break
		}
	}
	return f.Stage + ": " + phase
}

// Plain is the frame in one line, for a log.
func (f Frame) Plain() string {
	parts := []string{f.title()}
	if f.Planned > 0 {
		parts = append(parts, fmt.Sprintf("came %d/%d", f.Started, f.Planned), fmt.Sprintf("goodput %.0f/s", f.Goodput), fmt.Sprintf("p99 %s", short(f.P99)))
	}
	for _, s := range f.Sales {
		parts = append(parts, fmt.Sprintf("%s %d/%d free, drift %s", s.Name, s.Free, s.Capacity, s.drift()))
	}
	for _, w := range f.Faults {
		if w.Applied && !w.Healed {
			parts = append(parts, "fault "+w.Name)
		}
	}
	return strings.Join(parts, " | ")
}

func (f Frame) title() string {
	return strings.Join(f.heading(), "  ")
}

// heading is which run, when, and what it does; before the run's zero is fixed there is no when.
func (f Frame) heading() []string {
	if f.At == 0 && f.Stage != Crowd {
		return []string{f.Scenario, f.phase()}
	}
	return []string{f.Scenario, clock(f.At), f.phase()}
}

// outcomes adds the answers of all operations up.
func (f Frame) outcomes() []string {
	var sum result.Requests
	for _, r := range f.Requests {
		sum.Ok, sum.Refused, sum.Failed, sum.Unknown = sum.Ok+r.Ok, sum.Refused+r.Refused, sum.Failed+r.Failed, sum.Unknown+r.Unknown
	}
	return []string{fmt.Sprintf("%d ok", sum.Ok), fmt.Sprintf("%d refused", sum.Refused), fmt.Sprintf("%d failed", sum.Failed), fmt.Sprintf("%d unknown", sum.Unknown)}
}

func (s Sale) row() row {
	r := row{label: "sale", parts: []string{s.Name, bar(s.Free, s.Capacity), fmt.Sprintf("%d of %d seats left", s.Free, s.Capacity), "drift " + s.drift()}}
	switch {
	case !s.Open:
		r.parts = append(r.parts, "not open")
	case s.Free == 0:
		r.parts, r.ink = append(r.parts, "sold out"), green
	}
	return r
}

func (s Sale) drift() string {
	switch {
	case !s.Known:
		return "unknown"
	case s.Low == s.High:
		return fmt.Sprintf("%+d", s.Low)
	}
	return fmt.Sprintf("%+d..%+d", s.Low, s.High)
}

func faultRow(w result.FaultWindow) row {
	r := row{label: "fault", parts: []string{w.Name, w.Inject}, ink: dim}
	switch {
	case w.Error != "":
		r.parts, r.ink = append(r.parts, w.Error), red
	case w.Healed:
		r.parts = append(r.parts, "healed at "+clock(time.Duration(w.HealedNS)))
	case w.Applied:
		r.parts, r.ink = append(r.parts, "in force since "+clock(time.Duration(w.AppliedNS))), red
	default:
		r.parts = append(r.parts, "waits: "+w.Planned)
	}
	return r
}

// barWidth is how many characters stand for a sale's capacity.
const barWidth = 20

func bar(part, whole int64) string {
	n := 0
	if whole > 0 {
		n = int((part*barWidth + whole - 1) / whole)
	}
	n = min(max(n, 0), barWidth)
	return "[" + strings.Repeat("#", n) + strings.Repeat(".", barWidth-n) + "]"
}

func clock(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// short is a time in the unit that people read it in.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < time.Millisecond:
		return fmt.Sprintf("%d us", d.Microseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
