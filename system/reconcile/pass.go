package reconcile

import (
	"context"
	"errors"

	"gatecrash/system/booking"
)

// Pass is what one pass over one sale came to.
type Pass struct {
	Sale        string // empty: the sales could not be listed, or the lead was lost
	Settled     int    // expired debits found booked
	Refunded    int    // expired debits found not booked
	Initialised bool   // the gate had lost the sale
	Rebuilt     bool   // the gate was ahead of the truth
	Repaired    bool   //
	Discarded   bool   // the gate had gone on, or was set up anew, before the repair arrived; the next pass tries again
	Before      Drift  //
	After       Drift  //
	Err         error  // what was left undone, and why
}

// Result is repaired, discarded, failed, or idle: another replica was setting the sale up.
func (p Pass) Result() string {
	switch {
	case p.Err != nil:
		return "failed"
	case p.Discarded:
		return "discarded"
	case p.Repaired || p.Initialised || p.Rebuilt:
		return "repaired"
	}
	return "idle"
}

// Drift is the gate's available seats less those that the truth would let it give: free, less the live debits whose intent has no booking.
// Gate and truth are read one after the other, so that under load it is an estimate. The zero value is not measured, which is not 0.
type Drift struct {
	Measured bool
	Seats    int64 // < 0: a leak, buyers wrongly refused. > 0: a surplus, useless contenders
}

// Pass reconciles one sale: first the debits past their deadline, then the count, which is right whatever became of the debits. It does not
// ask whether this replica leads.
func (r *Reconciler) Pass(ctx context.Context, sale string) Pass {
	p := Pass{Sale: sale}
	resolved := r.resolveExpired(ctx, &p)
	r.hooks.Crash(ctx, PointMiddle)
	p.Err = errors.Join(resolved, r.repair(ctx, &p))
	return p
}

// resolveExpired resolves expired debits in batches, oldest first, until none is left or the pass has had its share.
func (r *Reconciler) resolveExpired(ctx context.Context, p *Pass) error {
	for range r.cfg.Rounds {
		var expired []booking.Debit
		err := r.step(ctx, func(ctx context.Context) (err error) {
			expired, err = r.gate.Expired(ctx, p.Sale, r.cfg.Batch)
			return err
		})
		if err != nil {
			return err
		}
		err = resolve(ctx, r.gate, r.ledger, p.Sale, expired, r.step, r.hooks.Crash, p.count)
		if err != nil {
			return err
		}
		if len(expired) < r.cfg.Batch {
			return nil
		}
	}
	return nil
}

func (p *Pass) count(settled bool) {
	if settled {
		p.Settled++
	} else {
		p.Refunded++
	}
}

// stepper makes one call with a deadline of its own.
type stepper func(ctx context.Context, call func(context.Context) error) error

// resolve asks the truth, under the sale's row lock, what became of the debits, and ends them one by one: booked, it is settled; else it is
// given back, if it is still the same one. done is told of each.
func resolve(
	ctx context.Context, g booking.Gate, l booking.Ledger, sale string, debits []booking.Debit,
	step stepper, crash func(context.Context, string), done func(settled bool),
) error {
	intents := make([]booking.Intent, len(debits))
	for i, d := range debits {
		intents[i] = booking.Intent{Sale: sale, Account: d.Account, Key: d.Key, Quantity: d.Quantity}
	}
	var found []booking.Result
	err := step(ctx, func(ctx context.Context) (err error) {
		found, err = l.Resolve(ctx, sale, intents)
		return err
	})
	if err != nil {
		return err
	}
	for i, f := range found {
		in, b, settled := intents[i], f.Answer.Booking, f.Err == nil
		if settled {
			in.Quantity = b.Quantity
			err = step(ctx, func(ctx context.Context) error { return g.Settle(ctx, in, b.Version) })
		} else {
			crash(ctx, PointResolved)
			err = step(ctx, func(ctx context.Context) error { return g.Refund(ctx, in, debits[i].Owner) })
		}
		if err != nil {
			return err
		}
		done(settled)
	}
	return nil
}

// repair sets the gate's count from the truth, and measures the drift before and after.
func (r *Reconciler) repair(ctx context.Context, p *Pass) error {
	view, snap, err := r.read(ctx, p.Sale)
	switch {
	case err != nil:
		return err
	case !view.Present:
		return r.setUp(ctx, p)
	case snap.Version < view.Floor:
		return r.rebuild(ctx, p)
	}
	p.Before = r.drift(ctx, p.Sale, view, snap)
	err = r.step(ctx, func(ctx context.Context) (err error) {
		p.Repaired, err = r.gate.Repair(ctx, p.Sale, view.Epoch, snap)
		return err
	})
	p.Discarded = err == nil && !p.Repaired
	if err != nil || p.Discarded {
		return err
	}
	if view, snap, err = r.read(ctx, p.Sale); err == nil && view.Present {
		p.After = r.drift(ctx, p.Sale, view, snap)
	}
	return err
}

// read reads the gate and then the truth, so that the truth is the newer of the two.
func (r *Reconciler) read(ctx context.Context, sale string) (view booking.View, snap booking.Snapshot, err error) {
	err = r.step(ctx, func(ctx context.Context) (err error) {
		view, err = r.gate.View(ctx, sale)
		return err
	})
	if err != nil {
		return view, snap, err
	}
	err = r.step(ctx, func(ctx context.Context) (err error) {
		snap, err = r.ledger.Snapshot(ctx, sale)
		return err
	})
	return view, snap, err
}

// drift compares a view with a snapshot. It is not measured where the debits' bookings cannot be looked up.
func (r *Reconciler) drift(ctx context.Context, sale string, view booking.View, snap booking.Snapshot) (d Drift) {
	intents := make([]booking.Intent, len(view.Debits))
	for i, debit := range view.Debits {
		intents[i] = booking.Intent{Sale: sale, Account: debit.Account, Key: debit.Key, Quantity: debit.Quantity}
	}
	var found []booking.Result
	err := r.step(ctx, func(ctx context.Context) (err error) {
		found, err = r.ledger.Lookup(ctx, intents)
		return err
	})
	if err != nil {
		return Drift{}
	}
	allowed := snap.Free
	for i, f := range found {
		if f.Err != nil {
			allowed -= int64(intents[i].Quantity)
		}
	}
	return Drift{Measured: true, Seats: view.Avail - allowed}
}

// setUp sets a missing sale up from the truth. One replica does, under a claim with a lease; the others leave it at once.
func (r *Reconciler) setUp(ctx context.Context, p *Pass) error {
	var claimed bool
	err := r.step(ctx, func(ctx context.Context) (err error) {
		claimed, err = r.gate.Claim(ctx, p.Sale, r.hooks.NewToken(), r.cfg.Claim)
		return err
	})
	if err != nil || !claimed {
		return err
	}
	return r.initialise(ctx, p)
}

func (r *Reconciler) initialise(ctx context.Context, p *Pass) error {
	var snap booking.Snapshot
	err := r.step(ctx, func(ctx context.Context) (err error) {
		snap, err = r.ledger.Snapshot(ctx, p.Sale)
		return err
	})
	if err != nil {
		return err
	}
	return r.step(ctx, func(ctx context.Context) (err error) {
		p.Initialised, err = r.gate.Init(ctx, p.Sale, snap, r.hooks.NewToken())
		return err
	})
}

// rebuild forgets a state that is ahead of the truth. Debits go with it: their settles and refunds then find none, and are right without.
func (r *Reconciler) rebuild(ctx context.Context, p *Pass) error {
	if err := r.step(ctx, func(ctx context.Context) error { return r.gate.Forget(ctx, p.Sale) }); err != nil {
		return err
	}
	p.Rebuilt = true
	return r.initialise(ctx, p)
}
