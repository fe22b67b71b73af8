package reconcile

import (
	"context"
	"fmt"

	"gatecrash/system/booking"
)

// Report is what Drain found and changed, by sale.
type Report struct{ Sales []Drained }

// Drained is what Drain did to one sale.
type Drained struct {
	Sale        string
	Initialised bool  // the gate held nothing of the sale, or was ahead of the truth
	Settled     int   // debits found booked
	Refunded    int   // debits found not booked
	From        int64 // seats available at the gate before
	To          int64 // and after
	Free        int64 // seats free in the truth, read last
	Version     int64 // of the truth, read last
	Left        int   // debits that remain
}

// Changed says whether anything was changed. After one Drain with nobody else at work, the next changes nothing.
func (r Report) Changed() bool {
	for _, s := range r.Sales {
		if s.Initialised || s.Settled+s.Refunded > 0 || s.From != s.To {
			return true
		}
	}
	return false
}

// Left is the number of debits that remain.
func (r Report) Left() int {
	n := 0
	for _, s := range r.Sales {
		n += s.Left
	}
	return n
}

// Drain reconciles all sales when no replica runs: every debit is stranded by definition, whatever its lease. newEpoch names the epoch of a
// sale that the gate had lost. It needs no lead. It stops at the first error; what it did until then is in the report and is not undone.
func Drain(ctx context.Context, g booking.Gate, l Ledger, newEpoch func() string) (Report, error) {
	var r Report
	sales, err := l.AllSales(ctx)
	if err != nil {
		return r, fmt.Errorf("drain: %w", err)
	}
	for _, s := range sales {
		d, err := drain(ctx, g, l, s.ID, newEpoch)
		r.Sales = append(r.Sales, d)
		if err != nil {
			return r, fmt.Errorf("drain sale %q: %w", s.ID, err)
		}
	}
	return r, nil
}

func drain(ctx context.Context, g booking.Gate, l Ledger, sale string, newEpoch func() string) (Drained, error) {
	d := Drained{Sale: sale}
	view, err := g.View(ctx, sale)
	if err != nil {
		return d, err
	}
	d.From = view.Avail
	err = resolve(ctx, g, l, sale, view.Debits, direct, noCrash, func(settled bool) {
		if settled {
			d.Settled++
		} else {
			d.Refunded++
		}
	})
	if err != nil {
		return d, err
	}
	if err := d.count(ctx, g, l, view, newEpoch); err != nil {
		return d, err
	}
	view, err = g.View(ctx, sale)
	d.To, d.Left = view.Avail, len(view.Debits)
	return d, err
}

// count sets the count from the truth, and sets the sale up where the gate holds nothing of it or is ahead of the truth.
func (d *Drained) count(ctx context.Context, g booking.Gate, l Ledger, view booking.View, newEpoch func() string) error {
	snap, err := l.Snapshot(ctx, d.Sale)
	if err != nil {
		return err
	}
	d.Free, d.Version = snap.Free, snap.Version
	if view.Present && snap.Version >= view.Floor {
		_, err = g.Repair(ctx, d.Sale, view.Epoch, snap)
		return err
	}
	if err := g.Forget(ctx, d.Sale); err != nil {
		return err
	}
	d.Initialised, err = g.Init(ctx, d.Sale, snap, newEpoch())
	return err
}

func direct(ctx context.Context, call func(context.Context) error) error { return call(ctx) }

func noCrash(context.Context, string) {}
