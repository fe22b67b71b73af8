package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrash/sim/backend"
	"gatecrash/sim/scenario"
)

// postgresRestart stops the server and starts it again; with a duration it stays down for so long.
type postgresRestart struct {
	w      *World
	before backend.Identity
}

func newPostgresRestart(w *World, _ scenario.Fault) fault { return &postgresRestart{w: w} }

func (p *postgresRestart) apply(ctx context.Context) (err error) {
	if p.before, err = p.w.Backend.Identity(ctx, backend.Postgres); err != nil {
		return err
	}
	return p.w.Backend.Do(ctx, backend.Postgres, backend.Stop)
}

func (p *postgresRestart) verify(ctx context.Context) (string, error) {
	err := probe(ctx, func(ctx context.Context) error {
		_, err := p.w.Admin(ctx, "SELECT 1::text")
		return err
	})
	if err == nil {
		return "", errors.New("postgres still answers after the stop")
	}
	return fmt.Sprintf("a query after the stop: %v", err), nil
}

func (p *postgresRestart) revert(ctx context.Context) error {
	return p.w.Backend.Do(ctx, backend.Postgres, backend.Start)
}

func (p *postgresRestart) verifyReverted(ctx context.Context) (string, error) {
	after, err := p.w.Backend.Identity(ctx, backend.Postgres)
	if err != nil {
		return "", err
	}
	if !after.Started.After(p.before.Started) {
		return "", fmt.Errorf("postmaster start time is still %s", after.Started.UTC().Format(time.RFC3339Nano))
	}
	const form = "15:04:05.000"
	return fmt.Sprintf("postmaster start time %s -> %s UTC", p.before.Started.UTC().Format(form), after.Started.UTC().Format(form)), nil
}

// slowCommit makes every commit wait before its flush, while the row locks are held: commit_delay with commit_siblings = 0
// (https://www.postgresql.org/docs/15/runtime-config-wal.html#GUC-COMMIT-DELAY).
type slowCommit struct {
	w      *World
	f      scenario.Fault
	before string // commit_delay
}

func newSlowCommit(w *World, f scenario.Fault) fault { return &slowCommit{w: w, f: f} }

func (s *slowCommit) apply(ctx context.Context) (err error) {
	if s.before, err = s.w.Admin(ctx, "SHOW commit_delay"); err != nil {
		return err
	}
	delay := fmt.Sprint(s.f.Delay.Microseconds())
	return s.set(ctx, delay, "ALTER SYSTEM SET commit_delay = "+delay, "ALTER SYSTEM SET commit_siblings = 0")
}

// commitTries is how many commits the proof times: one that joins the flush of another session waits only for the rest of that session's delay.
const commitTries = 5

// ownCommit writes to the log, so that its commit waits for a flush: one that only took a transaction id would not.
const ownCommit = "SELECT pg_logical_emit_message(true, 'gatecrash', 'a commit to time')::text"

// verify times commits of its own, one of which must take at least the delay.
func (s *slowCommit) verify(ctx context.Context) (string, error) {
	var longest time.Duration
	for range commitTries {
		began := time.Now()
		if _, err := s.w.Admin(ctx, ownCommit); err != nil {
			return "", err
		}
		longest = max(longest, time.Since(began))
		if longest >= s.f.Delay {
			return fmt.Sprintf("a commit of its own took %v with commit_delay %v", longest.Round(100*time.Microsecond), s.f.Delay), nil
		}
	}
	return "", fmt.Errorf("%d commits took at most %v, less than the delay of %v", commitTries, longest, s.f.Delay)
}

func (s *slowCommit) revert(ctx context.Context) error {
	if s.before == "" {
		return nil
	}
	return s.set(ctx, s.before, "ALTER SYSTEM RESET commit_delay", "ALTER SYSTEM RESET commit_siblings")
}

func (s *slowCommit) verifyReverted(ctx context.Context) (string, error) {
	got, err := s.w.Admin(ctx, "SHOW commit_delay")
	if err != nil {
		return "", err
	}
	if got != s.before {
		return "", fmt.Errorf("commit_delay is %s, was %s", got, s.before)
	}
	return "commit_delay is " + got + " again", nil
}

// set changes the configuration, reloads it, and returns when a session sees it.
func (s *slowCommit) set(ctx context.Context, want string, sql ...string) error {
	for _, q := range append(sql, "SELECT pg_reload_conf()::text") {
		if _, err := s.w.Admin(ctx, q); err != nil {
			return err
		}
	}
	for range 200 {
		got, err := s.w.Admin(ctx, "SHOW commit_delay")
		if err != nil {
			return err
		}
		if got == want {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return fmt.Errorf("commit_delay is not %s two seconds after the reload", want)
}
