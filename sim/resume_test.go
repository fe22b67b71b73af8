package sim

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/journal"
	"gatecrash/sim/loadgen"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

func TestDone(t *testing.T) {
	cases := []struct {
		name string
		ans  target.Answer
		want bool
	}{
		{"a booking", target.Answer{Outcome: history.Ok}, true},
		{"sold out by the truth", target.Answer{Outcome: history.Refused, Problem: history.SoldOut}, true},
		{"sold out at a gate that was just reconciled", target.Answer{Outcome: history.Refused, Problem: history.SoldOutForNow}, true},
		{"too fast", target.Answer{Outcome: history.Refused, Problem: history.RateLimited}, false},
		{"session gone", target.Answer{Outcome: history.Refused, Problem: history.SessionUnknown}, false},
		{"failed", target.Answer{Outcome: history.Failed}, false},
		{"unknown again", target.Answer{Outcome: history.Unknown}, false},
	}
	for _, c := range cases {
		if got := done(c.ans); got != c.want {
			t.Errorf("%s: done(%+v) = %v, want %v", c.name, c.ans, got, c.want)
		}
	}
}

// recorded is a run whose file of requests holds these.
func recorded(t *testing.T, records ...history.Record) *run {
	t.Helper()
	dir, err := result.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, err := history.Create(filepath.Join(dir.Path(), result.FileRecords), history.Header{RunID: "r1", Zero: time.Unix(0, 0)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		w.Append(0, &records[i])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &run{dir: dir}
}

func TestUnresolved(t *testing.T) {
	book := func(intent uint64, attempt uint8, o history.Outcome, p history.Problem) history.Record {
		return history.Record{Op: history.OpBook, Intent: intent, Attempt: attempt, Outcome: o, Problem: p, Replica: 1, Quantity: 1, Version: -1}
	}
	never := book(7, 1, history.Unfinished, 0)
	never.Replica = 0
	cancel := book(8, 1, history.Unknown, 0)
	cancel.Op, cancel.Booking = history.OpCancel, 80
	r := recorded(t,
		book(1, 1, history.Ok, 0),
		book(2, 1, history.Unknown, 0), book(2, 2, history.Ok, 0), // told by a retry
		book(3, 1, history.Unknown, 0), book(3, 2, history.Unknown, 0), // the last attempt stands for the intent
		book(4, 1, history.Unfinished, 0),
		book(5, 1, history.Unknown, 0), book(5, 2, history.Refused, history.SoldOut), // told, under the row lock
		book(6, 1, history.Unknown, 0), book(6, 2, history.Refused, history.RateLimited), // told nothing
		never,
		book(8, 1, history.Ok, 0), cancel, // the booking is known, its cancel is not
		history.Record{Op: history.OpLogin, Outcome: history.Unknown, Replica: 1, Version: -1},
	)
	open, err := r.unresolved()
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		intent  uint64
		attempt uint8
		op      history.Op
	}
	want := []key{{3, 2, history.OpBook}, {4, 1, history.OpBook}, {6, 1, history.OpBook}, {8, 1, history.OpCancel}}
	if len(open) != len(want) {
		t.Fatalf("unresolved() = %+v, want %+v", open, want)
	}
	for i, rec := range open {
		if got := (key{rec.Intent, rec.Attempt, rec.Op}); got != want[i] {
			t.Errorf("unresolved()[%d] = %+v, want %+v", i, got, want[i])
		}
	}
}

func TestResumedRecordKeepsTimeInOrder(t *testing.T) {
	rec := resumed(history.Record{Op: history.OpBook, Intent: 3, Attempt: 2}, target.Answer{Outcome: history.Ok, Booking: 9}, 5*time.Second, 6*time.Second, 0, 1)
	if rec.Intended > rec.Sent || rec.Sent > rec.Done || rec.Attempt != 4 || rec.Op != history.OpResumeBook || rec.Phase != history.AfterEnd || rec.Booking != 9 {
		t.Errorf("resumed() = %+v", rec)
	}
}

func TestRunIDsCanNameSchemasAndStayApart(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range []string{"smoke", "Ein Test: größer als alles!", "a-very-long-name-of-a-scenario-that-goes-on", ""} {
		for range 20 {
			id, err := newID(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := journal.CheckRunID(id); err != nil || strings.ContainsAny(id, "-") || seen[id] {
				t.Errorf("newID(%q) = %q: %v, seen before %v", name, id, err, seen[id])
			}
			seen[id] = true
		}
	}
}

func TestRates(t *testing.T) {
	var w rates
	bookings := func(l loadgen.Live) int64 { return l.Bookings }
	w.add(loadgen.Live{})
	if got := w.of(bookings); got != 0 {
		t.Errorf("rate of one look = %v, want 0", got)
	}
	for i := 1; i <= 30; i++ {
		w.add(loadgen.Live{At: time.Duration(i) * watchEvery, Bookings: int64(20 * i)})
	}
	if got := w.of(bookings); got < 99.9 || got > 100.1 {
		t.Errorf("rate of 20 bookings each %v = %v, want 100/s", watchEvery, got)
	}
	if len(w.looks) > rateLooks+1 {
		t.Errorf("%d looks kept, want at most %d", len(w.looks), rateLooks+1)
	}
}
