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
	Stage    string        // what the run is doing: "servers", "crowd", "end of run", ...
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

// Lines draws the block for a terminal of this width.
func (f Frame) Lines(width int) []string {
	lines := []string{f.title()}
	if f.Planned > 0 {
		lines = append(lines,
			fmt.Sprintf("crowd    %d of %d came, %d left, %d in flight, %.0f/s", f.Started, f.Planned, f.Left, f.InFlight, f.Rate),
			fmt.Sprintf("goodput  %.0f bookings/s   response p50 %s  p99 %s", f.Goodput, short(f.P50), short(f.P99)),
			"answers  "+f.outcomes())
	}
	for _, s := range f.Sales {
		lines = append(lines, s.line())
	}
	for _, w := range f.Faults {
		lines = append(lines, faultLine(w))
	}
	for i, l := range lines {
		lines[i] = fit(l, width)
	}
	return lines
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
	return fmt.Sprintf("%s  %s  %s", f.Scenario, clock(f.At), f.Stage)
}

// outcomes adds the answers of all operations up.
func (f Frame) outcomes() string {
	var sum result.Requests
	for _, r := range f.Requests {
		sum.Ok, sum.Refused, sum.Failed, sum.Unknown = sum.Ok+r.Ok, sum.Refused+r.Refused, sum.Failed+r.Failed, sum.Unknown+r.Unknown
	}
	return fmt.Sprintf("%d ok, %d refused, %d failed, %d unknown", sum.Ok, sum.Refused, sum.Failed, sum.Unknown)
}

func (s Sale) line() string {
	state := "not open"
	switch {
	case s.Open && s.Free == 0:
		state = "sold out"
	case s.Open:
		state = "open"
	}
	return fmt.Sprintf("sale     %s  %s  %d of %d seats left  %s  drift %s", s.Name, bar(s.Free, s.Capacity), s.Free, s.Capacity, state, s.drift())
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

func faultLine(w result.FaultWindow) string {
	state := "waits: " + w.Planned
	switch {
	case w.Error != "":
		state = w.Error
	case w.Healed:
		state = "healed at " + clock(time.Duration(w.HealedNS))
	case w.Applied:
		state = "since " + clock(time.Duration(w.AppliedNS))
	}
	return fmt.Sprintf("fault    %s (%s)  %s", w.Name, w.Inject, state)
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

// fit cuts a line to the terminal's width, so that redrawing in place never meets a wrapped line.
func fit(line string, width int) string {
	if width <= 0 || len(line) <= width {
		return line
	}
	return line[:width]
}
