package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

// pollEvery is how often a schedule looks at the sale for faults that wait for its progress.
const pollEvery = 10 * time.Millisecond

// healTimeout bounds a revert and its proof when the run ends.
const healTimeout = 20 * time.Second

// Progress tells a schedule how far the sale is.
type Progress interface {
	// SoldRatio is the share of the capacity of all sales that is booked, by the truth as last read.
	SoldRatio() float64
	// OpenedAt is when the first sale opened, since the run's zero; false: not yet.
	OpenedAt() (time.Duration, bool)
}

// Schedule carries out the faults of a scenario.
type Schedule struct {
	world    *World
	progress Progress
	notify   func(result.FaultWindow)
	stop     context.CancelFunc
	wait     sync.WaitGroup
	active   []*active
}

// active is one fault under way. Its owner is the goroutine of carry.
type active struct {
	plan  scenario.Fault
	fault fault
	done  chan struct{} // closed when healed, or given up

	mu     sync.Mutex
	window result.FaultWindow
}

// Arm starts a goroutine for each fault, which waits for its moment. notify, which may be nil, is called at each change of a window.
func Arm(ctx context.Context, w *World, faults []scenario.Fault, p Progress, notify func(result.FaultWindow)) (*Schedule, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &Schedule{world: w, progress: p, notify: notify, stop: cancel}
	for _, f := range faults {
		k, ok := find(f.Inject)
		if !ok {
			cancel()
			return nil, fmt.Errorf("fault %q: inject %q: %w", f.Name, f.Inject, ErrUnsupported)
		}
		s.active = append(s.active, &active{
			plan: f, fault: k.make(w, f), done: make(chan struct{}),
			window: result.FaultWindow{Name: f.Name, Inject: f.Inject, Planned: f.When.String(), Replica: f.Replica},
		})
	}
	for _, a := range s.active {
		s.wait.Go(func() { s.carry(ctx, a) })
	}
	return s, nil
}

// Heal ends the schedule: faults that wait are given up, faults under way are reverted and proven to be over. It returns when all are.
func (s *Schedule) Heal() {
	s.stop()
	s.wait.Wait()
}

// Windows gives the windows so far, in the scenario's order.
func (s *Schedule) Windows() []result.FaultWindow {
	all := make([]result.FaultWindow, len(s.active))
	for i, a := range s.active {
		all[i] = a.get()
	}
	return all
}

// carry is the life of one fault.
func (s *Schedule) carry(ctx context.Context, a *active) {
	defer close(a.done)
	if !s.await(ctx, a.plan.When) {
		return
	}
	err := a.fault.apply(ctx)
	if err != nil {
		s.set(a, func(w *result.FaultWindow) { w.Error = fmt.Sprintf("apply: %v", err) })
	} else {
		s.set(a, func(w *result.FaultWindow) { w.Applied, w.AppliedNS = true, int64(s.world.Now()) })
		s.prove(ctx, a)
		s.last(ctx, a.plan)
	}
	s.heal(context.WithoutCancel(ctx), a, err == nil)
}

// prove takes the evidence that the fault happened. A fault that is over when the run ends is still proven.
func (s *Schedule) prove(ctx context.Context, a *active) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healTimeout)
	defer cancel()
	evidence, err := a.fault.verify(ctx)
	s.set(a, func(w *result.FaultWindow) {
		if err != nil {
			w.Error = fmt.Sprintf("verify: %v", err)
			return
		}
		w.Proven, w.Evidence = true, append(w.Evidence, evidence)
	})
}

// last waits until the fault's duration is over or the run ends.
func (s *Schedule) last(ctx context.Context, f scenario.Fault) {
	if f.Inject == "redis.flush" || f.Inject == "api.crash" || f.Inject == "postgres.restart" && f.For == 0 {
		return
	}
	if f.For == 0 {
		<-ctx.Done()
		return
	}
	select {
	case <-time.After(f.For):
	case <-ctx.Done():
	}
}

// heal reverts and takes the evidence that the fault is over. A revert that fails is tried again: a server left down would break the end of the run.
func (s *Schedule) heal(ctx context.Context, a *active, applied bool) {
	ctx, cancel := context.WithTimeout(ctx, healTimeout)
	defer cancel()
	s.set(a, func(w *result.FaultWindow) { w.HealingNS = int64(s.world.Now()) })
	if err := again(ctx, a.fault.revert); err != nil {
		s.set(a, func(w *result.FaultWindow) { w.Error = joinText(w.Error, fmt.Sprintf("revert: %v", err)) })
		return
	}
	if !applied {
		return
	}
	s.set(a, func(w *result.FaultWindow) { w.Healed, w.HealedNS = true, int64(s.world.Now()) })
	evidence, err := a.fault.verifyReverted(ctx)
	s.set(a, func(w *result.FaultWindow) {
		if err != nil {
			w.Error = joinText(w.Error, fmt.Sprintf("verify revert: %v", err))
			return
		}
		w.Reverted, w.Evidence = true, append(w.Evidence, evidence)
	})
}

// again calls up to three times, a short while apart.
func again(ctx context.Context, call func(context.Context) error) error {
	var all []error
	for range 3 {
		err := call(ctx)
		if err == nil {
			return nil
		}
		all = append(all, err)
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(all...)
		}
	}
	return errors.Join(all...)
}

// await returns true when the moment has come, false when the run ended first.
func (s *Schedule) await(ctx context.Context, m scenario.Moment) bool {
	if m.After != "" {
		return s.awaitFault(ctx, m.After)
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !s.come(m) {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return ctx.Err() == nil
}

func (s *Schedule) come(m scenario.Moment) bool {
	switch {
	case m.AfterOpen != nil:
		at, open := s.progress.OpenedAt()
		return open && s.world.Now() >= at+*m.AfterOpen
	case m.Sold > 0:
		return s.progress.SoldRatio() >= m.Sold
	}
	return s.world.Now() >= m.At
}

func (s *Schedule) awaitFault(ctx context.Context, name string) bool {
	for _, a := range s.active {
		if a.plan.Name != name {
			continue
		}
		select {
		case <-a.done:
			return a.get().Healed && ctx.Err() == nil
		case <-ctx.Done():
			return false
		}
	}
	return false
}

func (s *Schedule) set(a *active, change func(*result.FaultWindow)) {
	a.mu.Lock()
	change(&a.window)
	a.mu.Unlock()
	if s.notify != nil {
		s.notify(a.get())
	}
}

func (a *active) get() result.FaultWindow {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.window
	w.Evidence = append([]string(nil), w.Evidence...)
	return w
}

func joinText(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
