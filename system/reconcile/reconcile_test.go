package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/gate"
	"gatecrash/system/ledger"
	"gatecrash/system/reconcile"
)

// election is a Lead for several candidates in memory. A candidate that is cut cannot tell whether it leads.
type election struct {
	mu     sync.Mutex
	leader *ballot
}

type ballot struct {
	e   *election
	cut bool
}

func (b *ballot) Hold(context.Context) (bool, error) {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	if b.cut {
		if b.e.leader == b {
			b.e.leader = nil
		}
		return false, booking.ErrDependency
	}
	if b.e.leader == nil {
		b.e.leader = b
	}
	return b.e.leader == b, nil
}

func (b *ballot) Release(context.Context) {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	if b.e.leader == b {
		b.e.leader = nil
	}
}

func (b *ballot) setCut(cut bool) {
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	b.cut = cut
}

// replica is a running Reconciler and what it observed.
type replica struct {
	*reconcile.Reconciler
	ballot *ballot
	mu     sync.Mutex
	passes []reconcile.Pass
}

func (r *replica) observe(p reconcile.Pass) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passes = append(r.passes, p)
}

// take gives the passes since the last take.
func (r *replica) take() []reconcile.Pass {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.passes
	r.passes = nil
	return p
}

// start runs a replica until the test ends.
func start(t *testing.T, e *election, g reconcile.Gate, l reconcile.Ledger) (r *replica, stop func()) {
	t.Helper()
	r = &replica{ballot: &ballot{e: e}}
	r.Reconciler = newWorker(t, g, l, r.ballot, r.observe)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	synctest.Wait()
	return r, func() { cancel(); running.Wait() }
}

func openSale(t *testing.T, l *ledger.Memory, seats int64) {
	t.Helper()
	if _, err := l.Create(t.Context(), booking.Sale{ID: "s", Capacity: seats, PerAccount: 10}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.SetState(t.Context(), "s", booking.Open); err != nil {
		t.Fatal(err)
	}
}

func wantAvail(t *testing.T, g booking.Gate, avail int64, debits int) {
	t.Helper()
	if v, err := g.View(t.Context(), "s"); err != nil || !v.Present || v.Avail != avail || len(v.Debits) != debits {
		t.Errorf("view: got %+v, %v, want avail %d, %d debits", v, err, avail, debits)
	}
}

// TestRunLeads lets two replicas run: one works, and when it is cut off, the other does within a period.
func TestRunLeads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, l, e := gate.NewMemory(time.Now), ledger.NewMemory(time.Now), &election{}
		openSale(t, l, 10)
		a, stopA := start(t, e, g, l)
		b, stopB := start(t, e, g, l)
		defer stopB()
		time.Sleep(10*time.Second + 250*time.Millisecond)
		if got := len(a.take()); got != 21 {
			t.Errorf("passes of the leader in ten seconds: got %d, want 21", got)
		}
		if got := b.take(); len(got) != 0 {
			t.Errorf("passes of the other: got %+v, want none", got)
		}
		a.ballot.setCut(true)
		time.Sleep(time.Second)
		if lost := a.take(); len(lost) == 0 || !errors.Is(lost[0].Err, booking.ErrDependency) || lost[0].Sale != "" {
			t.Errorf("passes of the one that was cut off: got %+v, want the loss reported", lost)
		}
		if got := b.take(); len(got) == 0 || got[0].Result() != "repaired" {
			t.Errorf("passes of the other: got %+v, want repairs", got)
		}
		stopA()
		b.ballot.setCut(false)
	})
}

// TestRunStopsLeading releases the lead at the end.
func TestRunStopsLeading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, l, e := gate.NewMemory(time.Now), ledger.NewMemory(time.Now), &election{}
		_, stop := start(t, e, g, l)
		stop()
		if e.leader != nil {
			t.Error("leader after the end: got one, want none")
		}
	})
}

// TestRunRepairsAtOnce restarts the gate's server: within a probe, not a period, the sale is set up again.
func TestRunRepairsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, l := gate.NewMemory(time.Now), ledger.NewMemory(time.Now)
		openSale(t, l, 10)
		r, stop := start(t, &election{}, g, l)
		defer stop()
		wantAvail(t, g, 10, 0)
		r.take()
		time.Sleep(501 * time.Millisecond) // just after a pass
		synctest.Wait()
		r.take()
		g.Restart()
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		wantAvail(t, g, 10, 0)
		if got := r.take(); len(got) != 1 || !got[0].Initialised {
			t.Errorf("passes within 100 ms of the restart: got %+v, want one that initialised", got)
		}
	})
}

// TestKickSetsUp kicks a replica that does not lead; a sale that nobody knows is reported and no more.
func TestKickSetsUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, l, e := gate.NewMemory(time.Now), ledger.NewMemory(time.Now), &election{}
		openSale(t, l, 10)
		_, stopA := start(t, e, g, l)
		defer stopA()
		b, stopB := start(t, e, g, l)
		defer stopB()
		time.Sleep(time.Millisecond)
		if err := g.Forget(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			b.Kick("s")
		}
		synctest.Wait()
		wantAvail(t, g, 10, 0)
		set := 0
		for _, p := range b.take() {
			if p.Initialised {
				set++
			}
		}
		if set != 1 {
			t.Errorf("a hundred kicks: set up %d times, want once", set)
		}
		b.Kick("nowhere")
		synctest.Wait()
		if got := b.take(); len(got) != 1 || !errors.Is(got[0].Err, booking.ErrUnknownSale) {
			t.Errorf("kick for an unknown sale: got %+v, want %v", got, booking.ErrUnknownSale)
		}
	})
}

// TestClaimIsLeft lets another replica hold the claim: nobody waits, and its lease ends it.
func TestClaimIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, l := gate.NewMemory(time.Now), ledger.NewMemory(time.Now)
		openSale(t, l, 10)
		if ok, err := g.Claim(t.Context(), "s", "a replica that died", 700*time.Millisecond); !ok || err != nil {
			t.Fatal(ok, err)
		}
		r, stop := start(t, &election{}, g, l)
		defer stop()
		if got := r.take(); len(got) != 1 || got[0].Result() != "idle" {
			t.Errorf("pass while another sets up: got %+v, want idle", got)
		}
		time.Sleep(1001 * time.Millisecond)
		synctest.Wait()
		wantAvail(t, g, 10, 0)
	})
}

// TestStrandedWithinLeaseAndPeriod strands a debit and counts the time until its seats are back.
func TestStrandedWithinLeaseAndPeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, l := gate.NewMemory(time.Now), ledger.NewMemory(time.Now)
		openSale(t, l, 10)
		_, stop := start(t, &election{}, g, l)
		defer stop()
		time.Sleep(120 * time.Millisecond)
		if got, err := g.Reserve(t.Context(), booking.Intent{Sale: "s", Account: "ann", Key: "k", Quantity: 3}, "dead", 5*time.Second); got != booking.Taken || err != nil {
			t.Fatal(got, err)
		}
		time.Sleep(4900 * time.Millisecond)
		synctest.Wait()
		wantAvail(t, g, 7, 1)
		time.Sleep(600 * time.Millisecond)
		synctest.Wait()
		wantAvail(t, g, 10, 0)
	})
}

// TestPassTakesManyDebits strands more debits than one batch holds, and more than a pass takes.
func TestPassTakesManyDebits(t *testing.T) {
	t.Parallel()
	g, l := gate.NewMemory(time.Now), ledger.NewMemory(time.Now)
	openSale(t, l, 1000)
	cfg := reconcile.DefaultConfig()
	cfg.Batch, cfg.Rounds = 10, 5
	r, err := reconcile.New(cfg, g, l, nobodyLeads{}, reconcile.Hooks{Crash: func(context.Context, string) {}, NewToken: tokens(), Observe: func(reconcile.Pass) {}})
	if err != nil {
		t.Fatal(err)
	}
	r.Pass(t.Context(), "s") // sets up
	for i := range 60 {
		if _, err := g.Reserve(t.Context(), booking.Intent{Sale: "s", Account: fmt.Sprint("a", i), Key: "k", Quantity: 1}, "dead", 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{50, 10, 0} {
		if p := r.Pass(t.Context(), "s"); p.Refunded != want || p.Err != nil {
			t.Errorf("pass: got %+v, want %d refunded", p, want)
		}
	}
	wantAvail(t, g, 1000, 0)
}

// TestTruthWentBack gives the gate a truth that has lost commits: the gate's state is set up anew, by a pass and by a drain.
func TestTruthWentBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		run  func(*testing.T, reconcile.Gate, *ledger.Memory)
	}{
		{"pass", func(t *testing.T, g reconcile.Gate, l *ledger.Memory) {
			p := newWorker(t, g, l, nobodyLeads{}, func(reconcile.Pass) {}).Pass(t.Context(), "s")
			if !p.Rebuilt || p.Err != nil {
				t.Errorf("pass: got %+v, want the sale rebuilt", p)
			}
		}},
		{"drain", func(t *testing.T, g reconcile.Gate, l *ledger.Memory) {
			for _, changed := range []bool{true, false} {
				if r, err := reconcile.Drain(t.Context(), g, l, tokens()); err != nil || r.Changed() != changed {
					t.Errorf("drain: got %+v, %v, want changed %v", r, err, changed)
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, l := gate.NewMemory(time.Now), ledger.NewMemory(time.Now)
			openSale(t, l, 10)
			if _, err := g.Init(t.Context(), "s", booking.Snapshot{Free: 2, Version: 8}, "e"); err != nil {
				t.Fatal(err)
			}
			c.run(t, g, l)
			wantAvail(t, g, 10, 0)
		})
	}
}

// TestCrashPoints names the points that a pass goes through, in their order.
func TestCrashPoints(t *testing.T) {
	t.Parallel()
	g, l := gate.NewMemory(time.Now), ledger.NewMemory(time.Now)
	openSale(t, l, 10)
	var points []string
	r, err := reconcile.New(reconcile.DefaultConfig(), g, l, nobodyLeads{}, reconcile.Hooks{
		Crash: func(_ context.Context, p string) { points = append(points, p) }, NewToken: tokens(), Observe: func(reconcile.Pass) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Pass(t.Context(), "s")
	if _, err := g.Reserve(t.Context(), booking.Intent{Sale: "s", Account: "ann", Key: "k", Quantity: 3}, "dead", 0); err != nil {
		t.Fatal(err)
	}
	r.Pass(t.Context(), "s")
	if got, want := fmt.Sprint(points), "[mid-reconcile resolved-before-refund mid-reconcile]"; got != want {
		t.Errorf("crash points: got %s, want %s", got, want)
	}
}

var errBroken = errors.New("broken")

// brokenGate fails the call named broken.
type brokenGate struct {
	reconcile.Gate
	broken string
}

func (b brokenGate) Settle(ctx context.Context, in booking.Intent, v int64) error {
	if b.broken == "settle" {
		return errBroken
	}
	return b.Gate.Settle(ctx, in, v)
}

func (b brokenGate) View(ctx context.Context, sale string) (booking.View, error) {
	if b.broken == "view" {
		return booking.View{}, errBroken
	}
	return b.Gate.View(ctx, sale)
}

// brokenLedger fails the call named broken.
type brokenLedger struct {
	reconcile.Ledger
	broken string
}

func (b brokenLedger) Resolve(ctx context.Context, sale string, in []booking.Intent) ([]booking.Result, error) {
	if b.broken == "resolve" {
		return nil, errBroken
	}
	return b.Ledger.Resolve(ctx, sale, in)
}

func (b brokenLedger) Lookup(ctx context.Context, in []booking.Intent) ([]booking.Result, error) {
	if b.broken == "lookup" {
		return nil, errBroken
	}
	return b.Ledger.Lookup(ctx, in)
}

func (b brokenLedger) Snapshot(ctx context.Context, sale string) (booking.Snapshot, error) {
	if b.broken == "snapshot" {
		return booking.Snapshot{}, errBroken
	}
	return b.Ledger.Snapshot(ctx, sale)
}

func (b brokenLedger) AllSales(ctx context.Context) ([]booking.Sale, error) {
	if b.broken == "sales" {
		return nil, errBroken
	}
	return b.Ledger.AllSales(ctx)
}

// TestFailuresAreTold breaks one call at a time: the pass and the drain say so, and neither refunds a debit whose fate is not known.
func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		call     string
		pass     bool // fails
		drain    bool // fails
		repaired bool // the pass repairs all the same
	}{
		{"resolve", true, true, true},
		{"settle", true, true, true},
		{"view", true, true, false},
		{"lookup", false, false, true},
		{"sales", false, true, true},
	} {
		t.Run(c.call, func(t *testing.T) {
			t.Parallel()
			g, l := gate.NewMemory(time.Now), ledger.NewMemory(time.Now)
			openSale(t, l, 10)
			if _, err := g.Init(t.Context(), "s", booking.Snapshot{Free: 10}, "e"); err != nil {
				t.Fatal(err)
			}
			in := booking.Intent{Sale: "s", Account: "ann", Key: "k", Quantity: 3}
			if _, err := g.Reserve(t.Context(), in, "dead", 0); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Book(t.Context(), "s", []booking.Intent{in}); err != nil {
				t.Fatal(err)
			}
			bg, bl := brokenGate{g, c.call}, brokenLedger{l, c.call}
			p := newWorker(t, bg, bl, nobodyLeads{}, func(reconcile.Pass) {}).Pass(t.Context(), "s")
			if (p.Err != nil) != c.pass || c.pass && !errors.Is(p.Err, errBroken) || p.Repaired != c.repaired || p.Refunded != 0 {
				t.Errorf("pass: got %+v, want failed %v, repaired %v", p, c.pass, c.repaired)
			}
			if c.call == "lookup" && (p.Before.Measured || p.After.Measured) {
				t.Errorf("drift without the look-up: got %+v and %+v, want not measured", p.Before, p.After)
			}
			if r, err := reconcile.Drain(t.Context(), bg, bl, tokens()); (err != nil) != c.drain {
				t.Errorf("drain: got %+v, %v, want failed %v", r, err, c.drain)
			}
		})
	}
}

// TestDebitOfAnotherSize resolves the debit of an attempt that reused a key with another quantity, without the repair that would hide an error.
func TestDebitOfAnotherSize(t *testing.T) {
	t.Parallel()
	g, l := gate.NewMemory(time.Now), ledger.NewMemory(time.Now)
	openSale(t, l, 10)
	if _, err := g.Init(t.Context(), "s", booking.Snapshot{Free: 10}, "e"); err != nil {
		t.Fatal(err)
	}
	in := booking.Intent{Sale: "s", Account: "ann", Key: "k", Quantity: 2}
	if _, err := l.Book(t.Context(), "s", []booking.Intent{in}); err != nil {
		t.Fatal(err)
	}
	in.Quantity = 5
	if _, err := g.Reserve(t.Context(), in, "dead", 0); err != nil {
		t.Fatal(err)
	}
	p := newWorker(t, g, brokenLedger{l, "snapshot"}, nobodyLeads{}, func(reconcile.Pass) {}).Pass(t.Context(), "s")
	if p.Settled != 1 || !errors.Is(p.Err, errBroken) {
		t.Errorf("pass: got %+v, want one settled and no repair", p)
	}
	wantAvail(t, g, 8, 0)
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	_, err := reconcile.New(reconcile.Config{}, nil, nil, nil, reconcile.Hooks{})
	for _, want := range []string{"every", "probe", "step", "claim", "batch", "rounds"} {
		if err == nil || !strings.Contains(err.Error(), "reconcile."+want) {
			t.Errorf("empty config: got %v, want reconcile.%s reported", err, want)
		}
	}
}
