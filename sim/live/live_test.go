package live

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

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
	golden(t, "block-80", frame().Lines(80))
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
			{Name: "same_answer", Verdict: result.Pass, Samples: 900}, {Name: "faults_bit", Verdict: result.Inconclusive, Decides: true, Samples: 1, Reason: "blackout touched no request", Expected: "all"},
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

// onScreen gives a view on a terminal of which the size can be changed.
func onScreen(out *bytes.Buffer, width, height *int) *View {
	return &View{to: out, screen: &screen{size: func() (int, int) { return *width, *height }}}
}

func TestBlockIsRedrawnInPlace(t *testing.T) {
	var out bytes.Buffer
	width, height := 120, 40
	v := onScreen(&out, &width, &height)
	v.Show(frame())
	lines := strings.Count(out.String(), "\n")
	out.Reset()
	v.before = Frame{}
	v.Show(Frame{Scenario: "x", Stage: "end"})
	if up := "\x1b[11A"; lines != 11 || !strings.HasPrefix(out.String(), up) || !strings.HasSuffix(out.String(), "\x1b[J") {
		t.Errorf("after a block of %d lines: got %q, want it to go up and clear what is left", lines, out.String())
	}
	v.Verdict(sample(), "runs/x")
	out.Reset()
	v.Show(frame())
	if !strings.HasPrefix(out.String(), "\r\x1b[K") {
		t.Errorf("a block after the verdict: got %q, want it to leave the verdict alone", out.String())
	}
}

func TestFiguresStayAfterTheCrowd(t *testing.T) {
	var out bytes.Buffer
	width, height := 120, 40
	v := onScreen(&out, &width, &height)
	v.Show(frame())
	out.Reset()
	v.Show(Frame{Scenario: "opening-night", Stage: "drain", At: 70 * time.Second})
	for _, want := range []string{"opening-night  70.0s  drain\n", "9120 of 12000 came", "402 of 1500 seats left"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("block after the crowd: got %q, want %q in it", out.String(), want)
		}
	}
}

func TestNarrowerTerminalHasWrappedTheBlock(t *testing.T) {
	var out bytes.Buffer
	width, height := 120, 60
	v := onScreen(&out, &width, &height)
	v.Show(frame())
	rows := 0
	for _, line := range frame().Lines(120) {
		rows += (len(line) + 39) / 40
	}
	width = 40
	out.Reset()
	v.Show(frame())
	if want := fmt.Sprintf("\x1b[%dA", rows); !strings.HasPrefix(out.String(), want) {
		t.Errorf("after a resize from 120 to 40: got %.12q, want %q", out.String(), want)
	}
}

func TestBlockIsNoHigherThanTheTerminal(t *testing.T) {
	var out bytes.Buffer
	width, height := 80, 5
	v := onScreen(&out, &width, &height)
	v.Show(frame())
	if got := strings.Count(out.String(), "\n"); got != 4 {
		t.Errorf("block on 5 rows: got %d lines, want 4 and the cursor's", got)
	}
}

func TestLinesFitTheWidth(t *testing.T) {
	f := frame()
	f.Faults = append(f.Faults, result.FaultWindow{Name: "\x1b[2J" + strings.Repeat("ü", 200), Inject: "x\ny"})
	for width := 1; width < 130; width++ {
		for _, line := range f.Lines(width) {
			if n := utf8.RuneCountInString(line); n > width || !utf8.ValidString(line) || strings.ContainsAny(line, "\x1b\n") {
				t.Fatalf("Lines(%d): got %q of %d columns", width, line, n)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		line  string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"one two three", 8, "one two\n  three"},
		{"  fail  one two three", 12, "  fail one\n    two\n    three"},
		{"report: /a/very/long/path", 10, "report:\n  /a/very/long/path"},
		{"", 0, ""},
	}
	for _, tt := range tests {
		if got := wrap(tt.line, tt.width); got != tt.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}

func TestColour(t *testing.T) {
	for _, colour := range []bool{true, false} {
		var out bytes.Buffer
		width, height := 80, 40
		v := onScreen(&out, &width, &height)
		v.screen.colour = colour
		v.Show(frame())
		v.Verdict(sample(), "runs/x")
		if got := strings.Contains(out.String(), "\x1b[31m"); got != colour {
			t.Errorf("colour %v: red shown: %v", colour, got)
		}
	}
}

func TestCursorIsNeverHidden(t *testing.T) {
	var out bytes.Buffer
	width, height := 80, 40
	v := onScreen(&out, &width, &height)
	v.Show(frame())
	if s := out.String(); strings.Contains(s, "\x1b[?") || !strings.HasSuffix(s, "\n\x1b[J") {
		t.Errorf("block: got %q, want no mode switched and the cursor at the start of the line below", s)
	}
}

func TestPlainLinesEveryFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		v := New(&out, Options{})
		defer v.Close()
		for range 60 {
			v.Show(Frame{Scenario: "smoke", Stage: "crowd"})
			time.Sleep(200 * time.Millisecond)
		}
		if got := strings.Count(out.String(), "\n"); got != 3 {
			t.Errorf("12 s without events: got %d lines, want 3:\n%s", got, out.String())
		}
	})
}

func TestSoldOutIsToldOnce(t *testing.T) {
	var out bytes.Buffer
	v := New(&out, Options{})
	defer v.Close()
	for _, free := range []int64{5, 0, 2, 0} {
		v.Show(Frame{Scenario: "x", Stage: "crowd", Planned: 1, Sales: []Sale{{Name: "main", Open: true, Capacity: 9, Free: free}}})
	}
	if got := strings.Count(out.String(), "is sold out"); got != 1 {
		t.Errorf("sold out twice: told %d times, want once", got)
	}
}

// TestClosedPipeDoesNotKill starts this test anew as a process whose standard output nobody reads.
func TestClosedPipeDoesNotKill(t *testing.T) {
	if os.Getenv("LIVE_CLOSED_PIPE") != "" {
		v := New(os.Stdout, Options{})
		for range 3 {
			v.Show(frame())
			v.before = Frame{}
		}
		v.Verdict(sample(), "runs/x")
		os.Stderr.WriteString("survived")
		os.Exit(0)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var said bytes.Buffer
	cmd := exec.Command(os.Args[0], "-test.run=^TestClosedPipeDoesNotKill$")
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "LIVE_CLOSED_PIPE=1"), w, &said
	if err := cmd.Run(); err != nil || said.String() != "survived" {
		t.Errorf("process with a closed pipe: %v, said %q; want it to survive", err, said.String())
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
