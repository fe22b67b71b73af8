package booking_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/gate"
	"gatecrash/system/ledger"
	"gatecrash/system/reconcile"
)

var errCut = errors.New("connection cut")

// rig is a service over memory whose calls can be made to fail.
type rig struct {
	*booking.Service
	gate   *faultyGate
	ledger *faultyLedger
	events []booking.Event
	points []string
	refill []string
}

// faultyGate fails the calls of a name: "before" does nothing, "after" does it and loses the answer.
type faultyGate struct {
	*gate.Memory
	fail map[string]string
	late context.Context // the last context that a call was given
}

func (g *faultyGate) wrap(ctx context.Context, name string, call func()) error {
	g.late = ctx
	if err := ctx.Err(); err != nil {
		return err
	}
	if g.fail[name] == "before" {
		return errCut
	}
	call()
	if g.fail[name] == "after" {
		return errCut
	}
	return nil
}

func (g *faultyGate) Reserve(ctx context.Context, in booking.Intent, owner string, lease time.Duration) (r booking.Reservation, err error) {
	cut := g.wrap(ctx, "reserve", func() { r, err = g.Memory.Reserve(ctx, in, owner, lease) })
	return r, errors.Join(cut, err)
}

func (g *faultyGate) Settle(ctx context.Context, in booking.Intent, version int64) (err error) {
	cut := g.wrap(ctx, "settle", func() { err = g.Memory.Settle(ctx, in, version) })
	return errors.Join(cut, err)
}

func (g *faultyGate) Refund(ctx context.Context, in booking.Intent, owner string) (err error) {
	cut := g.wrap(ctx, "refund", func() { err = g.Memory.Refund(ctx, in, owner) })
	return errors.Join(cut, err)
}

func (g *faultyGate) Credit(ctx context.Context, sale string, c booking.Change) (err error) {
	cut := g.wrap(ctx, "credit", func() { err = g.Memory.Credit(ctx, sale, c) })
	return errors.Join(cut, err)
}

// faultyLedger answers Book and Cancel by a script, one step a call: "" decides, "unknown" does not decide and says so, "applied" decides and
// says unknown, "overloaded" and "dependency" do not decide. After the script it decides.
type faultyLedger struct {
	*ledger.Memory
	script []string
	calls  int
}

func (l *faultyLedger) next(ctx context.Context, call func()) error {
	step := ""
	if l.calls < len(l.script) {
		step = l.script[l.calls]
	}
	l.calls++
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", booking.ErrDependency, err)
	}
	if step == "" || step == "applied" {
		call()
	}
	return map[string]error{
		"unknown": booking.ErrUnknownOutcome, "applied": booking.ErrUnknownOutcome, "overloaded": booking.ErrOverloaded, "dependency": booking.ErrDependency,
	}[step]
}

func (l *faultyLedger) Book(ctx context.Context, sale string, intents []booking.Intent) (r []booking.Result, err error) {
	if lost := l.next(ctx, func() { r, err = l.Memory.Book(ctx, sale, intents) }); lost != nil {
		return nil, lost
	}
	return r, err
}

func (l *faultyLedger) Cancel(ctx context.Context, account string, id int64) (b booking.Booking, c booking.Change, done bool, err error) {
	if lost := l.next(ctx, func() { b, c, done, err = l.Memory.Cancel(ctx, account, id) }); lost != nil {
		return booking.Booking{}, booking.Change{}, false, lost
	}
	return b, c, done, err
}

// direct looks a booking up without waiting for others.
type direct struct{ l booking.Ledger }

func (d direct) Find(ctx context.Context, in booking.Intent) (booking.Booking, error) {
	r, err := d.l.Lookup(ctx, []booking.Intent{in})
	if err != nil {
		return booking.Booking{}, err
	}
	return r[0].Answer.Booking, r[0].Err
}

// newRig gives a service over an open sale of 10 seats, 4 for an account, that the gate knows.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{gate: &faultyGate{Memory: gate.NewMemory(time.Now), fail: map[string]string{}}, ledger: &faultyLedger{Memory: ledger.NewMemory(time.Now)}}
	owners := 0
	r.Service = &booking.Service{
		Gate: r.gate, Ledger: r.ledger, Fallback: booking.NewSlots(1), Replays: direct{r.ledger},
		Refill:   func(sale string) { r.refill = append(r.refill, sale) },
		Crash:    func(_ context.Context, p string) { r.points = append(r.points, p) },
		NewOwner: func() string { owners++; return fmt.Sprint("o", owners) },
		Observe:  func(e booking.Event) { r.events = append(r.events, e) },
		Settings: booking.Settings{Lease: time.Hour, Deadline: time.Minute, GateBudget: time.Minute, RetryAfter: 500 * time.Millisecond},
	}
	if _, err := r.ledger.Create(t.Context(), booking.Sale{ID: "s", Capacity: 10, PerAccount: 4}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ledger.SetState(t.Context(), "s", booking.Open); err != nil {
		t.Fatal(err)
	}
	if _, err := r.gate.Init(t.Context(), "s", booking.Snapshot{Free: 10}, "e"); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) booksDirectly(t *testing.T, account string, n int) booking.Booking {
	t.Helper()
	res, err := r.ledger.Memory.Book(t.Context(), "s", []booking.Intent{ask(account, n)})
	if err != nil || res[0].Err != nil {
		t.Fatal(err, res)
	}
	return res[0].Answer.Booking
}

func ask(account string, n int) booking.Intent {
	return booking.Intent{Sale: "s", Account: account, Key: "k", Quantity: n}
}

// TestBook makes each call fail in each way: who gets which answer, and what is left at the gate. After each case the world is drained: the
// gate must show what the truth has free.
func TestBook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		set    func(t *testing.T, r *rig)
		in     booking.Intent
		err    error
		path   booking.Path
		booked bool // the truth holds a booking of the intent
		debits int  // left at the gate
		avail  int64
		events string
	}{
		{name: "good", in: ask("ann", 2), path: booking.PathDB, booked: true, avail: 8},
		{name: "a retry of what is settled", in: ask("ann", 2), path: booking.PathReplay, booked: true, avail: 8,
			set: func(t *testing.T, r *rig) { _, _ = r.Book(t.Context(), ask("ann", 2)); r.points = nil }},
		{name: "a retry of what the gate has forgotten", in: ask("ann", 2), path: booking.PathReplay, booked: true, avail: 8,
			set: func(t *testing.T, r *rig) {
				r.booksDirectly(t, "ann", 2)
				_, _ = r.gate.Repair(t.Context(), "s", "e", booking.Snapshot{Free: 8, Version: 1})
			}},
		{name: "another attempt holds the debit", in: ask("ann", 2), path: booking.PathDB, booked: true, avail: 8,
			set: func(t *testing.T, r *rig) { _, _ = r.gate.Reserve(t.Context(), ask("ann", 2), "other", time.Hour) }},
		{name: "another attempt holds the debit and this one fails", in: ask("ann", 2), err: booking.ErrOverloaded, debits: 1, avail: 8,
			set: func(t *testing.T, r *rig) {
				_, _ = r.gate.Reserve(t.Context(), ask("ann", 2), "other", time.Hour)
				r.ledger.script = []string{"overloaded"}
			}},

		{name: "sold out at the gate", in: ask("ann", 2), err: booking.ErrGateSoldOut, avail: 1, events: "gate_sold_out", set: drained(9)},
		{name: "sold out at the gate, booked before", in: ask("bob", 2), path: booking.PathReplay, booked: true, avail: 1, events: "gate_sold_out",
			set: func(t *testing.T, r *rig) { r.booksDirectly(t, "bob", 2); drained(9)(t, r) }},
		{name: "sold out at the gate, key reused", in: ask("bob", 3), err: booking.ErrKeyReused, booked: true, avail: 1, events: "gate_sold_out",
			set: func(t *testing.T, r *rig) { r.booksDirectly(t, "bob", 2); drained(9)(t, r) }},

		{name: "sold out in the truth", in: ask("ann", 2), err: booking.ErrSoldOut, avail: 50,
			set: func(t *testing.T, r *rig) { sellAll(t, r); _, _ = r.gate.Inflate(t.Context(), "s", 50) }},
		{name: "over the limit", in: ask("ann", 5), err: booking.ErrAccountLimit, avail: 10},
		{name: "paused", in: ask("ann", 2), err: booking.ErrNotOpen, avail: 10,
			set: func(t *testing.T, r *rig) { _, _ = r.ledger.SetState(t.Context(), "s", booking.Paused) }},
		{name: "key reused", in: ask("ann", 2), err: booking.ErrKeyReused, booked: true, avail: 10,
			set: func(t *testing.T, r *rig) { r.booksDirectly(t, "ann", 1) }},
		{name: "invalid", in: ask("ann", 0), err: booking.ErrInvalid, avail: 10},

		{name: "the gate is cut", in: ask("ann", 2), path: booking.PathDB, booked: true, avail: 8, events: "fallback", set: fails("reserve", "before")},
		{name: "the gate's answer is lost", in: ask("ann", 2), path: booking.PathDB, booked: true, avail: 8, events: "fallback",
			set: fails("reserve", "after")},
		{name: "the gate has lost the sale", in: ask("ann", 2), path: booking.PathDB, booked: true, events: "fallback",
			set: func(t *testing.T, r *rig) { _ = r.gate.Forget(t.Context(), "s") }},
		{name: "the gate is cut and the fallback full", in: ask("ann", 2), err: booking.ErrOverloaded, avail: 10, events: "fallback_full",
			set: func(t *testing.T, r *rig) { fails("reserve", "before")(t, r); _, _ = r.Fallback.TryAcquire() }},
		{name: "the gate's answer is lost and the fallback full", in: ask("ann", 2), err: booking.ErrOverloaded, avail: 10, events: "fallback_full",
			set: func(t *testing.T, r *rig) { fails("reserve", "after")(t, r); _, _ = r.Fallback.TryAcquire() }},
		{name: "the gate's answer is lost and so are the truth's", in: ask("ann", 2), err: booking.ErrUnknownOutcome, booked: true, debits: 1, avail: 8,
			events: "fallback debit_stranded", set: func(t *testing.T, r *rig) {
				fails("reserve", "after")(t, r)
				r.ledger.script = []string{"applied", "unknown"}
			}},
		{name: "the gate is cut and the truth overloaded", in: ask("ann", 2), err: booking.ErrOverloaded, avail: 10, events: "fallback",
			set: func(t *testing.T, r *rig) { fails("reserve", "before")(t, r); r.ledger.script = []string{"overloaded"} }},

		{name: "the truth is overloaded", in: ask("ann", 2), err: booking.ErrOverloaded, avail: 10, set: answers("overloaded")},
		{name: "the truth is down", in: ask("ann", 2), err: booking.ErrDependency, avail: 10, set: answers("dependency")},
		{name: "the truth is down and the refund lost", in: ask("ann", 2), err: booking.ErrDependency, debits: 1, avail: 8, events: "refund_failed",
			set: func(t *testing.T, r *rig) { fails("refund", "before")(t, r); r.ledger.script = []string{"dependency"} }},
		{name: "the commit's answer is lost", in: ask("ann", 2), path: booking.PathReplay, booked: true, avail: 8, set: answers("applied")},
		{name: "the commit is lost", in: ask("ann", 2), path: booking.PathDB, booked: true, avail: 8, set: answers("unknown")},
		{name: "both answers are lost", in: ask("ann", 2), err: booking.ErrUnknownOutcome, booked: true, debits: 1, avail: 8, events: "debit_stranded",
			set: answers("applied", "applied")},
		{name: "both commits are lost", in: ask("ann", 2), err: booking.ErrUnknownOutcome, debits: 1, avail: 8, events: "debit_stranded",
			set: answers("unknown", "unknown")},
		{name: "the commit's answer is lost, then the truth is down", in: ask("ann", 2), err: booking.ErrUnknownOutcome, booked: true, debits: 1, avail: 8,
			events: "debit_stranded", set: answers("applied", "dependency")},
		{name: "the commit is lost, then it is refused", in: ask("ann", 5), err: booking.ErrAccountLimit, avail: 10, set: answers("unknown")},

		{name: "the settle is cut", in: ask("ann", 2), path: booking.PathDB, booked: true, debits: 1, avail: 8, events: "settle_failed", set: fails("settle", "before")},
		{name: "the settle's answer is lost", in: ask("ann", 2), path: booking.PathDB, booked: true, avail: 8, events: "settle_failed", set: fails("settle", "after")},

		{name: "the gate is off", in: ask("ann", 2), path: booking.PathDB, booked: true, avail: 10, set: func(_ *testing.T, r *rig) { r.Settings.GateOff = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if c.set != nil {
				c.set(t, r)
			}
			r.events = nil
			ans, err := r.Book(t.Context(), c.in)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || errors.Is(err, booking.ErrUnknownOutcome) != errors.Is(c.err, booking.ErrUnknownOutcome) {
				t.Errorf("book(%+v): got %v, want %v", c.in, err, c.err)
			}
			if ans.Path != c.path || err == nil && (ans.Booking.Quantity != c.in.Quantity || ans.Booking.Account != c.in.Account || ans.Booking.Version == 0) {
				t.Errorf("book(%+v): got %+v, want it by %q", c.in, ans, c.path)
			}
			if got, err := r.ledger.Resolve(t.Context(), c.in.Sale, []booking.Intent{c.in}); err != nil || (got[0].Err == nil) != c.booked {
				t.Errorf("in the truth: got %v, want booked %v", err, c.booked)
			}
			if v, _ := r.gate.View(t.Context(), "s"); len(v.Debits) != c.debits || v.Avail != c.avail {
				t.Errorf("at the gate: got %+v, want avail %d, %d debits", v, c.avail, c.debits)
			}
			if got := strings.Trim(fmt.Sprint(r.events), "[]"); got != c.events {
				t.Errorf("events: got %q, want %q", got, c.events)
			}
			proveDrained(t, r)
		})
	}
}

func fails(call, how string) func(*testing.T, *rig) {
	return func(_ *testing.T, r *rig) { r.gate.fail[call] = how }
}

func answers(script ...string) func(*testing.T, *rig) {
	return func(_ *testing.T, r *rig) { r.ledger.script = script }
}

// drained settles n seats at the gate of which the truth knows nothing.
func drained(n int64) func(*testing.T, *rig) {
	return func(t *testing.T, r *rig) {
		_ = r.gate.Credit(t.Context(), "s", booking.Change{ID: "stale", Seats: -n, Version: 1})
	}
}

func sellAll(t *testing.T, r *rig) {
	for _, account := range []string{"x", "y"} {
		r.booksDirectly(t, account, 4)
	}
	r.booksDirectly(t, "z", 2)
}

func proveDrained(t *testing.T, r *rig) {
	t.Helper()
	r.gate.fail = map[string]string{}
	if _, err := reconcile.Drain(t.Context(), r.gate, r.ledger, func() string { return "drain" }); err != nil {
		t.Fatal(err)
	}
	again, err := reconcile.Drain(t.Context(), r.gate, r.ledger, func() string { return "drain" })
	if err != nil || again.Changed() || again.Left() != 0 || again.Sales[0].To != again.Sales[0].Free {
		t.Errorf("after the drain: got %+v, %v, want the gate to show what is free", again, err)
	}
}

// TestGateRefusalSaysWhenToRetry holds the answers that are not final against the time they carry.
func TestGateRefusalSaysWhenToRetry(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*testing.T, *rig){
		"sold out for now": drained(9),
		"fallback full":    func(t *testing.T, r *rig) { fails("reserve", "before")(t, r); _, _ = r.Fallback.TryAcquire() },
	} {
		r := newRig(t)
		set(t, r)
		_, err := r.Book(t.Context(), ask("ann", 2))
		var retry *booking.RetryError
		if !errors.As(err, &retry) || retry.After != r.Settings.RetryAfter {
			t.Errorf("%s: got %v, want a retry after %v", name, err, r.Settings.RetryAfter)
		}
	}
}

// TestFallbackIsGivenBack books twice without the gate, under a bound of one.
func TestFallbackIsGivenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	fails("reserve", "before")(t, r)
	for _, account := range []string{"ann", "bob"} {
		if _, err := r.Book(t.Context(), ask(account, 1)); err != nil {
			t.Errorf("book(%s): got %v, want a booking", account, err)
		}
	}
}

// TestMissingAsksForRefill names the sale that the gate has lost.
func TestMissingAsksForRefill(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_ = r.gate.Forget(t.Context(), "s")
	if _, err := r.Book(t.Context(), ask("ann", 1)); err != nil || fmt.Sprint(r.refill) != "[s]" {
		t.Errorf("book: got %v, refilled %v, want [s]", err, r.refill)
	}
}

// TestVisitorHangsUp ends the request's context before and during the booking: the work goes on and leaves nothing half-way.
func TestVisitorHangsUp(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"", booking.PointDebited, booking.PointBooked} {
		r := newRig(t)
		ctx, hangUp := context.WithCancel(t.Context())
		defer hangUp()
		if at == "" {
			hangUp()
		}
		r.Crash = func(_ context.Context, p string) {
			if p == at {
				hangUp()
			}
		}
		if _, err := r.Book(ctx, ask("ann", 2)); err != nil {
			t.Errorf("hung up at %q: got %v, want a booking", at, err)
		}
		if v, _ := r.gate.View(t.Context(), "s"); v.Avail != 8 || len(v.Debits) != 0 {
			t.Errorf("hung up at %q: got %+v, want it settled", at, v)
		}
		if _, bounded := r.gate.late.Deadline(); !bounded {
			t.Errorf("hung up at %q: the settle has no deadline", at)
		}
	}
}

func TestCrashPoints(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ans, err := r.Book(t.Context(), ask("ann", 2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Cancel(t.Context(), "ann", ans.Booking.ID); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint([]string{booking.PointDebited, booking.PointBooked, booking.PointSettled, booking.PointCanceled})
	if got := fmt.Sprint(r.points); got != want {
		t.Errorf("crash points: got %s, want %s", got, want)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		set    func(*testing.T, *rig)
		who    string
		err    error
		avail  int64
		events string
	}{
		{name: "good", who: "ann", avail: 10},
		{name: "twice", who: "ann", avail: 10, set: func(t *testing.T, r *rig) { _, _ = r.Cancel(t.Context(), "ann", 1) }},
		{name: "another's", who: "bob", err: booking.ErrUnknownBooking, avail: 8},
		{name: "the credit is cut", who: "ann", avail: 8, events: "credit_failed", set: fails("credit", "before")},
		{name: "the credit's answer is lost", who: "ann", avail: 10, events: "credit_failed", set: fails("credit", "after")},
		{name: "the truth is down", who: "ann", err: booking.ErrDependency, avail: 8, set: answers("", "dependency")},
		{name: "the commit's answer is lost", who: "ann", err: booking.ErrUnknownOutcome, avail: 8, set: answers("", "applied")},
		{name: "the gate is off", who: "ann", avail: 8, set: func(_ *testing.T, r *rig) { r.Settings.GateOff = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			ans, err := r.Book(t.Context(), ask("ann", 2))
			if err != nil {
				t.Fatal(err)
			}
			if c.set != nil {
				c.set(t, r)
			}
			b, err := r.Cancel(t.Context(), c.who, ans.Booking.ID)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || err == nil && b.State != booking.Cancelled {
				t.Errorf("cancel: got %+v, %v, want %v", b, err, c.err)
			}
			if v, _ := r.gate.View(t.Context(), "s"); v.Avail != c.avail {
				t.Errorf("at the gate: got %+v, want avail %d", v, c.avail)
			}
			if got := strings.Trim(fmt.Sprint(r.events), "[]"); got != c.events {
				t.Errorf("events: got %q, want %q", got, c.events)
			}
			proveDrained(t, r)
		})
	}
}
