package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// Bounds of the end of a run.
const (
	fenceTimeout     = 15 * time.Second // for the last session of the system to leave Postgres
	fencePoll        = 50 * time.Millisecond
	reconcileTimeout = 30 * time.Second
	snapshotTimeout  = 30 * time.Second
)

// end makes the truth readable: kill all replicas, fence, reconcile twice, snapshot 1. The crowd is stopped and the faults are healed before.
func (r *run) end(ctx context.Context) error {
	r.meta.LockWaitUS = float64(r.system.LockWait(ctx).Microseconds())
	if err := r.killAll(ctx); err != nil {
		return err
	}
	if err := r.fence(ctx); err != nil {
		return err
	}
	for pass := 1; pass <= 2; pass++ {
		if err := r.reconcile(ctx, pass); err != nil {
			return err
		}
	}
	r.sampler.Sample(ctx)
	return r.snapshot(ctx, 0)
}

func (r *run) killAll(ctx context.Context) error {
	var all []error
	for _, p := range r.system.Processes() {
		all = append(all, p.Kill(ctx))
	}
	return errors.Join(all...)
}

// fence waits until no session of the system is left in Postgres: a transaction of a dead replica may commit until then.
func (r *run) fence(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fenceTimeout)
	defer cancel()
	var last error
	for {
		n, err := r.system.Truth().Sessions(ctx)
		if err == nil && n == 0 {
			r.tru.Fenced = true
			return nil
		}
		r.tru.Sessions, last = n, err
		select {
		case <-time.After(fencePoll):
		case <-ctx.Done():
			return fmt.Errorf("fence: %d sessions of the system are left in postgres after %v: %w", n, fenceTimeout, errors.Join(context.Cause(ctx), last))
		}
	}
}

// reconcile resolves every debit and repairs the gate. A gate that cannot be reached is written down as unknown; the truth is read all the same.
func (r *run) reconcile(ctx context.Context, pass int) error {
	ctx, cancel := context.WithTimeout(ctx, reconcileTimeout)
	defer cancel()
	rows, err := r.system.Reconcile(ctx)
	for _, row := range rows {
		r.tru.Reconciled = append(r.tru.Reconciled, result.ReconcileRow{
			Pass: pass, Sale: row.Sale, Known: row.Known, Settled: row.Settled, Refunded: row.Refunded,
			From: row.From, To: row.To, Free: row.Free, Left: row.Left,
		})
	}
	if err != nil {
		return fmt.Errorf("reconcile, pass %d: %w", pass, err)
	}
	return nil
}

// snapshot reads the whole truth; i is 0 for snapshot 1 and 1 for snapshot 2.
func (r *run) snapshot(ctx context.Context, i int) error {
	ctx, cancel := context.WithTimeout(ctx, snapshotTimeout)
	defer cancel()
	snap, err := r.system.Truth().Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("truth snapshot %d: %w", i+1, err)
	}
	r.snaps[i] = snap
	rows := saleRows(snap.Sales)
	if i == 0 {
		r.tru.Sales1 = rows
		return nil
	}
	r.tru.Sales2, r.tru.Complete = rows, true
	return nil
}

func saleRows(sales []target.SaleRow) []result.SaleRow {
	rows := make([]result.SaleRow, len(sales))
	for i, s := range sales {
		rows[i] = result.SaleRow(s)
	}
	return rows
}
