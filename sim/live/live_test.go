package live

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatecrash/sim/result"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files")

func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	path, got := filepath.Join("testdata", name+".txt"), strings.Join(lines, "\n")+"\n"
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

func frame() Frame {
	return Frame{
		Scenario: "opening-night", Stage: "crowd", At: 21400 * time.Millisecond, Planned: 12000, Started: 9120, Left: 5003, InFlight: 41,
		Rate: 210.4, Goodput: 96.2, P50: 11 * time.Millisecond, P99: 340 * time.Millisecond,
		Requests: []result.Requests{{Op: "login", Ok: 9000, Unknown: 2}, {Op: "book", Ok: 811, Refused: 4100, Failed: 17}},
		Sales: []Sale{
			{Name: "main", Open: true, Capacity: 1500, Free: 402, Known: true, Low: -2, High: 1},
			{Name: "second", Capacity: 100, Free: 100},
			{Name: "third", Open: true, Capacity: 10, Known: true, Low: 3, High: 3},
		},
		Faults: []result.FaultWindow{
			{Name: "blackout", Inject: "redis.kill", Applied: true, AppliedNS: 19_800_000_000},
			{Name: "crash", Inject: "api.crash", Planned: "sold 10%"},
			{Name: "cut", Inject: "gate.cut", Applied: true, Healed: true, HealedNS: 5_000_000_000},
			{Name: "bad", Inject: "redis.pause", Error: "apply: no way"},
		},
	}
}

func TestLines(t *testing.T) {
	golden(t, "block-120", frame().Lines(120))
	golden(t, "block-40", frame().Lines(40))
	golden(t, "block-start", Frame{Scenario: "smoke", Stage: "servers"}.Lines(80))
	golden(t, "plain", []string{frame().Plain()})
}

func sample() *result.Result {
	return &result.Result{
		Verdict: result.Fail, Exit: 1, Reason: "no_oversell is broken: 51 seats of 50 are sold at version 51.", Scenario: "duel", Seed: 3, Scale: 0.5, Interrupted: true,
		Checks: []result.Check{
			{Name: "no_oversell", Kind: result.Invariant, Verdict: result.Fail, Expected: "<= 50", Measured: "51", Samples: 51, Evidence: []string{"a", "b", "c", "d"},
				First: &result.Violation{Sale: "main", Version: 51, Intent: "1a", Attempt: 1, AtMS: 812}},
			{Name: "same_answer", Verdict: result.Pass, Samples: 900}, {Name: "faults_bit", Verdict: result.Inconclusive, Reason: "blackout touched no request", Expected: "all"},
		},
		Sales:  []result.Sale{{Name: "main", Capacity: 50, SeatsSold: 51, Bookings: 51}},
		Faults: []result.Fault{{Name: "blackout", Evidence: []string{"run_id a -> b"}}},
	}
}

func TestVerdict(t *testing.T) { golden(t, "verdict", Verdict(sample(), "runs/x")) }

func TestPlainLinesAtEvents(t *testing.T) {
	var out bytes.Buffer
	v := New(&out, Options{})
	before := frame()
	before.Sales[0].Open, before.Sales[2].Free, before.Faults[0].Applied, before.Faults[2].Healed, before.Faults[3].Error = false, 4, false, false, ""
	v.Show(before)
	out.Reset()
	v.Show(frame())
	want := []string{"sale main is open", "sale third is sold out", "fault blackout (redis.kill) applied", "fault cut healed", "fault bad: apply: no way"}
	for _, w := range want {
		if !strings.Contains(out.String(), w) {
			t.Errorf("after the events: got %q, want it to tell %q", out.String(), w)
		}
	}
	out.Reset()
	v.Show(frame())
	if out.Len() != 0 {
		t.Errorf("a frame without news: got %q, want nothing", out.String())
	}
}

func TestBlockIsRedrawnInPlace(t *testing.T) {
	var out bytes.Buffer
	v := &View{to: &out, width: func() int { return 60 }}
	v.Show(frame())
	lines := strings.Count(out.String(), "\n")
	out.Reset()
	v.Show(Frame{Scenario: "x", Stage: "end"})
	if up := "\x1b[" + "11A"; lines != 11 || !strings.HasPrefix(out.String(), up) || !strings.HasSuffix(out.String(), "\x1b[J") {
		t.Errorf("after a block of %d lines: got %q, want it to go up and clear what is left", lines, out.String())
	}
}

func TestQuietTellsTheVerdictOnly(t *testing.T) {
	var out bytes.Buffer
	v := New(&out, Options{Quiet: true})
	v.Show(frame())
	v.Verdict(sample(), "runs/x")
	if got := strings.Count(out.String(), "\n"); got != 2 || !strings.HasPrefix(out.String(), "FAIL") {
		t.Errorf("quiet: got %q, want two lines that start with the verdict", out.String())
	}
}

type brokenPipe struct{ writes int }

func (b *brokenPipe) Write([]byte) (int, error) {
	b.writes++
	return 0, errors.New("broken pipe")
}

func TestBrokenWriterIsLeftAlone(t *testing.T) {
	to := &brokenPipe{}
	v := New(to, Options{})
	v.Show(frame())
	v.Verdict(sample(), "runs/x")
	if to.writes != 1 {
		t.Errorf("writes after a failure: got %d, want 1 in all", to.writes)
	}
}
