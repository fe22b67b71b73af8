package html

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"gatecrash/reports/chart"
	"gatecrash/sim/result"
)

// table is one table of figures. On narrow pages each row becomes a block with the heads as labels.
type table struct {
	ID, Title, Note string
	Head            []string
	Rows            [][]cell
	Empty           string
}

// cell is one field; Number aligns it right, Class is a verdict's or "".
type cell struct {
	Head   string // filled in by done
	Text   string
	Lines  []string
	Class  string
	Number bool
}

func text(s string) cell { return cell{Text: orNone(s)} }

func number(s string) cell { return cell{Text: s, Number: true} }

func integer(n int64) cell { return number(whole(n)) }

// done bounds the rows and labels the cells.
func (t table) done() table {
	if len(t.Rows) > maxRows {
		t.Note += fmt.Sprintf(" The first %d of %s rows.", maxRows, whole(int64(len(t.Rows))))
		t.Rows = t.Rows[:maxRows]
	}
	for _, row := range t.Rows {
		for i := range row {
			row[i].Head = t.Head[i]
		}
	}
	return t
}

func tables(dir result.Dir, d *chart.Data) []table {
	r := &d.Result
	all := []table{faultTable(d), visitorTable(r), requestTable(r), timesTable(r), goodputTable(r), saleTable(r), driftTable(r), contenderTable(r),
		generatorTable(r), environmentTable(d), settingsTable(d), findingTable(r), fileTable(dir)}
	for i := range all {
		all[i] = all[i].done()
	}
	return all
}

func faultTable(d *chart.Data) table {
	t := table{ID: "faults", Title: "Faults", Head: []string{"#", "fault", "from", "to", "evidence", "requests touched", "recovery"}, Empty: "The scenario plans no fault.",
		Note: "The number is the one in the charts. Recovery counts from the healing."}
	for i, f := range d.Result.Faults {
		t.Rows = append(t.Rows, faultRow(i+1, f))
	}
	if len(t.Rows) > 0 {
		return t
	}
	for i, w := range d.Faults {
		f := result.Fault{Name: w.Name, Inject: w.Inject, Applied: w.Applied, Healed: w.Healed, AppliedMS: w.AppliedNS / 1e6, HealedMS: w.HealedNS / 1e6, Evidence: w.Evidence, Proven: w.Proven, RecoveryMS: -1, Error: w.Error}
		t.Rows = append(t.Rows, faultRow(i+1, f))
	}
	return t
}

func faultRow(n int, f result.Fault) []cell {
	from, to := "never applied", none
	if f.Applied {
		from, to = since(f.AppliedMS), "never healed"
	}
	if f.Healed {
		to = since(f.HealedMS)
	}
	evidence := cell{Lines: clipAll(f.Evidence), Class: "good", Text: "proven"}
	if !f.Proven {
		evidence.Class, evidence.Text = "bad", "not proven"
	}
	if f.Error != "" {
		evidence.Lines = append(evidence.Lines, clip(f.Error))
	}
	recovery := f.Recovery
	if f.RecoveryMS >= 0 {
		recovery += " after " + since(f.RecoveryMS)
	}
	return []cell{number(strconv.Itoa(n)), {Text: clip(f.Name), Lines: []string{clip(f.Inject)}}, number(from), number(to), evidence, integer(f.Touched), text(recovery)}
}

func visitorTable(r *result.Result) table {
	v := r.Balance.Visitors
	t := table{ID: "visitors", Title: "Balance of visitors", Head: []string{"planned", "not started", "started", "booked", "refused", "gave up", "unfinished"},
		Note: "planned = started + not started; started = booked + refused + gave up + unfinished."}
	t.Note += balanced(v.Planned == v.Started+v.NotStarted && v.Started == v.Booked+v.Refused+v.GaveUp+v.Unfinished)
	t.Rows = [][]cell{{integer(v.Planned), integer(v.NotStarted), integer(v.Started), integer(v.Booked), integer(v.Refused), integer(v.GaveUp), integer(v.Unfinished)}}
	return t
}

func balanced(holds bool) string {
	if holds {
		return " It holds."
	}
	return " IT DOES NOT HOLD."
}

func requestTable(r *result.Result) table {
	t := table{ID: "requests", Title: "Balance of requests", Head: []string{"operation", "sent", "ok", "refused", "failed", "unknown", "unfinished"}, Empty: "Nothing was sent.",
		Note: "sent = ok + refused + failed + unknown + unfinished. Failed certainly did not happen; unknown may have happened."}
	holds := true
	for _, q := range r.Balance.Requests {
		holds = holds && q.Sent == q.Ok+q.Refused+q.Failed+q.Unknown+q.Unfinished
		t.Rows = append(t.Rows, []cell{text(q.Op), integer(q.Sent), integer(q.Ok), integer(q.Refused), integer(q.Failed), integer(q.Unknown), integer(q.Unfinished)})
	}
	t.Note += balanced(holds)
	return t
}

func timesTable(r *result.Result) table {
	t := table{ID: "times", Title: "Times", Head: []string{"operation", "phase", "time", "n", "mean", "p50", "p90", "p95", "p99", "p99.9", "max", "never answered"}, Empty: "No request was answered.",
		Note: "Response time = done − intended, what the visitor waits; service time = done − sent, what the system took. A request that was never answered counts with its age at the end, so that high percentiles are then lower bounds."}
	for _, x := range r.Times {
		t.Rows = append(t.Rows, timesRow(x, "response", x.Response), timesRow(x, "service", x.Service))
	}
	return t
}

func timesRow(x result.Times, kind string, p result.Percentiles) []cell {
	row := []cell{text(x.Op), text(x.Phase), {Text: kind, Class: kind}, integer(p.N)}
	for _, us := range []int64{int64(p.Mean + 0.5), p.P50, p.P90, p.P95, p.P99, p.P999, p.Max} {
		if p.N == 0 {
			row = append(row, number(none))
			continue
		}
		row = append(row, number(micros(us)))
	}
	last := whole(p.Censored)
	if p.Clamped > 0 {
		last += fmt.Sprintf(" (%s above the histogram's range)", whole(p.Clamped))
	}
	return append(row, number(last))
}

func goodputTable(r *result.Result) table {
	t := table{ID: "goodput", Title: "Goodput by phase", Head: []string{"phase", "seconds", "bookings", "bookings per second"}, Empty: "No phase was measured.",
		Note: "Bookings committed within the visitor's patience."}
	for _, g := range r.Goodput {
		t.Rows = append(t.Rows, []cell{text(g.Phase), number(figure(g.Seconds)), integer(g.Bookings), number(figure(g.PerSec))})
	}
	return t
}

func saleTable(r *result.Result) table {
	t := table{ID: "sales", Title: "Sales", Head: []string{"sale", "capacity", "seats sold", "booked by the resume", "free", "bookings", "cancelled", "version", "sold out", "wrongly refused"}, Empty: "No sale was read.",
		Note: "The resume asks every unknown booking again after the end; what it books is not part of goodput."}
	for _, s := range r.Sales {
		out := "never"
		if s.SoldOutMS >= 0 {
			out = since(s.SoldOutMS)
		}
		t.Rows = append(t.Rows, []cell{text(s.Name), integer(s.Capacity), integer(s.SeatsSold), integer(s.SeatsResumed), integer(s.Free), integer(s.Bookings), integer(s.Cancelled), integer(s.Version), number(out), integer(s.WronglyRefused)})
	}
	return t
}

func driftTable(r *result.Result) table {
	t := table{ID: "drift", Title: "Drift of the gate", Head: []string{"sale", "samples", "not known", "most surplus", "most leak", "in surplus", "in leak", "longest surplus", "longest leak", "oldest debit", "final", "wrongly refused"}, Empty: "The gate was never sampled.",
		Note: "Seats that are certain: the whole interval lies above or below 0. A sample that could not be taken is not known, which is not 0."}
	for _, x := range r.Drift {
		final := signed(x.Final)
		if !x.FinalKnown {
			final = "not known"
		}
		t.Rows = append(t.Rows, []cell{text(x.Sale), integer(x.Samples), integer(x.Unknown), integer(x.MaxSurplus), integer(x.MaxLeak), number(figure(x.SurplusSeconds) + " s"),
			number(figure(x.LeakSeconds) + " s"), number(figure(x.LongestSurplus) + " s"), number(figure(x.LongestLeakS) + " s"), number(figure(x.LongestDebitS) + " s"), number(final), integer(x.WronglyRefused)})
	}
	return t
}

func contenderTable(r *result.Result) table {
	c := r.Contenders
	wait := "not known"
	if c.LockWaitMeanUS > 0 {
		wait = micros(int64(c.LockWaitMeanUS + 0.5))
	}
	return table{ID: "contenders", Title: "Useless contenders", Head: []string{"refused by the database", "refused by the gate", "database refusals per seat sold", "mean wait for the sale's lock"},
		Note: "Requests that reached the database for nothing; the gate is there to keep them away.",
		Rows: [][]cell{{integer(c.DatabaseRefusals), integer(c.GateRefusals), number(figure(c.PerSeatSold)), number(wait)}}}
}

func generatorTable(r *result.Result) table {
	g := r.Generator
	pair := func(name, value, note string) []cell { return []cell{text(name), number(value), text(note)} }
	return table{ID: "generator", Title: "The generator's judgement of itself", Head: []string{"what", "measured", "meaning"},
		Note: "If the generator falls behind, the run describes the generator; load_offered then makes it invalid.",
		Rows: [][]cell{
			pair("sent on time", percent(g.OnTimeRatio), "within 100 ms of intent, n = "+whole(g.Lateness.N)),
			pair("lateness p50 / p99 / max", micros(g.Lateness.P50)+" / "+micros(g.Lateness.P99)+" / "+micros(g.Lateness.Max), "sent − intended"),
			pair("processor", percent(g.CPURatio), "of all cores, "+figure(g.CPUSeconds)+" s in all"),
			pair("stalls", whole(g.Stalls), "pauses above 100 ms, the longest "+whole(g.LongestStallMS)+" ms"),
			pair("most in flight", whole(g.MaxInFlight), "cap "+whole(g.InFlightCap)),
			pair("Little's law", percent(g.LittleError), "worst difference of L and λW"),
			pair("longest pause of the garbage collector", figure(g.GCPauseMaxMS)+" ms", ""),
		}}
}

func environmentTable(d *chart.Data) table {
	e := d.Result.Environment
	if !d.HasResult {
		e = result.Environment{Version: d.Run.Version, GoVersion: d.Run.GoVersion, OS: d.Run.OS, Cores: d.Run.Cores, Backend: d.Run.Backend, Replicas: d.Run.Replicas, Command: d.Run.Command}
	}
	t := table{ID: "environment", Title: "Environment", Head: []string{"what", "value"}}
	for _, f := range []fact{
		{"gatecrash", e.Version}, {"Go", e.GoVersion}, {"system", e.OS}, {"cores", strconv.Itoa(e.Cores)}, {"backend", e.Backend},
		{"replicas", strconv.Itoa(e.Replicas)}, {"commit", e.CommitMode}, {"run directory", e.RunDir}, {"command", e.Command},
	} {
		t.Rows = append(t.Rows, []cell{text(f.Name), text(f.Value)})
	}
	return t
}

func settingsTable(d *chart.Data) table {
	t := table{ID: "settings", Title: "Settings read back from the servers", Head: []string{"server", "setting", "value"}, Empty: "No setting was read back.",
		Note: "As the running servers report them, not as they were asked for."}
	postgres, redis := d.Result.Environment.Postgres, d.Result.Environment.Redis
	if !d.HasResult {
		postgres, redis = d.Run.Postgres, d.Run.Redis
	}
	t.Rows = append(settingRows("Postgres", postgres), settingRows("Redis", redis)...)
	return t
}

func settingRows(server string, all map[string]string) [][]cell {
	var rows [][]cell
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, []cell{text(server), text(name), text(all[name])})
	}
	return rows
}

func findingTable(r *result.Result) table {
	t := table{ID: "findings", Title: "Findings", Head: []string{"", "finding"}, Note: "Worth reading; they decide nothing.", Empty: "None."}
	for _, f := range r.Findings {
		t.Rows = append(t.Rows, []cell{{Text: clip(f.Severity), Class: clip(f.Severity)}, text(f.Text)})
	}
	return t
}
