package backend

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Bounds of the waits of this package.
const (
	startTimeout = 60 * time.Second // to the first answered query, crash recovery included
	stopTimeout  = 10 * time.Second // a graceful stop; then SIGKILL
	closeTimeout = 4 * time.Second  // all of Close; the promise is 5 s
)

// runner starts and breaks one server. It is called by one goroutine at a time.
type runner interface {
	// running reports whether the server's process exists, paused or not.
	running(ctx context.Context) (bool, error)
	// start makes the process; it need not answer yet.
	start(ctx context.Context) error
	// stop ends a running, not paused server in its own orderly way.
	stop(ctx context.Context) error
	// kill is SIGKILL to all of the server, in whatever state; it returns when it is gone.
	kill(ctx context.Context) error
	pause(ctx context.Context) error
	resume(ctx context.Context) error
	// wipe forgets all data of a server that is not running.
	wipe(ctx context.Context) error
	// ready waits until the server answers a query; it gives up when the process ends.
	ready(ctx context.Context) error
	// prepare makes what a fresh server needs: the empty schema of the run.
	prepare(ctx context.Context) error
	// pid of the first process on this machine, 0 when unknown.
	pid() int
	// remove kills the server if need be and removes all that it left.
	remove(ctx context.Context) error
}

// server is a runner and its state. The semaphore, not a mutex, guards both: waiting for it ends with the context.
type server struct {
	runner
	sem    chan struct{}
	paused bool
}

// managed is a backend whose servers this process started.
type managed struct {
	kind      Kind
	addresses Addresses
	servers   map[Name]*server
	data      string       // file system of Postgres' data; "": not known
	keep      func() error // nil: Close removes everything
	cleanup   func(context.Context) error

	life   context.Context // ends with Close, which interrupts verbs under way
	end    context.CancelCauseFunc
	closed sync.Once
	result error
}

var _ Backend = (*managed)(nil)

func newManaged(kind Kind, addresses Addresses, postgres, redis runner) *managed {
	m := &managed{kind: kind, addresses: addresses, servers: map[Name]*server{}}
	m.life, m.end = context.WithCancelCause(context.Background())
	m.servers[Postgres] = &server{runner: postgres, sem: make(chan struct{}, 1)}
	m.servers[Redis] = &server{runner: redis, sem: make(chan struct{}, 1)}
	return m
}

func (m *managed) Kind() Kind { return m.kind }

func (m *managed) Addresses() Addresses { return m.addresses }

func (m *managed) Can(name Name, verb Verb) error {
	if m.servers[name] == nil {
		return fmt.Errorf("%s %q: %w", verb, name, ErrUnknownServer)
	}
	if verbs[verb] == nil {
		return fmt.Errorf("%q %s: %w", verb, name, ErrVerbUnsupported)
	}
	return nil
}

func (m *managed) Do(ctx context.Context, name Name, verb Verb) error {
	if err := m.Can(name, verb); err != nil {
		return err
	}
	ctx, cancel := m.bound(ctx)
	defer cancel()
	s := m.servers[name]
	if err := s.lock(ctx); err != nil {
		return fmt.Errorf("%s %s: %w", verb, name, err)
	}
	defer s.unlock()
	if err := verbs[verb](s, ctx); err != nil {
		return fmt.Errorf("%s %s: %w", verb, name, err)
	}
	return nil
}

// bound ends the context also when the backend is closed.
func (m *managed) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(m.life, func() { cancel(context.Cause(m.life)) })
	return ctx, func() { stop(); cancel(nil) }
}

func (s *server) lock(ctx context.Context) error {
	select {
	case s.sem <- struct{}{}:
		return context.Cause(ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *server) unlock() { <-s.sem }

// open starts both servers at once for the first time.
func (m *managed) open(ctx context.Context) error {
	faults := make(chan error)
	for name, s := range m.servers {
		go func() {
			err := s.bringUp(ctx)
			if err == nil {
				err = s.prepare(ctx)
			}
			if err != nil {
				err = fmt.Errorf("start %s: %w", name, err)
			}
			faults <- err
		}()
	}
	return errors.Join(<-faults, <-faults)
}

func (m *managed) Identity(ctx context.Context, name Name) (Identity, error) {
	ctx, cancel := m.bound(ctx)
	defer cancel()
	id, err := identity(ctx, m.addresses, name)
	if err == nil && m.servers[name] != nil {
		id.PID = m.servers[name].pid()
	}
	return id, err
}

func (m *managed) Settings(ctx context.Context) (Servers, error) {
	ctx, cancel := m.bound(ctx)
	defer cancel()
	read, err := settings(ctx, m.kind, m.addresses)
	if err == nil && m.data != "" {
		read.Postgres["data_filesystem"] = m.data
	}
	return read, err
}

// Close interrupts the verbs under way and removes everything, also when ctx is over already.
func (m *managed) Close(ctx context.Context) error {
	m.closed.Do(func() {
		m.end(ErrClosed)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		if m.keep != nil {
			m.result = m.keep()
			return
		}
		m.result = m.remove(ctx)
	})
	return m.result
}

func (m *managed) remove(ctx context.Context) error {
	faults := make(chan error)
	for name, s := range m.servers {
		go func() {
			err := s.lock(ctx)
			if err == nil {
				err = s.remove(ctx)
			}
			if err != nil {
				err = fmt.Errorf("remove %s: %w", name, err)
			}
			faults <- err
		}()
	}
	err := errors.Join(<-faults, <-faults)
	if m.cleanup != nil {
		err = errors.Join(err, m.cleanup(ctx))
	}
	return err
}
