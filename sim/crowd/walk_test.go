package crowd

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/retry"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew from what the code says; read the difference before you commit it")

// walker plays one script of testdata: the answers that a visitor gets, and below each, indented, what it does next.
//
//	crowd KEYS           a crowd of one visitor with these keys; the sale opens at 1s; waits are not jittered
//	budget none          from here on the crowd's retry budget is empty
//	first                the visitor arrives
//	ok|refused|failed|unknown [PROBLEM] [took D] [retry D]
//	                     the answer to its last step, 10ms after that step or after D
type walker struct {
	t      *testing.T
	plan   *Plan
	mind   *Mind
	step   Step
	budget Budget
}

const walkBase = `
version: 1
name: walk
sale: {capacity: 10, per_account: 4, opens_after: 1s}
crowds: [{name: c, visitors: 1, %s}]
`

func TestWalks(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		w := &walker{t: t}
		for line := range strings.SplitSeq(strings.TrimRight(string(text), "\n"), "\n") {
			if strings.HasPrefix(line, "  ") {
				continue
			}
			out.WriteString(line + "\n")
			if said := w.play(line); said != "" {
				out.WriteString("  " + said + "\n")
			}
		}
		if *rewrite {
			if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if out.String() != string(text) {
			t.Errorf("%s:\n got\n%s\nwant\n%s", file, out.String(), text)
		}
	}
}

func (w *walker) play(line string) string {
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "", "#":
		return ""
	case "crowd":
		if !strings.Contains(rest, "jitter") {
			rest = strings.Replace(rest, "retry: {", "retry: {backoff: {base: 100ms, factor: 2, cap: 1s, jitter: none}, ", 1)
		}
		w.plan, w.budget = planOf(w.t, fmt.Sprintf(walkBase, rest)), nil
		return ""
	case "budget":
		w.budget = &empty{}
		return ""
	case "first":
		w.mind = NewMind(w.plan, 0, w.budget)
		w.step = w.mind.First()
	default:
		w.step = w.mind.Next(w.heard(command, rest))
	}
	return w.show(w.step)
}

// empty is a budget with nothing in it.
type empty struct{ earned int }

func (e *empty) Earn()    { e.earned++ }
func (*empty) Take() bool { return false }

func (w *walker) heard(outcome, rest string) Heard {
	o, err := history.ParseOutcome(outcome)
	if err != nil {
		w.t.Fatal(err)
	}
	h := Heard{Now: w.step.At + 10*time.Millisecond, Outcome: o}
	if o == history.Ok && w.step.Op == history.OpBook {
		h.Booking = 7
	}
	words := strings.Fields(rest)
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "took":
			i++
			h.Now = w.step.At + w.duration(words[i])
		case "retry":
			i++
			h.RetryAfter = w.duration(words[i])
		default:
			if h.Problem, err = history.ParseProblem(words[i]); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	return h
}

func (w *walker) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *walker) show(s Step) string {
	at := s.At.Round(time.Millisecond)
	switch s.Op {
	case history.OpLogin:
		again := ""
		if s.Fresh {
			again = " anew"
		}
		return fmt.Sprintf("log in%s as %s from %s at %v, request %d", again, w.plan.AccountName(s.Account), w.plan.AddressName(s.Address), at, s.Attempt)
	case history.OpBook:
		_, nth := IntentVisitor(s.Intent)
		return fmt.Sprintf("book %d as %s from %s at %v, key %d, request %d", s.Quantity, w.plan.AccountName(s.Account), w.plan.AddressName(s.Address), at, nth, s.Attempt)
	case history.OpCancel:
		return fmt.Sprintf("cancel booking %d at %v, request %d", s.Booking, at, s.Attempt)
	}
	return fmt.Sprintf("leave at %v: %s", at, [...]string{"unfinished", "booked", "refused", "gave up"}[s.Ending])
}

// TestBudgetIsAskedOnce: a retry takes one, a success earns one, and a new log-in after session-unknown takes none.
func TestBudgetIsAskedOnce(t *testing.T) {
	p, b := planOf(t, fmt.Sprintf(walkBase, "arrive: {shape: constant, for: 1s}")), retry.NewBudget(1)
	m := NewMind(p, 0, b)
	s := m.First()
	for _, h := range []Heard{
		{Outcome: history.Failed, Problem: history.Overloaded},
		{Outcome: history.Ok},
		{Outcome: history.Unknown},
		{Outcome: history.Refused, Problem: history.SessionUnknown},
		{Outcome: history.Ok},
		{Outcome: history.Refused, Problem: history.SoldOutForNow},
		{Outcome: history.Ok},
	} {
		h.Now = s.At + time.Millisecond
		s = m.Next(h)
	}
	if s.Ending != Booked || b.Taken() != 3 {
		t.Errorf("ending %d with %d retries taken; want %d with 3", s.Ending, b.Taken(), Booked)
	}
}
