package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/ledger"
	"gatecrash/system/reconcile"
)

// openLedger gives a ledger on Postgres in a schema of its own.
func openLedger(t *testing.T) *ledger.Ledger {
	t.Helper()
	cfg := ledger.DefaultConfig(srv.Postgres(t))
	cfg.Schema, cfg.MaxConns = srv.Schema(t), 8
	cfg.Acquire, cfg.Lock, cfg.Statement, cfg.Connect = 20*time.Second, 10*time.Second, 20*time.Second, 20*time.Second // a loaded machine is no failure
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

// TestCrowdOnRealServers lets 64 buyers fight over 40 seats through the whole path, while a reconciler runs and the gate loses everything once.
// A quarter of the buyers die after their debit, and a quarter after their commit.
func TestCrowdOnRealServers(t *testing.T) {
	t.Parallel()
	g, l := openGate(t), openLedger(t)
	if _, err := l.Create(t.Context(), booking.Sale{ID: "s", Capacity: 40, PerAccount: 4}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.SetState(t.Context(), "s", booking.Open); err != nil {
		t.Fatal(err)
	}
	worker := newWorker(t, g, l, l.Leader("reconcile", time.Minute), func(reconcile.Pass) {})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var workers, buyers sync.WaitGroup
	workers.Go(func() { worker.Run(ctx) })

	var mu sync.Mutex
	sold := map[int64]booking.Booking{} // by id
	for i := range 64 {
		buyers.Go(func() {
			s := service(g, l, worker, i)
			in := booking.Intent{Sale: "s", Account: fmt.Sprint("a", i), Key: "k", Quantity: 1 + i%3}
			ans, died, err := bookOrDie(t.Context(), s, in)
			switch {
			case died:
			case err == nil:
				mu.Lock()
				sold[ans.Booking.ID] = ans.Booking
				mu.Unlock()
			case !errors.Is(err, booking.ErrSoldOut) && !errors.Is(err, booking.ErrGateSoldOut):
				t.Errorf("book(%+v): %v", in, err)
			}
			if i == 32 {
				if err := g.Forget(t.Context(), "s"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	buyers.Wait()
	cancel()
	workers.Wait()

	for i := range 2 {
		r, err := reconcile.Drain(t.Context(), g, l, func() string { return fmt.Sprint("drain", i) })
		if err != nil || r.Left() != 0 || r.Sales[0].To != r.Sales[0].Free || i == 1 && r.Changed() {
			t.Errorf("drain %d: got %+v, %v, want no debit, avail = free, and no change the second time", i+1, r, err)
		}
	}
	told := int64(0)
	for _, b := range sold {
		told += int64(b.Quantity)
	}
	if s, err := l.Sale(t.Context(), "s"); err != nil || told > 40-s.Free || s.Free < 0 {
		t.Errorf("sale: got %+v, %v, with %d seats told to buyers", s, err, told)
	}
}

type death struct{}

// bookOrDie books until a crash point kills the buyer.
func bookOrDie(ctx context.Context, s *booking.Service, in booking.Intent) (ans booking.Answer, died bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(death); !ok {
				panic(r)
			}
			died = true
		}
	}()
	ans, err = s.Book(ctx, in)
	return ans, false, err
}

// service gives buyer i its own service: of each four, one dies after the debit and one after the commit.
func service(g booking.Gate, l booking.Ledger, worker *reconcile.Reconciler, i int) *booking.Service {
	fatal := map[int]string{1: booking.PointDebited, 2: booking.PointBooked}[i%4]
	return &booking.Service{
		Gate: g, Ledger: l, Fallback: booking.NewSlots(64), Replays: directly{l}, Refill: worker.Kick,
		Crash: func(_ context.Context, p string) {
			if p == fatal {
				panic(death{})
			}
		},
		NewOwner: func() string { return fmt.Sprint("o", i) },
		Observe:  func(booking.Event) {},
		Settings: booking.Settings{Lease: time.Millisecond, Deadline: time.Minute, GateBudget: 10 * time.Second, RetryAfter: time.Second},
	}
}

// directly looks a booking up without waiting for others.
type directly struct{ l booking.Ledger }

func (d directly) Find(ctx context.Context, in booking.Intent) (booking.Booking, error) {
	r, err := d.l.Lookup(ctx, []booking.Intent{in})
	if err != nil {
		return booking.Booking{}, err
	}
	return r[0].Answer.Booking, r[0].Err
}
