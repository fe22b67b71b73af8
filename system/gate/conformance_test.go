package gate_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/gate"
	"gatecrash/system/internal/servers"
)

var srv = servers.New()

func TestMain(m *testing.M) { os.Exit(srv.Main(m)) }

// count is what both gates offer.
type count interface {
	booking.Gate
	Claim(ctx context.Context, sale, owner string, lease time.Duration) (bool, error)
	Inflate(ctx context.Context, sale string, seats int64) (int64, error)
}

// open gives a gate under a prefix of its own.
func open(t testing.TB, change ...func(*gate.Config)) *gate.Gate {
	t.Helper()
	cfg := gate.DefaultConfig(srv.Redis(t))
	cfg.Prefix, cfg.Conns = srv.Prefix(t), 8
	cfg.Dial, cfg.Timeout = 10*time.Second, 10*time.Second // a loaded machine is no failure
	for _, c := range change {
		c(&cfg)
	}
	g, err := gate.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// conformance is what every gate must do. Each test has a gate of its own.
var conformance = []struct {
	name string
	test func(t *testing.T, g count)
}{
	{"missing until initialised", missing},
	{"initialises once", initialises},
	{"one claim at a time", claims},
	{"takes, holds and sells out", takes},
	{"refunds only the owner", refunds},
	{"settles once, with and without a debit", settles},
	{"settles what a repair has covered", settlesCovered},
	{"a settle ends a debit of another size", settlesOtherSize},
	{"credits once, and not what asof covers", credits},
	{"repairs from the truth", repairs},
	{"repairs are discarded when late or of another epoch", discards},
	{"lists expired debits, oldest first", expires},
	{"forgets", forgets},
	{"sales do not touch each other", separate},
	{"awkward names stay apart", awkward},
	{"never gives more than it has", neverOvergives},
	{"shows what a drill asks for", inflates},
	{"has an incarnation", incarnates},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name string
		open func(t *testing.T) count
	}{
		{"memory", func(*testing.T) count { return gate.NewMemory(time.Now) }},
		{"redis", func(t *testing.T) count { return open(t) }},
	} {
		for _, c := range conformance {
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				c.test(t, kind.open(t))
			})
		}
	}
}

func missing(t *testing.T, g count) {
	wantReserve(t, g, "a", 1, "x", booking.Missing)
	for name, err := range map[string]error{
		"settle": g.Settle(t.Context(), intent("a", 1), 1),
		"refund": g.Refund(t.Context(), intent("a", 1), "x"),
		"credit": g.Credit(t.Context(), "s", booking.Change{ID: "c", Seats: 1, Version: 1}),
		"forget": g.Forget(t.Context(), "s"),
	} {
		if err != nil {
			t.Errorf("%s of a missing sale: got %v, want nothing done", name, err)
		}
	}
	if ok, err := g.Repair(t.Context(), "s", "", booking.Snapshot{Free: 1, Version: 1}); ok || err != nil {
		t.Errorf("repair of a missing sale: got %v, %v, want discarded", ok, err)
	}
	if v, err := g.View(t.Context(), "s"); err != nil || v.Present {
		t.Errorf("view: got %+v, %v, want not present", v, err)
	}
	if d, err := g.Expired(t.Context(), "s", 10); err != nil || len(d) != 0 {
		t.Errorf("expired: got %+v, %v, want none", d, err)
	}
}

func initialises(t *testing.T, g count) {
	setUp(t, g, 5, 7)
	wantView(t, g, 5, 7, 7, 0)
	if ok, err := g.Init(t.Context(), "s", booking.Snapshot{Free: 9, Version: 9}, "e2"); ok || err != nil {
		t.Errorf("init again: got %v, %v, want nothing done", ok, err)
	}
	wantView(t, g, 5, 7, 7, 0)
}

func claims(t *testing.T, g count) {
	for i, want := range []bool{true, false} {
		if ok, err := g.Claim(t.Context(), "s", fmt.Sprint(i), time.Hour); ok != want || err != nil {
			t.Errorf("claim %d: got %v, %v, want %v", i, ok, err, want)
		}
	}
	setUp(t, g, 1, 0)
	if ok, err := g.Claim(t.Context(), "s", "late", time.Hour); !ok || err != nil {
		t.Errorf("claim after the init ended the first: got %v, %v, want true", ok, err)
	}
}

func takes(t *testing.T, g count) {
	setUp(t, g, 5, 0)
	wantReserve(t, g, "a", 3, "x", booking.Taken)
	wantReserve(t, g, "a", 3, "y", booking.Held)
	wantReserve(t, g, "b", 3, "z", booking.SoldOut)
	wantReserve(t, g, "b", 2, "z", booking.Taken)
	wantReserve(t, g, "c", 1, "w", booking.SoldOut)
	wantView(t, g, 0, 0, 0, 2)
}

func refunds(t *testing.T, g count) {
	setUp(t, g, 5, 0)
	wantReserve(t, g, "a", 3, "x:with:colons", booking.Taken)
	refund(t, g, "a", "y")
	refund(t, g, "a", "")
	refund(t, g, "b", "x:with:colons")
	wantView(t, g, 2, 0, 0, 1)
	refund(t, g, "a", "x:with:colons")
	wantView(t, g, 5, 0, 0, 0)
	refund(t, g, "a", "x:with:colons")
	wantView(t, g, 5, 0, 0, 0)
}

func settles(t *testing.T, g count) {
	setUp(t, g, 5, 0)
	wantReserve(t, g, "a", 2, "x", booking.Taken)
	settle(t, g, "a", 2, 1)
	wantView(t, g, 3, 0, 1, 0)
	settle(t, g, "a", 2, 1)
	wantView(t, g, 3, 0, 1, 0)
	wantReserve(t, g, "a", 2, "y", booking.Settled)
	refund(t, g, "a", "x")
	wantView(t, g, 3, 0, 1, 0)
	settle(t, g, "b", 1, 2) // booked without a debit
	settle(t, g, "b", 1, 2)
	wantView(t, g, 2, 0, 2, 0)
	if err := g.Settle(t.Context(), intent("b", 1), 3); err == nil {
		t.Error("settle at another version: got no error, want one")
	}
	wantView(t, g, 2, 0, 2, 0)
}

func settlesCovered(t *testing.T, g count) {
	setUp(t, g, 5, 0)
	wantReserve(t, g, "a", 2, "x", booking.Taken)
	repair(t, g, 3, 1)                            // the truth has booked a at version 1
	wantView(t, g, 1, 1, 1, 1)                    // counted twice: booked and held
	settle(t, g, "a", 2, 1)                       // gives the debit back
	wantView(t, g, 3, 1, 1, 0)                    //
	settle(t, g, "a", 2, 1)                       // and does nothing more
	settle(t, g, "late", 1, 1)                    // nor does any other that asof covers
	wantView(t, g, 3, 1, 1, 0)                    //
	wantReserve(t, g, "a", 2, "y", booking.Taken) // forgotten, so a retry takes a debit again
	settle(t, g, "a", 2, 1)
	wantView(t, g, 3, 1, 1, 0)
}

func settlesOtherSize(t *testing.T, g count) {
	setUp(t, g, 9, 0)
	wantReserve(t, g, "a", 5, "x", booking.Taken) // the key reused with another quantity
	settle(t, g, "a", 2, 1)
	wantView(t, g, 7, 0, 1, 0)
	refund(t, g, "a", "x")
	wantView(t, g, 7, 0, 1, 0)
}

func credits(t *testing.T, g count) {
	setUp(t, g, 5, 3)
	credit(t, g, "old", 1, 3)
	wantView(t, g, 5, 3, 3, 0)
	credit(t, g, "new", 2, 5)
	credit(t, g, "new", 2, 5)
	wantView(t, g, 7, 3, 5, 0)
	credit(t, g, "less", -3, 6)
	wantView(t, g, 4, 3, 6, 0)
	repair(t, g, 7, 5)
	wantView(t, g, 4, 5, 6, 0)
	credit(t, g, "new", 2, 5)
	wantView(t, g, 4, 5, 6, 0)
}

func repairs(t *testing.T, g count) {
	setUp(t, g, 10, 0)
	wantReserve(t, g, "a", 1, "x", booking.Taken)
	settle(t, g, "a", 1, 1)
	settle(t, g, "b", 2, 2)
	credit(t, g, "c", 4, 3)
	wantReserve(t, g, "d", 3, "y", booking.Taken)
	wantView(t, g, 8, 0, 3, 1)
	if _, err := g.Inflate(t.Context(), "s", 50); err != nil {
		t.Fatal(err)
	}
	repair(t, g, 9, 1) // as of version 1: b and c are later, d is held
	wantView(t, g, 9-2+4-3, 1, 3, 1)
	repair(t, g, 9, 1)
	wantView(t, g, 8, 1, 3, 1)
	repair(t, g, 11, 3)
	wantView(t, g, 8, 3, 3, 1)
	repair(t, g, 1, 4) // fewer than what is held: below zero for a moment
	wantView(t, g, -2, 4, 4, 1)
	wantReserve(t, g, "e", 1, "z", booking.SoldOut)
}

func discards(t *testing.T, g count) {
	setUp(t, g, 10, 5)
	for _, c := range []struct {
		epoch string
		s     booking.Snapshot
	}{{"e", booking.Snapshot{Free: 1, Version: 4}}, {"old", booking.Snapshot{Free: 1, Version: 9}}, {"", booking.Snapshot{Free: 1, Version: 9}}} {
		if ok, err := g.Repair(t.Context(), "s", c.epoch, c.s); ok || err != nil {
			t.Errorf("repair(%q, %+v): got %v, %v, want discarded", c.epoch, c.s, ok, err)
		}
	}
	wantView(t, g, 10, 5, 5, 0)
}

func expires(t *testing.T, g count) {
	setUp(t, g, 10, 0)
	reserve(t, g, "late", 1, "x", time.Hour)
	reserve(t, g, "past", 2, "y", 0)
	reserve(t, g, "long past", 3, "z", -time.Minute)
	got, err := g.Expired(t.Context(), "s", 10)
	if err != nil || len(got) != 2 {
		t.Fatalf("expired: got %+v, %v, want two", got, err)
	}
	if d := got[0]; d.Account != "long past" || d.Key != "k" || d.Owner != "z" || d.Quantity != 3 || d.Deadline.After(got[1].Deadline) {
		t.Errorf("expired: got %+v first, want the one longest past", d)
	}
	if got, err := g.Expired(t.Context(), "s", 1); err != nil || len(got) != 1 || got[0].Account != "long past" {
		t.Errorf("expired, at most one: got %+v, %v", got, err)
	}
	refund(t, g, "long past", "z")
	settle(t, g, "past", 2, 1)
	if got, err := g.Expired(t.Context(), "s", 10); err != nil || len(got) != 0 {
		t.Errorf("expired after they were resolved: got %+v, %v, want none", got, err)
	}
	wantView(t, g, 7, 0, 1, 1)
}

func forgets(t *testing.T, g count) {
	setUp(t, g, 10, 0)
	wantReserve(t, g, "a", 1, "x", booking.Taken)
	settle(t, g, "b", 1, 1)
	credit(t, g, "c", 1, 2)
	if err := g.Forget(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	wantReserve(t, g, "a", 1, "x", booking.Missing)
	setUp(t, g, 3, 0)
	wantView(t, g, 3, 0, 0, 0)
	settle(t, g, "b", 1, 1) // nothing of the old state is remembered
	credit(t, g, "c", 1, 2)
	wantView(t, g, 3, 0, 2, 0)
}

func separate(t *testing.T, g count) {
	setUp(t, g, 3, 0)
	if _, err := g.Init(t.Context(), "r", booking.Snapshot{Free: 5, Version: 2}, "r"); err != nil {
		t.Fatal(err)
	}
	wantReserve(t, g, "a", 3, "x", booking.Taken)
	if v, err := g.View(t.Context(), "r"); err != nil || v.Avail != 5 || len(v.Debits) != 0 || v.Epoch != "r" {
		t.Errorf("view of the other sale: got %+v, %v", v, err)
	}
}

func awkward(t *testing.T, g count) {
	setUp(t, g, 9, 0)
	names := []booking.Intent{
		{Sale: "s", Account: "a", Key: "b:c", Quantity: 1}, {Sale: "s", Account: "a:b", Key: "c", Quantity: 1},
		{Sale: "s", Account: "1:a", Key: "k", Quantity: 1}, {Sale: "s", Account: "}{", Key: "%d:%s", Quantity: 1},
	}
	for _, in := range names {
		if got, err := g.Reserve(t.Context(), in, "o", time.Hour); err != nil || got != booking.Taken {
			t.Errorf("reserve(%+v): got %v, %v, want taken", in, got, err)
		}
	}
	v, err := g.View(t.Context(), "s")
	if err != nil || len(v.Debits) != len(names) {
		t.Fatalf("view: got %+v, %v, want %d debits", v, err, len(names))
	}
	found := map[booking.Intent]bool{}
	for _, d := range v.Debits {
		found[booking.Intent{Sale: "s", Account: d.Account, Key: d.Key, Quantity: d.Quantity}] = true
	}
	for _, in := range names {
		if !found[in] {
			t.Errorf("debits: got %+v, want %+v among them", v.Debits, in)
		}
	}
}

func neverOvergives(t *testing.T, g count) {
	setUp(t, g, 10, 0)
	var taken atomic.Int64
	var buyers sync.WaitGroup
	for i := range 32 {
		buyers.Go(func() {
			in := intent(fmt.Sprint("a", i), 1+i%3)
			got, err := g.Reserve(t.Context(), in, "o", time.Hour)
			if err != nil {
				t.Error(err)
			}
			if got == booking.Taken {
				taken.Add(int64(in.Quantity))
			}
		})
	}
	buyers.Wait()
	if v, err := g.View(t.Context(), "s"); err != nil || taken.Load() > 10 || v.Avail != 10-taken.Load() {
		t.Errorf("32 buyers of 10 seats: got %d taken, view %+v, %v", taken.Load(), v, err)
	}
}

func inflates(t *testing.T, g count) {
	if _, err := g.Inflate(t.Context(), "s", 50); err == nil {
		t.Error("inflate a missing sale: got no error, want one")
	}
	setUp(t, g, 1, 0)
	for _, c := range []struct{ ask, want int64 }{{50, 50}, {20, 50}} {
		if got, err := g.Inflate(t.Context(), "s", c.ask); err != nil || got != c.want {
			t.Errorf("inflate to %d: got %d, %v, want %d", c.ask, got, err, c.want)
		}
	}
	wantView(t, g, 50, 0, 0, 0)
}

func incarnates(t *testing.T, g count) {
	a, err := g.Incarnation(t.Context())
	b, err2 := g.Incarnation(t.Context())
	if err != nil || err2 != nil || a == "" || a != b {
		t.Errorf("incarnation twice: got %q, %v, then %q, %v, want the same", a, err, b, err2)
	}
}

func intent(account string, n int) booking.Intent {
	return booking.Intent{Sale: "s", Account: account, Key: "k", Quantity: n}
}

func setUp(t *testing.T, g count, free, version int64) {
	t.Helper()
	if ok, err := g.Init(t.Context(), "s", booking.Snapshot{Free: free, Version: version}, "e"); !ok || err != nil {
		t.Fatalf("init: got %v, %v", ok, err)
	}
}

func reserve(t *testing.T, g count, account string, n int, owner string, lease time.Duration) booking.Reservation {
	t.Helper()
	got, err := g.Reserve(t.Context(), intent(account, n), owner, lease)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func wantReserve(t *testing.T, g count, account string, n int, owner string, want booking.Reservation) {
	t.Helper()
	if got := reserve(t, g, account, n, owner, time.Hour); got != want {
		t.Errorf("reserve(%s, %d): got %v, want %v", account, n, got, want)
	}
}

func settle(t *testing.T, g count, account string, n int, version int64) {
	t.Helper()
	if err := g.Settle(t.Context(), intent(account, n), version); err != nil {
		t.Errorf("settle(%s, %d, %d): %v", account, n, version, err)
	}
}

func refund(t *testing.T, g count, account, owner string) {
	t.Helper()
	if err := g.Refund(t.Context(), intent(account, 1), owner); err != nil {
		t.Errorf("refund(%s, %s): %v", account, owner, err)
	}
}

func credit(t *testing.T, g count, id string, seats, version int64) {
	t.Helper()
	if err := g.Credit(t.Context(), "s", booking.Change{ID: id, Seats: seats, Version: version}); err != nil {
		t.Errorf("credit(%s, %d, %d): %v", id, seats, version, err)
	}
}

func repair(t *testing.T, g count, free, version int64) {
	t.Helper()
	if ok, err := g.Repair(t.Context(), "s", "e", booking.Snapshot{Free: free, Version: version}); !ok || err != nil {
		t.Errorf("repair(%d, %d): got %v, %v, want done", free, version, ok, err)
	}
}

func wantView(t *testing.T, g count, avail, asof, floor int64, debits int) {
	t.Helper()
	v, err := g.View(t.Context(), "s")
	if err != nil || !v.Present || v.Epoch != "e" || v.Avail != avail || v.AsOf != asof || v.Floor != floor || len(v.Debits) != debits {
		t.Errorf("view: got %+v, %v, want avail %d, asof %d, floor %d, %d debits", v, err, avail, asof, floor, debits)
	}
}
