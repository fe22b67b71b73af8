package system

import (
	"context"
	"errors"
	"sync"
	"time"

	"gatecrash/system/httpapi"
	"gatecrash/system/reconcile"
)

// startWorkers starts what runs beside the requests: the look-ups that they share, and, with a gate, the reconciler. They end after the last request.
func (s *System) startWorkers(ctx context.Context) error {
	replays := reconcile.DefaultReplaysConfig()
	replays.Timeout = s.cfg.Timeouts.Statement
	var err error
	if s.replays, err = reconcile.NewReplays(replays, s.ledger.Lookup); err != nil {
		return err
	}
	runs := []func(context.Context){s.replays.Run}
	if s.gate != nil {
		if s.reconciler, err = s.newReconciler(); err != nil {
			return err
		}
		runs = append(runs, s.reconciler.Run)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // Close ends them, not the context of the start
	var wg sync.WaitGroup
	for _, run := range runs {
		wg.Go(func() { run(ctx) })
	}
	s.onStop("workers", func(context.Context) error {
		cancel()
		wg.Wait() // each wait of theirs ends with the context or after its own step
		return nil
	})
	return nil
}

// leadIdle is how long a leader that hangs keeps the others from reconciling, beside a period.
const leadIdle = 5 * time.Second

func (s *System) newReconciler() (*reconcile.Reconciler, error) {
	cfg := reconcile.DefaultConfig()
	cfg.Every = s.cfg.Gate.ReconcileEvery
	cfg.Step = s.cfg.Timeouts.Request
	lead := s.ledger.Leader("reconcile", leadIdle+cfg.Every)
	return reconcile.New(cfg, s.gate, s.ledger, lead, reconcile.Hooks{Crash: s.crash.Hit, NewToken: newToken, Observe: s.observePasses()})
}

// observePasses counts passes, and logs where they begin to fail and where they work again: a gate that is down fails twice a second.
func (s *System) observePasses() func(reconcile.Pass) {
	failing := false
	return func(p reconcile.Pass) {
		if errors.Is(p.Err, context.Canceled) { // Close came in the middle of it
			return
		}
		s.metrics.Reconciled(httpapi.Pass{
			Result: p.Result(), Settled: p.Settled, Refunded: p.Refunded,
			Before: measured(p.Before), After: measured(p.After),
		})
		switch failed := p.Err != nil; {
		case failed && !failing:
			s.log.Warn("reconciliation fails", "sale", p.Sale, "error", p.Err)
		case !failed && failing:
			s.log.Info("reconciliation works again", "sale", p.Sale)
		}
		failing = p.Err != nil
	}
}

// measured gives nil for a drift that is not known, which is not 0.
func measured(d reconcile.Drift) *int64 {
	if !d.Measured {
		return nil
	}
	return &d.Seats
}
