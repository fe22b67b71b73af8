package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gatecrash/sim/scenario"
)

// gateCut cuts the gate's connections alone: sessions and limiter keep their Redis.
type gateCut struct {
	w     *World
	start Counts
}

func newGateCut(w *World, _ scenario.Fault) fault { return &gateCut{w: w} }

func (g *gateCut) apply(context.Context) error {
	if g.w.GateProxy == nil {
		return errors.New("no proxy stands in front of the gate")
	}
	g.start = g.w.GateProxy.Counts()
	g.w.GateProxy.Cut()
	return nil
}

func (g *gateCut) verify(ctx context.Context) (string, error) {
	if err := answers(ctx, g.w.Redis.Ping); err != nil {
		return "", fmt.Errorf("redis itself does not answer, so more than the gate is cut: %w", err)
	}
	cut := g.w.GateProxy.Counts().Cut - g.start.Cut
	if cut == 0 {
		return "", errors.New("the proxy had no connection of the gate to cut")
	}
	return fmt.Sprintf("%d connections of the gate cut while redis itself answers", cut), nil
}

func (g *gateCut) revert(context.Context) error {
	if g.w.GateProxy != nil {
		g.w.GateProxy.Heal()
	}
	return nil
}

func (g *gateCut) verifyReverted(ctx context.Context) (string, error) {
	if err := probe(ctx, g.w.GateProxy.Try); err != nil {
		return "", err
	}
	return fmt.Sprintf("the proxy passes again; %d dials were turned away meanwhile", g.w.GateProxy.Counts().Refused-g.start.Refused), nil
}

// inflateEvery is how often the inflated count is put back: faster than any repair takes it away.
const inflateEvery = 20 * time.Millisecond

// gateInflate makes the gate show seats that are not there, again and again while it lasts.
type gateInflate struct {
	w      *World
	f      scenario.Fault
	stop   context.CancelFunc
	done   sync.WaitGroup
	raised atomic.Int64 // times that the count was seen at or raised to the wanted seats
	shown  atomic.Int64 // the highest count left there
}

func newGateInflate(w *World, f scenario.Fault) fault { return &gateInflate{w: w, f: f} }

func (g *gateInflate) apply(ctx context.Context) error {
	shown, err := g.w.System.Inflate(ctx, g.f.Sale, g.f.Seats)
	if err != nil {
		return err
	}
	g.note(shown)
	again, cancel := context.WithCancel(context.WithoutCancel(ctx))
	g.stop = cancel
	g.done.Go(func() { g.keep(again) })
	return nil
}

// keep raises the count until it is stopped. A gate that cannot be reached for a moment is tried again: the evidence counts only what was raised.
func (g *gateInflate) keep(ctx context.Context) {
	tick := time.NewTicker(inflateEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if shown, err := g.w.System.Inflate(ctx, g.f.Sale, g.f.Seats); err == nil {
				g.note(shown)
			}
		}
	}
}

func (g *gateInflate) note(shown int64) {
	g.raised.Add(1)
	for {
		old := g.shown.Load()
		if shown <= old || g.shown.CompareAndSwap(old, shown) {
			return
		}
	}
}

func (g *gateInflate) verify(ctx context.Context) (string, error) {
	view, err := g.w.System.Gate().View(ctx, g.f.Sale)
	if err != nil {
		return "", err
	}
	_, sale, err := g.w.System.Truth().Since(ctx, g.f.Sale, 1<<62)
	if err != nil {
		return "", err
	}
	if g.shown.Load() <= sale.Free {
		return "", fmt.Errorf("the gate shows %d seats and the truth has %d free", g.shown.Load(), sale.Free)
	}
	return fmt.Sprintf("the gate was made to show %d seats (%d now); the truth has %d free", g.shown.Load(), view.Avail, sale.Free), nil
}

func (g *gateInflate) revert(context.Context) error {
	if g.stop != nil {
		g.stop()
	}
	g.done.Wait()
	return nil
}

func (g *gateInflate) verifyReverted(context.Context) (string, error) {
	return fmt.Sprintf("count held up %d times; the next repair takes it away", g.raised.Load()), nil
}
