package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatecrash/sim/crowd"
	"gatecrash/sim/drift"
	"gatecrash/sim/fault"
	"gatecrash/sim/history"
	"gatecrash/sim/loadgen"
	"gatecrash/sim/result"
	"gatecrash/sim/retry"
	"gatecrash/sim/scenario"
)

const (
	lead         = 300 * time.Millisecond // between the last preparation and the run's zero
	sampleEvery  = 50 * time.Millisecond  // of the drift of each sale
	watchEvery   = 200 * time.Millisecond // of the live view
	recordShards = 16
	tellAgain    = 100 * time.Millisecond // before the opening of a sale is asked for again
)

// ready opens the files that fill while the crowd plays, and fixes the run's zero.
func (r *run) ready(ctx context.Context) (err error) {
	r.zero = time.Now().Add(lead)
	r.meta.Started = r.zero.UTC()
	if r.records, err = history.Create(r.dir.Join(result.FileRecords), history.Header{RunID: r.id, Zero: r.zero}, recordShards); err != nil {
		return err
	}
	r.sampler, err = drift.Open(ctx, r.dir.Join(result.FileDrift), r.system.Gate(), r.system.Truth(), r.meta.Sales, sampleEvery, r.zero)
	if err != nil {
		return err
	}
	r.engine, err = loadgen.New(loadgen.Config{
		Plan: newCast(r.plan), Client: r.system.Client(), Sink: r.records, Zero: r.zero, MaxDuration: r.longest(),
	})
	if err != nil {
		return err
	}
	return result.WriteRun(r.dir, &r.meta)
}

// longest is how long the crowd may play.
func (r *run) longest() time.Duration {
	if r.o.Timeout > 0 && r.o.Timeout < r.o.Scenario.MaxDuration {
		return r.o.Timeout
	}
	return r.o.Scenario.MaxDuration
}

// play opens the sales, plays the crowd and carries the faults out. It returns when the crowd has ended, every fault is healed and nothing is under way.
func (r *run) play(ctx context.Context) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var beside sync.WaitGroup
	beside.Go(func() { r.sampler.Run(inner) })
	for i := range r.o.Scenario.Sales {
		beside.Go(func() { r.openSale(inner, i) })
	}
	beside.Go(func() { r.watch(inner) })
	beside.Go(func() { r.obey(inner) })
	var err error
	if r.schedule, err = fault.Arm(inner, r.world(), r.o.Scenario.Faults, r, nil); err != nil {
		cancel()
		beside.Wait()
		return err
	}
	report, err := r.engine.Run(ctx)
	r.schedule.Heal()
	cancel()
	beside.Wait()
	r.meta.EndMS, r.meta.Visitors, r.meta.Generator = report.End.Milliseconds(), report.Visitors, report.Generator
	for _, q := range report.Requests {
		r.appended += q.Sent
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("play the crowd: %w", err)
	}
	return nil
}

func (r *run) world() *fault.World {
	return &fault.World{
		Backend: r.servers, System: r.system, GateProxy: r.proxy,
		Now: func() time.Duration { return time.Since(r.zero) }, Admin: r.admin.sql, Redis: r.admin,
	}
}

// obey ends the crowd when the caller says so.
func (r *run) obey(ctx context.Context) {
	select {
	case <-r.o.Stop:
		r.engine.Stop()
	case <-ctx.Done():
	}
}

// openSale opens a sale at its time, by the operator's route, and asks again until the system has done it: it may be under a fault.
func (r *run) openSale(ctx context.Context, i int) {
	s := r.o.Scenario.Sales[i]
	if s.OpensAfter == 0 {
		r.noteOpen(i, 0) // open since before the first visitor
		return
	}
	if pause(ctx, time.Until(r.zero.Add(s.OpensAfter))) != nil {
		return
	}
	for r.system.Open(ctx, s.Name) != nil {
		if pause(ctx, tellAgain) != nil {
			return
		}
	}
	r.noteOpen(i, time.Since(r.zero))
}

func (r *run) noteOpen(i int, at time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened[i] = at
}

// SoldRatio implements fault.Progress.
func (r *run) SoldRatio() float64 { return r.sampler.SoldRatio() }

// OpenedAt implements fault.Progress.
func (r *run) OpenedAt() (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, open := time.Duration(0), false
	for _, at := range r.opened {
		if at >= 0 && (!open || at < first) {
			first, open = at, true
		}
	}
	return first, open
}

// openEarly opens the sales that are open before the first visitor.
func (r *run) openEarly(ctx context.Context) error {
	var all []error
	for _, s := range r.o.Scenario.Sales {
		if s.OpensAfter == 0 {
			all = append(all, r.system.Open(ctx, s.Name))
		}
	}
	return errors.Join(all...)
}

// cast is the plan as the generator asks for it: with a mind for each visitor and a budget for each crowd.
type cast struct {
	*crowd.Plan
	crowds  []scenario.Crowd
	budgets []*retry.Budget
}

var _ loadgen.Plan = (*cast)(nil)

func newCast(p *crowd.Plan) *cast {
	c := &cast{Plan: p, crowds: p.Scenario().Crowds}
	for _, cr := range c.crowds {
		c.budgets = append(c.budgets, retry.NewBudget(cr.Retry.Budget))
	}
	return c
}

// Account implements loadgen.Plan.
func (c *cast) Account(i uint32) string { return c.AccountName(i) }

// Address implements loadgen.Plan.
func (c *cast) Address(i uint32) string { return c.AddressName(i) }

// Sale implements loadgen.Plan.
func (c *cast) Sale(i uint16) string { return c.Scenario().Sales[i].Name }

// BadLogin implements loadgen.Plan.
func (c *cast) BadLogin(i uint16) bool { return c.crowds[i].Login == scenario.LoginBad }

// Visit implements loadgen.Plan.
func (c *cast) Visit(v crowd.Visitor) loadgen.Visit {
	return crowd.NewMind(c.Plan, int(v.Index), c.budgets[v.Crowd])
}
