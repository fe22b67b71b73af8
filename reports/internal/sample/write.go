package sample

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"gatecrash/sim/result"
)

// Write makes a run directory of a spec with every file that a report reads; change may alter the result first, nil leaves it.
func Write(path string, spec Spec, change func(*result.Result)) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("make %q: %w", path, err)
	}
	dir, err := result.OpenDir(path)
	if err != nil {
		return err
	}
	s := &sale{spec: spec, rng: rand.New(rand.NewPCG(spec.Seed, 1))}
	ticks := s.run()
	res := judged(spec, ticks)
	if change != nil {
		change(&res)
	}
	return errors.Join(
		dir.WriteFile(result.FileScenario, []byte("version: 1\nname: "+spec.Name+"\n")),
		writeCSV(dir, result.FileSeries, result.SeriesColumns(), seriesRows(ticks)),
		writeCSV(dir, result.FileDrift, result.DriftColumns(), driftRows(ticks)),
		result.WriteFaults(dir, windows(spec)),
		result.WriteResult(dir, &res),
		result.WriteRun(dir, run(spec, res)),
	)
}

func writeCSV(dir result.Dir, name string, header []string, rows [][]string) error {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(append([][]string{header}, rows...)); err != nil {
		return err
	}
	return dir.WriteFile(name, b.Bytes())
}

func run(spec Spec, res result.Result) *result.Run {
	return &result.Run{
		Schema: result.Schema, RunID: res.RunID, Scenario: spec.Name, Seed: spec.Seed, Scale: 1, PlanHash: res.PlanHash,
		Version: res.Environment.Version, GoVersion: res.Environment.GoVersion, OS: res.Environment.OS, Command: res.Environment.Command,
		Cores: 2, Backend: "local", Replicas: 2, Postgres: res.Environment.Postgres, Redis: res.Environment.Redis, Started: res.Started,
		Sales: []string{"main"}, Crowds: []string{"fans"}, Planned: int64(spec.Visitors),
		OpensMS: []int64{int64(spec.OpensAt * 1e3)}, OpenedMS: []int64{int64(spec.OpensAt*1e3) + 4}, Ended: true, EndMS: int64(spec.Seconds) * 1e3,
	}
}

func windows(spec Spec) []result.FaultWindow {
	all := []result.FaultWindow{}
	for _, f := range spec.Faults {
		all = append(all, result.FaultWindow{
			Name: f.Name, Inject: f.Inject, Planned: fmt.Sprintf("at %gs", f.At), Applied: true, AppliedNS: int64(f.At * 1e9),
			Healed: true, HealedNS: int64((f.At + f.For) * 1e9), Proven: true, Reverted: true, Evidence: []string{"run_id 1f3a8c20 -> 9c41d7e6"},
		})
	}
	return all
}

// seriesRows sums ticks to seconds, for all operations and for two of them.
func seriesRows(ticks []tick) [][]string {
	var rows [][]string
	for i := 0; i < len(ticks); i += ticksPerSecond {
		end := min(len(ticks), i+ticksPerSecond)
		s := summed(ticks[i:end])
		all := s
		all.ok += all.sent - all.arrivals*1.2
		rows = append(rows, seriesRow(i/ticksPerSecond, "all", all, s.ok), seriesRow(i/ticksPerSecond, "book", s, s.ok))
	}
	return rows
}

func summed(ticks []tick) tick {
	s := ticks[len(ticks)-1]
	s.arrivals, s.sent, s.ok, s.refused, s.failed, s.unknown = 0, 0, 0, 0, 0, 0
	for _, t := range ticks {
		s.arrivals, s.sent = s.arrivals+t.arrivals, s.sent+t.sent
		s.ok, s.refused, s.failed, s.unknown = s.ok+t.ok, s.refused+t.refused, s.failed+t.failed, s.unknown+t.unknown
		s.response50, s.response99 = max(s.response50, t.response50), max(s.response99, t.response99)
		s.service50, s.serv9 = max(s.service50, t.service50), max(s.serv9, t.serv9)
	}
	return s
}

func seriesRow(second int, op string, t tick, bookings float64) []string {
	whole := func(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }
	times := func(ms float64) string {
		if t.ok+t.refused+t.failed+t.unknown < 0.5 {
			return ""
		}
		return whole(ms * 1e3)
	}
	return []string{
		strconv.Itoa(second), op, whole(t.arrivals), whole(t.sent), whole(t.sent), whole(t.ok), whole(t.refused), whole(t.failed), whole(t.unknown), "0",
		whole(bookings), "0", "12", times(t.response50), times(t.response99), times(t.service50), times(t.serv9), whole(t.free), "steady",
	}
}

func driftRows(ticks []tick) [][]string {
	var rows [][]string
	whole := func(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }
	for _, t := range ticks {
		at := whole(t.at * 1e3)
		if t.dark {
			rows = append(rows, []string{at, "main", "0", "", "", "", "", "", "", ""})
			continue
		}
		rows = append(rows, []string{at, "main", "1", whole(t.avail), "3", whole(t.free), whole(t.free + 4), whole(t.drift - 3), whole(t.drift + 2), "120"})
	}
	return rows
}

func judged(spec Spec, ticks []tick) result.Result {
	r := verdict(spec)
	var ok, refused, failed, unknown float64
	for _, t := range ticks {
		ok, refused, failed, unknown = ok+t.ok, refused+t.refused, failed+t.failed, unknown+t.unknown
	}
	sold := int64(spec.Capacity) - int64(ticks[len(ticks)-1].free)
	r.Sales = []result.Sale{{Name: "main", Capacity: int64(spec.Capacity), SeatsSold: sold, Free: int64(spec.Capacity) - sold, Bookings: int64(ok), Version: int64(ok), SoldOutMS: soldOut(ticks)}}
	r.Balance.Visitors = result.Visitors{Planned: int64(spec.Visitors), Started: int64(spec.Visitors), Booked: int64(ok), Refused: int64(spec.Visitors) - int64(ok)}
	book := result.Requests{Op: "book", Ok: int64(ok), Refused: int64(refused), Failed: int64(failed), Unknown: int64(unknown)}
	book.Sent = book.Ok + book.Refused + book.Failed + book.Unknown
	r.Balance.Requests = []result.Requests{{Op: "login", Sent: int64(spec.Visitors), Ok: int64(spec.Visitors)}, book}
	r.Goodput = []result.Goodput{
		{Phase: "all", Seconds: float64(spec.Seconds), Bookings: int64(ok), PerSec: ok / float64(spec.Seconds)},
		{Phase: "steady", Seconds: 8, Bookings: int64(ok * 0.7), PerSec: ok * 0.7 / 8},
	}
	return r
}

func soldOut(ticks []tick) int64 {
	for _, t := range ticks {
		if t.free <= 0 {
			return int64(t.at * 1e3)
		}
	}
	return -1
}

// started is the wall clock at the zero of every sample.
var started = time.Date(2026, time.May, 4, 18, 0, 0, 0, time.UTC)
