package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrash/sim/backend"
	"gatecrash/sim/scenario"
	"gatecrash/sim/target"
)

// ErrUnsupported is wrapped by Refuse for a fault that the backend cannot do.
var ErrUnsupported = errors.New("fault not supported here")

// World is what faults act on.
type World struct {
	Backend   backend.Backend
	System    target.System
	GateProxy *Proxy               // in front of the gate's Redis; nil unless NeedsProxy
	Now       func() time.Duration // since the run's zero
	Admin     Admin
	Redis     Redis
}

// Admin runs one SQL statement on the run's Postgres as an administrator, past the system under test, and gives the first column of the first row.
type Admin func(ctx context.Context, sql string) (string, error)

// Redis is what faults ask of the Redis server itself, past any proxy.
type Redis interface {
	Ping(ctx context.Context) error
	Keys(ctx context.Context) (int64, error) // keys of this run
	Flush(ctx context.Context) error         // forgets every key of this run
}

// fault is one injected failure. Evidence comes from an observer other than the step that it proves.
type fault interface {
	// apply makes the failure happen and returns when it has begun. It may wait for its trigger, until ctx ends.
	apply(ctx context.Context) error
	// verify says what shows that it happened.
	verify(ctx context.Context) (string, error)
	// revert heals and returns when healed. It is called also after a failed apply, and must then undo what was done.
	revert(ctx context.Context) error
	// verifyReverted says what shows that it is over.
	verifyReverted(ctx context.Context) (string, error)
}

// kind is a row of the catalogue.
type kind struct {
	name  string
	needs func(b backend.Backend) error
	make  func(w *World, f scenario.Fault) fault
}

// kinds is the catalogue of this version.
var kinds = []kind{
	{"redis.kill", can(backend.Redis, backend.Kill, backend.Start), newRedisKill},
	{"redis.pause", can(backend.Redis, backend.Pause, backend.Resume), newRedisPause},
	{"redis.flush", can(backend.Redis), newRedisFlush},
	{"gate.cut", can(backend.Redis), newGateCut},
	{"gate.inflate", can(backend.Redis), newGateInflate},
	{"api.crash", can(backend.Redis), newAPICrash},
	{"postgres.restart", can(backend.Postgres, backend.Stop, backend.Start), newPostgresRestart},
	{"postgres.slow_commit", owned, newSlowCommit},
}

// Names lists the catalogue.
func Names() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

func find(name string) (kind, bool) {
	for _, k := range kinds {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}

// Refuse says which of the faults cannot be done on this backend; nil when all can.
func Refuse(b backend.Backend, faults []scenario.Fault) error {
	var all []error
	for _, f := range faults {
		k, ok := find(f.Inject)
		if !ok {
			all = append(all, fmt.Errorf("fault %q: inject: got %q, want one of %v: %w", f.Name, f.Inject, Names(), ErrUnsupported))
			continue
		}
		if err := k.needs(b); err != nil {
			all = append(all, fmt.Errorf("fault %q: %s on backend %s: %w: %w", f.Name, f.Inject, b.Kind(), ErrUnsupported, err))
		}
	}
	return errors.Join(all...)
}

// NeedsProxy reports whether a fault of the list needs the proxy in front of the gate.
func NeedsProxy(faults []scenario.Fault) bool {
	for _, f := range faults {
		if f.Inject == "gate.cut" {
			return true
		}
	}
	return false
}

func can(server backend.Name, verbs ...backend.Verb) func(backend.Backend) error {
	return func(b backend.Backend) error {
		var all []error
		for _, v := range verbs {
			all = append(all, b.Can(server, v))
		}
		return errors.Join(all...)
	}
}

// owned wants a server whose configuration is the run's own to change.
func owned(b backend.Backend) error {
	if b.Kind() == backend.External {
		return errors.New("it changes the server's configuration, which belongs to somebody else")
	}
	return nil
}

// probeTimeout is how long an independent probe of a server may take; longer means that it does not answer.
const probeTimeout = 300 * time.Millisecond

// probe runs an observation under its own short deadline.
func probe(ctx context.Context, see func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return see(ctx)
}

// answerTimeout is how long a server that should answer may take on a busy machine.
const answerTimeout = 5 * time.Second

// answers runs an observation of something that should work.
func answers(ctx context.Context, see func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return see(ctx)
}
