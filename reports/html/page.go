package html

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"gatecrash/reports/chart"
	"gatecrash/sim/result"
)

// page is everything the template prints.
type page struct {
	Style    template.CSS
	Script   template.JS
	Title    string
	Scenario string
	Question string
	Verdict  verdict
	Tiles    []tile
	Facts    []fact
	Missing  []chart.Missing
	WhyTitle string
	Why      []checkRow
	Again    string // the command that plays the same plan
	Frame    frame
	Charts   []drawn
	Notes    []string
	Groups   []checkGroup
	Tables   []table
	Reading  reading
}

// verdict is the head of the page.
type verdict struct {
	Class, Word, Reason string
	Notes               []string
}

// tile is a key figure; Class is "", "good" or "bad".
type tile struct{ Label, Value, Note, Class string }

// fact is one line of the identity of the run.
type fact struct{ Name, Value string }

func newPage(dir result.Dir, d *chart.Data) page {
	set := d.Charts()
	p := page{
		Style: template.CSS(pageStyle), Script: template.JS(pageScript), // both are files of this package
		Scenario: scenarioOf(d), Question: clip(d.Result.Question), Verdict: verdictOf(d), Facts: facts(d), Missing: d.Missing,
		Frame: newFrame(set), Notes: set.Notes, Why: decisive(d.Result.Checks), Again: clip(d.Result.Environment.Command), Groups: checkGroups(d.Result.Checks),
		Reading: newReading(set),
	}
	p.WhyTitle = "Why"
	if d.Result.Verdict == result.Pass {
		p.WhyTitle = "Could not be checked"
	}
	p.Title = p.Scenario + ": " + p.Verdict.Word
	if d.HasResult {
		p.Tiles = tiles(d)
	}
	for _, c := range set.Charts {
		p.Charts = append(p.Charts, draw(c, set, d.Seed()))
	}
	p.Tables = tables(dir, d)
	return p
}

func scenarioOf(d *chart.Data) string {
	if d.HasResult {
		return clip(d.Result.Scenario)
	}
	return orNone(d.Run.Scenario)
}

// verdictOf is the run's verdict; without result.json there is none, and the page says how to get it.
func verdictOf(d *chart.Data) verdict {
	if !d.HasResult {
		return verdict{Class: "inconclusive", Word: "no verdict", Reason: "This run was never judged: result.json " + lastWhy(d.Missing, result.FileResult) + ".",
			Notes: []string{"The command “gatecrash check” with this directory judges what was recorded."}}
	}
	r := d.Result
	v := verdict{Class: string(r.Verdict), Word: string(r.Verdict), Reason: clip(r.Reason)}
	if severity(r.Verdict) == 0 && r.Verdict != result.Fail {
		v.Class = "inconclusive"
	}
	if r.Interrupted {
		v.Notes = append(v.Notes, "The run was interrupted: the verdict is on what was seen until then.")
	}
	if d.Run.Broke != "" {
		v.Notes = append(v.Notes, "The environment broke: "+clip(d.Run.Broke))
	}
	if r.TailLost > 0 {
		v.Notes = append(v.Notes, whole(r.TailLost)+" bytes of a torn last record were cut.")
	}
	if r.Expected != "" && r.Expected != string(result.Pass) {
		v.Notes = append(v.Notes, fmt.Sprintf("The scenario expects %s; the command ended with exit code %d.", clip(r.Expected), r.Exit))
	}
	return v
}

func lastWhy(missing []chart.Missing, file string) string {
	for _, m := range missing {
		if m.File == file {
			return m.Why
		}
	}
	return "is not there"
}

// facts identify the run.
func facts(d *chart.Data) []fact {
	r := d.Result
	if !d.HasResult {
		r = result.Result{RunID: d.Run.RunID, Seed: d.Run.Seed, Scale: d.Run.Scale, PlanHash: d.Run.PlanHash, Started: d.Run.Started, DurationMS: d.Run.EndMS}
	}
	all := []fact{
		{"Scenario", scenarioOf(d)}, {"Seed", strconv.FormatUint(r.Seed, 10)}, {"Scale", strconv.FormatFloat(r.Scale, 'g', -1, 64)},
		{"Run", orNone(r.RunID)}, {"Plan", clipTo(orNone(r.PlanHash), 19)},
	}
	if !r.Started.IsZero() {
		all = append(all, fact{"Started", r.Started.UTC().Format(time.DateTime) + " UTC"})
	}
	return append(all, fact{"Crowd's time", since(r.DurationMS)})
}

// tiles are the figures that the owner of a sale asks for first.
func tiles(d *chart.Data) []tile {
	r := d.Result
	return []tile{soldTile(d), twiceTile(r.Checks), visitorsTile(r.Balance.Visitors), goodputTile(r.Goodput), timeTile(r.Times), driftTile(r.Drift), refusedTile(r.Sales), faultsTile(r.Faults)}
}

func soldTile(d *chart.Data) tile {
	var sold, capacity int64
	out := int64(-1)
	for _, s := range d.Result.Sales {
		sold, capacity, out = sold+s.SeatsSold, capacity+s.Capacity, max(out, s.SoldOutMS)
	}
	t := tile{Label: "Seats sold", Value: whole(sold) + " of " + whole(capacity), Note: "not sold out"}
	if capacity == 0 {
		return tile{Label: "Seats sold", Value: none, Note: "no sale was read"}
	}
	if out >= 0 && sold >= capacity {
		t.Note = "sold out at " + since(out)
		if len(d.Run.OpenedMS) == 1 && d.Run.OpenedMS[0] >= 0 {
			t.Note = "sold out " + since(out-d.Run.OpenedMS[0]) + " after the opening"
		}
	}
	return t
}

// twiceTile answers the question of the house from the check that decides it.
func twiceTile(checks []result.Check) tile {
	t := tile{Label: "A seat sold twice?", Value: "not known", Note: "no_oversell was not checked"}
	for _, c := range checks {
		if c.Name != "no_oversell" {
			continue
		}
		t.Note = plural(c.Samples, "version", "versions") + " checked"
		switch c.Verdict {
		case result.Pass:
			t.Value, t.Class = "no", "good"
		case result.Fail:
			t.Value, t.Class = "yes", "bad"
		default:
			t.Note = string(c.Verdict) + ", " + t.Note
		}
	}
	return t
}

func visitorsTile(v result.Visitors) tile {
	parts := []string{whole(v.Booked) + " booked", whole(v.Refused) + " refused", whole(v.GaveUp) + " gave up"}
	if v.Unfinished > 0 {
		parts = append(parts, whole(v.Unfinished)+" unfinished")
	}
	if v.NotStarted > 0 {
		parts = append(parts, whole(v.NotStarted)+" never started")
	}
	return tile{Label: "Visitors", Value: whole(v.Started), Note: strings.Join(parts, ", ")}
}

func goodputTile(all []result.Goodput) tile {
	for _, phase := range []string{"steady", "all"} {
		for _, g := range all {
			if g.Phase == phase && g.Bookings > 0 {
				return tile{Label: "Goodput", Value: figure(g.PerSec) + " /s", Note: "bookings, " + phase + ", n = " + whole(g.Bookings)}
			}
		}
	}
	return tile{Label: "Goodput", Value: none, Note: "no booking was made"}
}

func timeTile(all []result.Times) tile {
	for _, t := range all {
		if t.Op == "book" && t.Phase == "all" && t.Response.N > 0 {
			return tile{Label: "Response time of bookings", Value: micros(t.Response.P99), Note: "p99; p50 " + micros(t.Response.P50) + ", n = " + whole(t.Response.N)}
		}
	}
	return tile{Label: "Response time of bookings", Value: none, Note: "no booking was requested"}
}

func driftTile(all []result.Drift) tile {
	var surplus, leak, final, samples int64
	known := len(all) > 0
	for _, d := range all {
		surplus, leak, samples = max(surplus, d.MaxSurplus), max(leak, d.MaxLeak), samples+d.Samples
		known = known && d.FinalKnown
		if abs(d.Final) > abs(final) {
			final = d.Final
		}
	}
	t := tile{Label: "Drift of the gate at the end", Value: signed(final), Note: fmt.Sprintf("at worst surplus %s, leak %s seats, n = %s", whole(surplus), whole(leak), whole(samples))}
	if !known {
		t.Value = "not known"
	}
	return t
}

// refusedTile counts the buyers that a leaking gate turned away while there were seats.
func refusedTile(all []result.Sale) tile {
	n := int64(0)
	for _, s := range all {
		n += s.WronglyRefused
	}
	t := tile{Label: "Buyers wrongly refused", Value: whole(n), Note: "by the gate, while seats were free"}
	if n > 0 {
		t.Class = "bad"
	}
	if len(all) == 0 {
		t.Value = "not known"
	}
	return t
}

func abs(n int64) int64 { return max(n, -n) }

func faultsTile(all []result.Fault) tile {
	if len(all) == 0 {
		return tile{Label: "Faults", Value: "none", Note: "the scenario plans none"}
	}
	proven, slowest, open := 0, int64(0), 0
	for _, f := range all {
		if f.Proven {
			proven++
		}
		if f.RecoveryMS < 0 {
			open++
		}
		slowest = max(slowest, f.RecoveryMS)
	}
	t := tile{Label: "Faults proven", Value: fmt.Sprintf("%d of %d", proven, len(all)), Note: "slowest recovery " + since(slowest)}
	if open > 0 {
		t.Note = fmt.Sprintf("%d without a measured recovery", open)
	}
	return t
}
