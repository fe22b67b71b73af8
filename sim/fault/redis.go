package fault

import (
	"context"
	"errors"
	"fmt"

	"gatecrash/sim/backend"
	"gatecrash/sim/scenario"
)

// redisKill is SIGKILL of the server, which stays down until the fault heals. The append-only file survives.
type redisKill struct {
	w      *World
	before backend.Identity
}

func newRedisKill(w *World, _ scenario.Fault) fault { return &redisKill{w: w} }

func (r *redisKill) apply(ctx context.Context) (err error) {
	if r.before, err = r.w.Backend.Identity(ctx, backend.Redis); err != nil {
		return err
	}
	return r.w.Backend.Do(ctx, backend.Redis, backend.Kill)
}

func (r *redisKill) verify(ctx context.Context) (string, error) {
	err := probe(ctx, r.w.Redis.Ping)
	if err == nil {
		return "", errors.New("redis still answers a ping after the kill")
	}
	return fmt.Sprintf("a ping after the kill: %v", err), nil
}

func (r *redisKill) revert(ctx context.Context) error {
	return r.w.Backend.Do(ctx, backend.Redis, backend.Start)
}

func (r *redisKill) verifyReverted(ctx context.Context) (string, error) {
	after, err := r.w.Backend.Identity(ctx, backend.Redis)
	if err != nil {
		return "", err
	}
	if after.ID == r.before.ID {
		return "", fmt.Errorf("redis run_id is still %s", after.ID)
	}
	return fmt.Sprintf("redis run_id %.8s -> %.8s", r.before.ID, after.ID), nil
}

// redisPause stops the server's process: connections stay open, dials succeed, nothing is answered. What was sent meanwhile runs after the resume.
type redisPause struct {
	w      *World
	before backend.Identity
}

func newRedisPause(w *World, _ scenario.Fault) fault { return &redisPause{w: w} }

func (r *redisPause) apply(ctx context.Context) (err error) {
	if r.before, err = r.w.Backend.Identity(ctx, backend.Redis); err != nil {
		return err
	}
	return r.w.Backend.Do(ctx, backend.Redis, backend.Pause)
}

func (r *redisPause) verify(ctx context.Context) (string, error) {
	err := probe(ctx, r.w.Redis.Ping)
	if err == nil {
		return "", errors.New("redis still answers a ping while paused")
	}
	return fmt.Sprintf("no answer to a ping within %v: %v", probeTimeout, err), nil
}

func (r *redisPause) revert(ctx context.Context) error {
	return r.w.Backend.Do(ctx, backend.Redis, backend.Resume)
}

func (r *redisPause) verifyReverted(ctx context.Context) (string, error) {
	after, err := r.w.Backend.Identity(ctx, backend.Redis)
	if err != nil {
		return "", err
	}
	if after.ID != r.before.ID {
		return "", fmt.Errorf("redis run_id %.8s -> %.8s: it was restarted, not paused", r.before.ID, after.ID)
	}
	return fmt.Sprintf("redis answers again, same run_id %.8s", after.ID), nil
}

// redisFlush forgets every key of the run: gate, sessions and limiter. It is over at once.
type redisFlush struct {
	w      *World
	before int64
}

func newRedisFlush(w *World, _ scenario.Fault) fault { return &redisFlush{w: w} }

func (r *redisFlush) apply(ctx context.Context) (err error) {
	if r.before, err = r.w.Redis.Keys(ctx); err != nil {
		return err
	}
	return r.w.Redis.Flush(ctx)
}

func (r *redisFlush) verify(ctx context.Context) (string, error) {
	if r.before == 0 {
		return "", errors.New("there was no key to forget")
	}
	after, err := r.w.Redis.Keys(ctx)
	if err != nil {
		return "", err
	}
	if after >= r.before {
		return "", fmt.Errorf("keys of the run: %d before, %d after", r.before, after)
	}
	return fmt.Sprintf("keys of the run: %d -> %d", r.before, after), nil
}

func (r *redisFlush) revert(context.Context) error { return nil }

func (r *redisFlush) verifyReverted(context.Context) (string, error) {
	return "over at once, nothing to revert", nil
}
