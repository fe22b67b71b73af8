package reconcile_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatecrash/system/booking"
	"gatecrash/system/gate"
	"gatecrash/system/reconcile"
)

// TestAnyInterleaving lets attempts, cancels, repairs and crashes meet in any order. Each call of the gate is a message that arrives at any
// later time, twice, or never; the gate may lose everything. In the end all are dead and the world is drained: the gate must then show what
// the truth has free and hold no debit, and a second drain must change nothing. A failure prints its seed; -rapid.seed reruns it.
func TestAnyInterleaving(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(r *rapid.T) { interleave(t, r, gate.NewMemory(time.Now)) })
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		g := openGate(t)
		rapid.Check(t, func(r *rapid.T) {
			if err := g.Forget(context.Background(), "s"); err != nil {
				r.Fatal(err)
			}
			interleave(t, r, g)
		})
	})
}

// TestNothingLost is the same without crashes, losses and restarts: when all messages have arrived, in any order and however often, the gate
// is right by itself, without a last repair.
func TestNothingLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		c := &chaos{world: newWorld(t, gate.NewMemory(time.Now)), ctx: context.Background(), lossless: true}
		c.do([]string{"sale", "9"})
		c.do([]string{"init", "e"})
		r.Repeat(map[string]func(*rapid.T){
			"attempt": c.attempt, "late reserve": c.lateReserve, "finish": c.finish, "cancel": c.cancel, "seats": c.seats,
			"read for a repair": c.readForRepair, "resolve": c.resolve, "pass": c.pass, "deliver": c.deliver, "twice": c.twice,
		})
		for len(c.flights) > 0 {
			c.finish(r)
		}
		for len(c.sent) > 0 {
			c.deliver(r)
		}
		v, err := c.gate.View(c.ctx, "s")
		must(r, err)
		snap, err := c.ledger.Snapshot(c.ctx, "s")
		must(r, err)
		want := snap.Free
		for _, d := range v.Debits { // of reserves that were executed late
			want -= int64(d.Quantity)
		}
		if v.Avail != want {
			r.Fatalf("view: got %+v, want avail %d with %+v", v, want, snap)
		}
		c.proveDrained(r)
	})
}

// chaos is a world whose messages to the gate are under way.
type chaos struct {
	*world
	ctx     context.Context
	flights []flight
	sent    []func() error
	owners  int

	lossless bool // who went on without the gate tells it all the same
}

// flight is an attempt between its reserve and its transaction.
type flight struct {
	in     booking.Intent
	owner  string // empty: it owns no debit
	silent bool   // it went on without the gate, and tells it nothing
}

func (c *chaos) send(message func() error) { c.sent = append(c.sent, message) }

func interleave(t *testing.T, r *rapid.T, g reconcile.Gate) {
	c := &chaos{world: newWorld(t, g), ctx: context.Background()}
	c.do([]string{"sale", "9"})
	r.Repeat(map[string]func(*rapid.T){
		"attempt": c.attempt, "late reserve": c.lateReserve, "finish": c.finish, "crash": c.crash, "cancel": c.cancel, "seats": c.seats,
		"read for a repair": c.readForRepair, "read for an init": c.readForInit, "resolve": c.resolve, "pass": c.pass,
		"deliver": c.deliver, "twice": c.twice, "lose": c.lose,
		"restart": func(r *rapid.T) {
			if rapid.IntRange(0, 4).Draw(r, "restart") == 0 {
				must(r, c.gate.Forget(c.ctx, "s"))
			}
		},
	})
	c.proveDrained(r)
}

func must(r *rapid.T, err error) {
	if err != nil {
		r.Fatal(err)
	}
}

func (c *chaos) draw(r *rapid.T) (booking.Intent, string, time.Duration) {
	c.owners++
	in := booking.Intent{Sale: "s", Account: fmt.Sprint("a", rapid.IntRange(0, 3).Draw(r, "account")), Key: "k", Quantity: rapid.IntRange(1, 3).Draw(r, "seats")}
	lease := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(r, "lease")
	return in, fmt.Sprint("o", c.owners), lease
}

// attempt reserves and gets the answer.
func (c *chaos) attempt(r *rapid.T) {
	in, owner, lease := c.draw(r)
	got, err := c.gate.Reserve(c.ctx, in, owner, lease)
	must(r, err)
	switch got {
	case booking.Taken:
		c.flights = append(c.flights, flight{in: in, owner: owner})
	case booking.Held, booking.Settled:
		c.flights = append(c.flights, flight{in: in})
	case booking.Missing:
		c.flights = append(c.flights, flight{in: in, silent: !c.lossless})
	}
}

// lateReserve gives up waiting for the answer and goes on without the gate; the reserve is executed later, or never.
func (c *chaos) lateReserve(r *rapid.T) {
	in, owner, lease := c.draw(r)
	c.send(func() error { _, err := c.gate.Reserve(c.ctx, in, owner, lease); return err })
	c.flights = append(c.flights, flight{in: in, silent: !c.lossless})
}

func (c *chaos) takeFlight(r *rapid.T) (flight, bool) {
	if len(c.flights) == 0 {
		return flight{}, false
	}
	i := rapid.IntRange(0, len(c.flights)-1).Draw(r, "flight")
	f := c.flights[i]
	c.flights = append(c.flights[:i], c.flights[i+1:]...)
	return f, true
}

// finish runs the transaction, or fails cleanly before it, and tells the gate.
func (c *chaos) finish(r *rapid.T) {
	f, ok := c.takeFlight(r)
	if !ok {
		return
	}
	if rapid.IntRange(0, 3).Draw(r, "fails") != 0 {
		res, err := c.ledger.Book(c.ctx, "s", []booking.Intent{f.in})
		must(r, err)
		if b := res[0].Answer.Booking; res[0].Err == nil {
			c.booked[b.Account] = b
			if f.silent {
				return
			}
			in := f.in
			in.Quantity = b.Quantity
			c.send(func() error { return c.gate.Settle(c.ctx, in, b.Version) })
			return
		}
	}
	if f.owner != "" {
		c.send(func() error { return c.gate.Refund(c.ctx, f.in, f.owner) })
	}
}

// crash ends an attempt before its transaction, or after its commit and before the gate is told.
func (c *chaos) crash(r *rapid.T) {
	f, ok := c.takeFlight(r)
	if ok && rapid.Bool().Draw(r, "committed") {
		_, err := c.ledger.Book(c.ctx, "s", []booking.Intent{f.in})
		must(r, err)
	}
}

func (c *chaos) cancel(r *rapid.T) {
	b, ok := c.booked[fmt.Sprint("a", rapid.IntRange(0, 3).Draw(r, "account"))]
	if !ok {
		return
	}
	_, change, _, err := c.ledger.Cancel(c.ctx, b.Account, b.ID)
	must(r, err)
	c.send(func() error { return c.gate.Credit(c.ctx, "s", change) })
}

func (c *chaos) seats(r *rapid.T) {
	c.owners++
	n := rapid.SampledFrom([]int64{-1, 1, 2}).Draw(r, "seats")
	if _, change, err := c.ledger.AddSeats(c.ctx, "s", fmt.Sprint("c", c.owners), n); err == nil {
		c.send(func() error { return c.gate.Credit(c.ctx, "s", change) })
	}
}

func (c *chaos) readForRepair(r *rapid.T) {
	v, err := c.gate.View(c.ctx, "s")
	must(r, err)
	snap, err := c.ledger.Snapshot(c.ctx, "s")
	must(r, err)
	c.send(func() error { _, err := c.gate.Repair(c.ctx, "s", v.Epoch, snap); return err })
}

func (c *chaos) readForInit(r *rapid.T) {
	snap, err := c.ledger.Snapshot(c.ctx, "s")
	must(r, err)
	c.owners++
	epoch := fmt.Sprint("e", c.owners)
	c.send(func() error { _, err := c.gate.Init(c.ctx, "s", snap, epoch); return err })
}

// resolve is a second reconciler that asks the truth about an expired debit, and tells the gate later.
func (c *chaos) resolve(r *rapid.T) {
	expired, err := c.gate.Expired(c.ctx, "s", 10)
	must(r, err)
	if len(expired) == 0 {
		return
	}
	d := expired[rapid.IntRange(0, len(expired)-1).Draw(r, "debit")]
	in := booking.Intent{Sale: "s", Account: d.Account, Key: d.Key, Quantity: d.Quantity}
	found, err := c.ledger.Resolve(c.ctx, "s", []booking.Intent{in})
	must(r, err)
	if found[0].Err != nil {
		c.send(func() error { return c.gate.Refund(c.ctx, in, d.Owner) })
		return
	}
	b := found[0].Answer.Booking
	in.Quantity = b.Quantity
	c.send(func() error { return c.gate.Settle(c.ctx, in, b.Version) })
}

func (c *chaos) pass(r *rapid.T) { must(r, c.worker.Pass(c.ctx, "s").Err) }

func (c *chaos) deliver(r *rapid.T) { c.arrive(r, 1, true) }
func (c *chaos) twice(r *rapid.T)   { c.arrive(r, 2, false) }
func (c *chaos) lose(r *rapid.T)    { c.arrive(r, 0, true) }

// arrive lets a message arrive a number of times, and perhaps again later.
func (c *chaos) arrive(r *rapid.T, times int, gone bool) {
	if len(c.sent) == 0 {
		return
	}
	i := rapid.IntRange(0, len(c.sent)-1).Draw(r, "message")
	for range times {
		must(r, c.sent[i]())
	}
	if gone {
		c.sent = append(c.sent[:i], c.sent[i+1:]...)
	}
}

func (c *chaos) proveDrained(r *rapid.T) {
	for i := range 2 {
		report, err := reconcile.Drain(c.ctx, c.gate, c.ledger, func() string { return fmt.Sprint("drain", i) })
		must(r, err)
		if s := report.Sales[0]; s.Left != 0 || s.To != s.Free {
			r.Fatalf("drain %d: got %+v, want no debit and avail = free", i+1, s)
		}
		if i == 1 && report.Changed() {
			r.Fatalf("second drain: got %+v, want nothing changed", report)
		}
	}
}
