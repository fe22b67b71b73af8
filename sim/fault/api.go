package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrash/sim/scenario"
	"gatecrash/sim/target"
)

// apiCrash ends one replica, at a crash point or, without a point, at once.
type apiCrash struct {
	w    *World
	f    scenario.Fault
	proc target.Process
	how  target.Exit
}

func newAPICrash(w *World, f scenario.Fault) fault { return &apiCrash{w: w, f: f} }

func (a *apiCrash) apply(ctx context.Context) error {
	procs := a.w.System.Processes()
	n := max(a.f.Replica, 1)
	if n > len(procs) {
		return fmt.Errorf("replica %d: there are %d", n, len(procs))
	}
	a.proc = procs[n-1]
	if a.f.Point == "" {
		return a.kill(ctx)
	}
	exited, hit := a.proc.Exited(), max(a.f.Hit, 1)
	if err := a.proc.Arm(ctx, a.f.Point, hit); err != nil {
		return err
	}
	select {
	case <-exited:
		a.how = a.proc.How()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("replica %d did not reach crash point %q %d times", n, a.f.Point, hit)
	}
}

func (a *apiCrash) kill(ctx context.Context) error {
	if err := a.proc.Kill(ctx); err != nil {
		return err
	}
	a.how = a.proc.How()
	return nil
}

func (a *apiCrash) verify(context.Context) (string, error) {
	if a.how.Signal == "" {
		return "", fmt.Errorf("replica %d ended with exit code %d, not by a signal", a.proc.Number(), a.how.Code)
	}
	if a.f.Point == "" {
		return fmt.Sprintf("replica %d, pid %d, %s by the harness", a.proc.Number(), a.how.PID, a.how.Signal), nil
	}
	if a.how.ByHarness || a.how.CrashPoint != a.f.Point {
		return "", fmt.Errorf("replica %d died elsewhere: signal %q, last crash point %q", a.proc.Number(), a.how.Signal, a.how.CrashPoint)
	}
	return fmt.Sprintf("replica %d, pid %d, %s at %s", a.proc.Number(), a.how.PID, a.how.Signal, a.f.Point), nil
}

func (a *apiCrash) revert(ctx context.Context) error {
	if a.how.PID == 0 || a.f.RestartAfter == 0 {
		return nil
	}
	if wait := a.f.RestartAfter - time.Since(a.how.At); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return a.proc.Start(ctx)
}

func (a *apiCrash) verifyReverted(context.Context) (string, error) {
	if a.f.RestartAfter == 0 {
		return "not restarted, as planned", nil
	}
	if pid := a.proc.PID(); pid != 0 && pid != a.how.PID {
		return fmt.Sprintf("replica %d runs again, pid %d -> %d", a.proc.Number(), a.how.PID, pid), nil
	}
	return "", errors.New("the replica does not run again")
}
