package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/internal/servers"
	"gatecrash/system/ledger"
)

var srv = servers.New()

func TestMain(m *testing.M) { os.Exit(srv.Main(m)) }

// truth is what both ledgers offer.
type truth interface {
	booking.Ledger
	AllSales(ctx context.Context) ([]booking.Sale, error)
}

// open gives a ledger in a schema of its own.
func open(t *testing.T, change ...func(*ledger.Config)) *ledger.Ledger {
	t.Helper()
	cfg := ledger.DefaultConfig(srv.Postgres(t))
	cfg.Schema, cfg.MaxConns = srv.Schema(t), 8
	cfg.Acquire, cfg.Lock, cfg.Statement = 20*time.Second, 10*time.Second, 20*time.Second // a loaded machine is no failure
	for _, c := range change {
		c(&cfg)
	}
	l, err := ledger.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	if err := l.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

// conformance is what every ledger must do. Each test has a ledger of its own.
var conformance = []struct {
	name string
	test func(t *testing.T, l truth)
}{
	{"books and replays", booksAndReplays},
	{"refuses in the protocol's order", refuses},
	{"a batch is decided in order, one bad intent fails alone", batches},
	{"replays in every state", replaysInEveryState},
	{"a sale opens by its time", opensByTime},
	{"moves between states", movesStates},
	{"cancels once", cancelsOnce},
	{"changes the capacity", changesCapacity},
	{"looks up and resolves", looksUp},
	{"creates and lists sales", createsSales},
	{"knows nothing of other accounts", otherAccounts},
	{"never sells a seat twice", neverOversells},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name string
		open func(t *testing.T) truth
	}{
		{"memory", func(*testing.T) truth { return ledger.NewMemory(time.Now) }},
		{"postgres", func(t *testing.T) truth { return open(t) }},
	} {
		for _, c := range conformance {
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				c.test(t, kind.open(t))
			})
		}
	}
}

func booksAndReplays(t *testing.T, l truth) {
	newSale(t, l, 10, 4)
	first := book(t, l, "ann", "k1", 2)
	again := book(t, l, "ann", "k1", 2)
	if first.Path != booking.PathDB || again.Path != booking.PathReplay || again.Booking != first.Booking {
		t.Errorf("book twice: got %+v, then %+v, want the same booking, db then replay", first, again)
	}
	want := booking.Booking{ID: first.Booking.ID, Sale: "s", Account: "ann", Key: "k1", Quantity: 2, State: booking.Live, Version: 1}
	if first.Booking != want || first.Booking.ID == 0 {
		t.Errorf("book: got %+v, want %+v with an id", first.Booking, want)
	}
	wantSnapshot(t, l, 8, 1)
}

func refuses(t *testing.T, l truth) {
	newSale(t, l, 5, 4)
	book(t, l, "ann", "k1", 4)
	for _, c := range []struct {
		name string
		in   booking.Intent
		want error
	}{
		{"other payload", intent("ann", "k1", 1), booking.ErrKeyReused},
		{"account limit before sold out", intent("ann", "k2", 4), booking.ErrAccountLimit},
		{"sold out", intent("bob", "k1", 2), booking.ErrSoldOut},
		{"bad quantity", intent("bob", "k1", 0), booking.ErrInvalid},
	} {
		if err := bookErr(t, l, c.in); !errors.Is(err, c.want) {
			t.Errorf("%s: book(%+v): got %v, want %v", c.name, c.in, err, c.want)
		}
	}
	var sold *booking.SoldOutError
	if err := bookErr(t, l, intent("bob", "k1", 2)); !errors.As(err, &sold) || *sold != (booking.SoldOutError{Version: 1, Free: 1}) {
		t.Errorf("sold out: got %+v, want version 1, free 1", err)
	}
	res, err := l.Book(t.Context(), "nowhere", []booking.Intent{{Sale: "nowhere", Account: "a", Key: "k", Quantity: 1}})
	if err != nil || !errors.Is(res[0].Err, booking.ErrUnknownSale) {
		t.Errorf("unknown sale: got %v, %v, want %v for the intent", res, err, booking.ErrUnknownSale)
	}
	wantSnapshot(t, l, 1, 1)
}

func batches(t *testing.T, l truth) {
	newSale(t, l, 5, 4)
	batch := []booking.Intent{
		intent("ann", "k1", 2),
		intent("ann", "k1", 2), // the same intent again
		intent("ann", "k1", 1), // its key with another payload
		intent("ann", "k2", 3), // over her limit of 4, with the 2 of this batch
		{Sale: "other", Account: "bob", Key: "k1", Quantity: 1},
		intent("bob", "k1", -1),
		intent("bob", "k2", 3),
		intent("cid", "k1", 1), // sold out by now
	}
	res, err := l.Book(t.Context(), "s", batch)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 db", "1 replay", "key reused", "limit", "unknown sale", "invalid", "2 db", "sold out at 2"}
	for i, r := range res {
		if got := word(r); got != want[i] {
			t.Errorf("intent %d: book(%+v): got %s, want %s", i, batch[i], got, want[i])
		}
	}
	if res[0].Answer.Booking.ID == 0 || res[1].Answer.Booking != res[0].Answer.Booking {
		t.Errorf("the same intent twice in a batch: got %+v and %+v, want one booking", res[0], res[1])
	}
	wantSnapshot(t, l, 0, 2)
	if res, err := l.Book(t.Context(), "s", nil); err != nil || len(res) != 0 {
		t.Errorf("empty batch: got %v, %v, want nothing", res, err)
	}
}

func replaysInEveryState(t *testing.T, l truth) {
	newSale(t, l, 2, 2)
	first := book(t, l, "ann", "k1", 2)
	for _, st := range []booking.SaleState{booking.Open, booking.Paused, booking.Closed} {
		setState(t, l, st)
		if got := book(t, l, "ann", "k1", 2); got.Booking != first.Booking {
			t.Errorf("replay while %s: got %+v, want %+v", st, got, first)
		}
		if st == booking.Open {
			continue
		}
		var state *booking.StateError
		if err := bookErr(t, l, intent("bob", "k1", 1)); !errors.As(err, &state) || state.State != st || !errors.Is(err, booking.ErrNotOpen) {
			t.Errorf("book while %s: got %v, want that state", st, err)
		}
	}
	if _, _, done, err := l.Cancel(t.Context(), "ann", first.Booking.ID); err != nil || !done {
		t.Errorf("cancel while closed: got %v, %v, want done", done, err)
	}
}

func opensByTime(t *testing.T, l truth) {
	for id, opens := range map[string]time.Time{"past": time.Now().Add(-time.Minute), "future": time.Now().Add(time.Hour)} {
		if _, err := l.Create(t.Context(), booking.Sale{ID: id, Capacity: 1, PerAccount: 1, OpensAt: opens}); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]booking.SaleState{"past": booking.Open, "future": booking.Scheduled} {
		if s, err := l.Sale(t.Context(), id); err != nil || s.State != want {
			t.Errorf("sale %s: got %v, %v, want %v", id, s.State, err, want)
		}
	}
	res, err := l.Book(t.Context(), "past", []booking.Intent{{Sale: "past", Account: "a", Key: "k", Quantity: 1}})
	if err != nil || res[0].Err != nil {
		t.Errorf("book after the opening time: got %v, %v", res, err)
	}
	res, err = l.Book(t.Context(), "future", []booking.Intent{{Sale: "future", Account: "a", Key: "k", Quantity: 1}})
	if err != nil || !errors.Is(res[0].Err, booking.ErrNotOpen) {
		t.Errorf("book before the opening time: got %v, %v, want %v", res, err, booking.ErrNotOpen)
	}
	if s, err := l.SetState(t.Context(), "past", booking.Paused); err != nil || s.State != booking.Paused {
		t.Errorf("pause a sale that opened by its time: got %v, %v", s.State, err)
	}
}

func movesStates(t *testing.T, l truth) {
	newSale(t, l, 1, 1)
	for _, c := range []struct {
		to booking.SaleState
		ok bool
	}{
		{booking.Scheduled, false}, {booking.Open, true}, {booking.Paused, true}, {booking.Paused, true}, {booking.Open, true},
		{booking.Closed, true}, {booking.Open, false}, {booking.Closed, true}, {"sideways", false},
	} {
		s, err := l.SetState(t.Context(), "s", c.to)
		if c.ok && (err != nil || s.State != c.to) || !c.ok && !errors.Is(err, booking.ErrSaleState) {
			t.Errorf("to %s: got %v, %v, want allowed %v", c.to, s.State, err, c.ok)
		}
	}
	if _, err := l.SetState(t.Context(), "nowhere", booking.Open); !errors.Is(err, booking.ErrUnknownSale) {
		t.Errorf("unknown sale: got %v, want %v", err, booking.ErrUnknownSale)
	}
}

func cancelsOnce(t *testing.T, l truth) {
	newSale(t, l, 4, 2)
	b := book(t, l, "ann", "k1", 2).Booking
	got, change, done, err := l.Cancel(t.Context(), "ann", b.ID)
	b.State = booking.Cancelled
	if err != nil || !done || got != b || change.Seats != 2 || change.Version != 2 || change.ID == "" {
		t.Errorf("cancel: got %+v, %+v, %v, %v, want %+v and 2 seats at version 2", got, change, done, err, b)
	}
	wantSnapshot(t, l, 4, 2)
	got, same, done, err := l.Cancel(t.Context(), "ann", b.ID)
	if err != nil || done || got != b || same != change {
		t.Errorf("cancel again: got %+v, %+v, %v, %v, want the same and not done", got, same, done, err)
	}
	wantSnapshot(t, l, 4, 2)
	if again := book(t, l, "ann", "k1", 2); again.Booking != b {
		t.Errorf("replay of a cancelled booking: got %+v, want %+v", again.Booking, b)
	}
	book(t, l, "ann", "k2", 2) // the limit counts live seats only
}

func changesCapacity(t *testing.T, l truth) {
	newSale(t, l, 4, 4)
	book(t, l, "ann", "k1", 3)
	s, c, err := l.AddSeats(t.Context(), "s", "more", 5)
	if err != nil || s.Capacity != 9 || s.Free != 6 || s.Version != 2 || c.Seats != 5 || c.Version != 2 {
		t.Errorf("add 5: got %+v, %+v, %v", s, c, err)
	}
	if _, again, err := l.AddSeats(t.Context(), "s", "more", 5); err != nil || again != c {
		t.Errorf("add 5 again under the same key: got %+v, %v, want %+v", again, err, c)
	}
	if _, _, err := l.AddSeats(t.Context(), "s", "more", 6); !errors.Is(err, booking.ErrKeyReused) {
		t.Errorf("another number under the same key: got %v, want %v", err, booking.ErrKeyReused)
	}
	if _, _, err := l.AddSeats(t.Context(), "s", "less", -7); !errors.Is(err, booking.ErrCapacity) {
		t.Errorf("withdraw booked seats: got %v, want %v", err, booking.ErrCapacity)
	}
	if s, c, err := l.AddSeats(t.Context(), "s", "less", -6); err != nil || s.Free != 0 || s.Capacity != 3 || c.Version != 3 {
		t.Errorf("withdraw 6: got %+v, %+v, %v", s, c, err)
	}
	if _, _, err := l.AddSeats(t.Context(), "s", "none", 0); !errors.Is(err, booking.ErrInvalid) {
		t.Errorf("add 0: got %v, want %v", err, booking.ErrInvalid)
	}
	setState(t, l, booking.Closed)
	if _, _, err := l.AddSeats(t.Context(), "s", "late", 1); !errors.Is(err, booking.ErrSaleState) {
		t.Errorf("add to a closed sale: got %v, want %v", err, booking.ErrSaleState)
	}
	wantSnapshot(t, l, 0, 3)
}

func looksUp(t *testing.T, l truth) {
	newSale(t, l, 4, 4)
	b := book(t, l, "ann", "k1", 2).Booking
	known, strange := intent("ann", "k1", 2), intent("ann", "k2", 2)
	res, err := l.Lookup(t.Context(), []booking.Intent{strange, known, known})
	if err != nil || !errors.Is(res[0].Err, booking.ErrUnknownBooking) || res[1].Answer.Booking != b || res[2].Answer.Booking != b {
		t.Errorf("lookup: got %+v, %v", res, err)
	}
	if res, err := l.Lookup(t.Context(), nil); err != nil || len(res) != 0 {
		t.Errorf("lookup of nothing: got %+v, %v", res, err)
	}
	res, err = l.Resolve(t.Context(), "s", []booking.Intent{strange, known})
	if err != nil || !errors.Is(res[0].Err, booking.ErrUnknownBooking) || res[1].Answer.Booking != b {
		t.Errorf("resolve: got %+v, %v, want %v and %+v", res, err, booking.ErrUnknownBooking, b)
	}
	if res, err := l.Resolve(t.Context(), "s", nil); err != nil || len(res) != 0 {
		t.Errorf("resolve of nothing: got %+v, %v", res, err)
	}
	strange.Sale = "nowhere"
	if _, err := l.Resolve(t.Context(), "nowhere", []booking.Intent{strange}); !errors.Is(err, booking.ErrUnknownSale) {
		t.Errorf("resolve in an unknown sale: got %v, want %v", err, booking.ErrUnknownSale)
	}
	if _, err := l.Snapshot(t.Context(), "nowhere"); !errors.Is(err, booking.ErrUnknownSale) {
		t.Errorf("snapshot of an unknown sale: got %v, want %v", err, booking.ErrUnknownSale)
	}
}

func createsSales(t *testing.T, l truth) {
	s := newSale(t, l, 3, 2)
	if again, err := l.Create(t.Context(), booking.Sale{ID: "s", Capacity: 3, PerAccount: 2}); err != nil || again.State != booking.Open {
		t.Errorf("create again: got %+v, %v, want %+v as it is", again, err, s)
	}
	if _, err := l.Create(t.Context(), booking.Sale{ID: "s", Capacity: 4, PerAccount: 2}); !errors.Is(err, booking.ErrSaleExists) {
		t.Errorf("create with other settings: got %v, want %v", err, booking.ErrSaleExists)
	}
	for _, bad := range []booking.Sale{{ID: "", Capacity: 1, PerAccount: 1}, {ID: "x", PerAccount: 1}, {ID: "x", Capacity: 1}, {ID: "x", Capacity: 1, PerAccount: 1 << 40}} {
		if _, err := l.Create(t.Context(), bad); !errors.Is(err, booking.ErrInvalid) {
			t.Errorf("create(%+v): got %v, want %v", bad, err, booking.ErrInvalid)
		}
	}
	if _, err := l.Create(t.Context(), booking.Sale{ID: "r", Capacity: 1, PerAccount: 1}); err != nil {
		t.Fatal(err)
	}
	setState(t, l, booking.Closed)
	if got := ids(t, l.Sales); got != "[r]" {
		t.Errorf("sales: got %s, want [r]", got)
	}
	if got := ids(t, l.AllSales); got != "[r s]" {
		t.Errorf("all sales: got %s, want [r s]", got)
	}
	if _, err := l.Sale(t.Context(), "nowhere"); !errors.Is(err, booking.ErrUnknownSale) {
		t.Errorf("unknown sale: got %v, want %v", err, booking.ErrUnknownSale)
	}
}

func otherAccounts(t *testing.T, l truth) {
	newSale(t, l, 3, 2)
	b := book(t, l, "ann", "k1", 1).Booking
	if got, err := l.Get(t.Context(), "ann", b.ID); err != nil || got != b {
		t.Errorf("get: got %+v, %v, want %+v", got, err, b)
	}
	for _, c := range []struct {
		account string
		id      int64
	}{{"bob", b.ID}, {"ann", b.ID + 1}, {"ann", 0}, {"ann", -1}} {
		if _, err := l.Get(t.Context(), c.account, c.id); !errors.Is(err, booking.ErrUnknownBooking) {
			t.Errorf("get(%s, %d): got %v, want %v", c.account, c.id, err, booking.ErrUnknownBooking)
		}
		if _, _, _, err := l.Cancel(t.Context(), c.account, c.id); !errors.Is(err, booking.ErrUnknownBooking) {
			t.Errorf("cancel(%s, %d): got %v, want %v", c.account, c.id, err, booking.ErrUnknownBooking)
		}
	}
	if other := book(t, l, "bob", "k1", 1); other.Booking.ID == b.ID {
		t.Errorf("the same key of another account: got booking %d, want a new one", other.Booking.ID)
	}
}

// neverOversells lets 64 buyers fight over 10 seats, each with one retry of the same key running beside it.
func neverOversells(t *testing.T, l truth) {
	newSale(t, l, 10, 2)
	var mu sync.Mutex
	versions, byIntent := map[int64]int{}, map[string]int64{}
	var buyers sync.WaitGroup
	for i := range 64 {
		buyers.Go(func() {
			in := intent(fmt.Sprintf("a%d", i/2), "k1", 1+i/2%2)
			res, err := l.Book(t.Context(), "s", []booking.Intent{in})
			if err != nil || res[0].Err != nil && !errors.Is(res[0].Err, booking.ErrSoldOut) {
				t.Errorf("book(%+v): got %v, %v", in, res, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if res[0].Err != nil {
				return
			}
			b := res[0].Answer.Booking
			if old, ok := byIntent[in.ID()]; ok && old != b.ID {
				t.Errorf("intent %s: got bookings %d and %d, want one", in.ID(), old, b.ID)
			}
			byIntent[in.ID()], versions[b.Version] = b.ID, b.Quantity
		})
	}
	buyers.Wait()
	sold := 0
	for v := int64(1); v <= int64(len(versions)); v++ {
		if versions[v] == 0 {
			t.Errorf("version %d: missing among %v, want 1..%d without a gap", v, versions, len(versions))
		}
		sold += versions[v]
	}
	wantSnapshot(t, l, int64(10-sold), int64(len(versions)))
	if sold != 10 && sold != 9 { // 9: the last seat was left by buyers of two
		t.Errorf("seats sold: got %d, want 9 or 10", sold)
	}
}

func newSale(t *testing.T, l truth, capacity int64, perAccount int) booking.Sale {
	t.Helper()
	s, err := l.Create(t.Context(), booking.Sale{ID: "s", Capacity: capacity, PerAccount: perAccount})
	if err != nil || s.State != booking.Scheduled || s.Free != capacity {
		t.Fatalf("create: got %+v, %v", s, err)
	}
	return setState(t, l, booking.Open)
}

func setState(t *testing.T, l truth, st booking.SaleState) booking.Sale {
	t.Helper()
	s, err := l.SetState(t.Context(), "s", st)
	if err != nil || s.State != st {
		t.Fatalf("set state %s: got %+v, %v", st, s, err)
	}
	return s
}

func intent(account, key string, n int) booking.Intent {
	return booking.Intent{Sale: "s", Account: account, Key: key, Quantity: n}
}

func book(t *testing.T, l truth, account, key string, n int) booking.Answer {
	t.Helper()
	res, err := l.Book(t.Context(), "s", []booking.Intent{intent(account, key, n)})
	if err != nil || len(res) != 1 || res[0].Err != nil {
		t.Fatalf("book(%s, %s, %d): got %+v, %v", account, key, n, res, err)
	}
	return res[0].Answer
}

func bookErr(t *testing.T, l truth, in booking.Intent) error {
	t.Helper()
	res, err := l.Book(t.Context(), "s", []booking.Intent{in})
	if err != nil || len(res) != 1 {
		t.Fatalf("book(%+v): got %+v, %v, want one result", in, res, err)
	}
	return res[0].Err
}

func word(r booking.Result) string {
	var sold *booking.SoldOutError
	switch {
	case r.Err == nil:
		return fmt.Sprintf("%d %s", r.Answer.Booking.Version, r.Answer.Path)
	case errors.As(r.Err, &sold):
		return fmt.Sprintf("sold out at %d", sold.Version)
	case errors.Is(r.Err, booking.ErrKeyReused):
		return "key reused"
	case errors.Is(r.Err, booking.ErrAccountLimit):
		return "limit"
	case errors.Is(r.Err, booking.ErrUnknownSale):
		return "unknown sale"
	case errors.Is(r.Err, booking.ErrInvalid):
		return "invalid"
	}
	return r.Err.Error()
}

func wantSnapshot(t *testing.T, l truth, free, version int64) {
	t.Helper()
	if got, err := l.Snapshot(t.Context(), "s"); err != nil || got != (booking.Snapshot{Free: free, Version: version}) {
		t.Errorf("snapshot: got %+v, %v, want free %d at version %d", got, err, free, version)
	}
}

func ids(t *testing.T, list func(context.Context) ([]booking.Sale, error)) string {
	t.Helper()
	sales, err := list(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range sales {
		out = append(out, s.ID)
	}
	return fmt.Sprint(out)
}
