package system

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"gatecrash/system/booking"
	"gatecrash/system/crashpoint"
	"gatecrash/system/gate"
	"gatecrash/system/httpapi"
	"gatecrash/system/ledger"
	"gatecrash/system/limiter"
	"gatecrash/system/reconcile"
	"gatecrash/system/session"
)

// System is one running replica.
type System struct {
	cfg     Config
	log     *slog.Logger
	crash   *crashpoint.Set
	metrics *httpapi.Metrics

	ledger     *ledger.Ledger
	gate       *gate.Gate    // nil: the system runs without
	store      *redis.Client // of sessions and limiter
	sessions   *session.Store
	replays    *reconcile.Replays
	reconciler *reconcile.Reconciler // nil: no gate
	fallback   booking.Slots
	service    *booking.Service
	api        *httpapi.API
	server     *http.Server
	listener   net.Listener

	failed chan error // the server's end, unless Close ended it
	stops  []stop     // in the order of starting; Close runs them backwards
}

// stop is how a part that was started ends.
type stop struct {
	part string
	end  func(context.Context) error
}

// Start wires a replica and serves. When it returns without an error, requests are taken at Addr. What was started is stopped again if it fails.
func Start(ctx context.Context, cfg Config) (*System, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &System{cfg: cfg, failed: make(chan error, 1)}
	if s.cfg.Stderr == nil {
		s.cfg.Stderr = io.Discard
	}
	s.log = slog.New(slog.NewJSONHandler(s.cfg.Stderr, &slog.HandlerOptions{Level: cfg.LogLevel})).With("replica", cfg.Number)
	for _, step := range []func(context.Context) error{s.arm, s.openLedger, s.openGate, s.openSessions, s.checkRedis, s.startWorkers, s.wire, s.serve} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, s.Close(context.WithoutCancel(ctx)))
		}
	}
	s.log.Info("serving", "address", s.Addr(), "replicas", cfg.Replicas, "gate", cfg.Gate.Enabled, "crash_points", cfg.CrashPoints)
	return s, nil
}

// Addr is where requests are taken.
func (s *System) Addr() string { return s.listener.Addr().String() }

// Failed gives the error with which the server ended by itself, if it did.
func (s *System) Failed() <-chan error { return s.failed }

// Close takes no new requests, waits for those under way as long as ctx lets it, and ends every part. It is called once.
func (s *System) Close(ctx context.Context) error {
	var errs []error
	for _, part := range slices.Backward(s.stops) {
		if err := part.end(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", part.part, err))
		}
	}
	s.stops = nil
	return errors.Join(errs...)
}

func (s *System) onStop(part string, end func(context.Context) error) {
	s.stops = append(s.stops, stop{part, end})
}

// CrashPoints lists the names of every crash point.
func CrashPoints() []string {
	return []string{
		booking.PointDebited, booking.PointBooked, booking.PointSettled, booking.PointCanceled,
		reconcile.PointResolved, reconcile.PointMiddle,
	}
}

func (s *System) arm(context.Context) error {
	s.crash = crashpoint.New(CrashPoints(), s.cfg.Stderr)
	s.metrics = httpapi.NewMetrics()
	for _, a := range s.cfg.Armed {
		if err := s.crash.Arm(a); err != nil {
			return err
		}
		s.log.Warn("crash point armed", "arming", a.String())
	}
	return nil
}

// openLedger waits for Postgres as long as Timeouts.Start; a fault that waiting cannot mend ends it at once.
func (s *System) openLedger(ctx context.Context) error {
	cfg := s.cfg.truth()
	cfg.MaxConns = limiter.Share(s.cfg.Connections, s.cfg.Replicas, s.cfg.Number)
	cfg.AtOnce = max(1, limiter.Share(s.cfg.SaleAtOnce, s.cfg.Replicas, s.cfg.Number))
	cfg.Lock, cfg.Statement = s.cfg.Timeouts.Lock, s.cfg.Timeouts.Statement
	cfg.LockWait = s.metrics.LockWait
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeouts.Start)
	defer cancel()
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := s.tryLedger(ctx, cfg)
		if err == nil || !errors.Is(err, booking.ErrDependency) {
			return err
		}
		s.log.Warn("postgres is not there yet", "error", err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("postgres did not answer within %v: %w", s.cfg.Timeouts.Start, err)
		case <-time.After(wait):
		}
	}
}

func (s *System) tryLedger(ctx context.Context, cfg ledger.Config) error {
	l, err := ledger.Open(ctx, cfg)
	if err != nil {
		return err
	}
	if err := l.Migrate(ctx); err != nil {
		l.Close()
		return err
	}
	s.ledger = l
	s.onStop("ledger", func(context.Context) error { l.Close(); return nil })
	return nil
}

func (s *System) openGate(context.Context) error {
	if !s.cfg.Gate.Enabled {
		return nil
	}
	cfg := gate.DefaultConfig(s.cfg.GateURL)
	cfg.Prefix, cfg.Conns = s.cfg.Prefix, s.cfg.GateConns
	g, err := gate.Open(cfg)
	if err != nil {
		return err
	}
	s.gate = g
	s.onStop("gate", func(context.Context) error { return g.Close() })
	return nil
}

func (s *System) openSessions(context.Context) error {
	client, err := sessionClient(s.cfg)
	if err != nil {
		return err
	}
	s.store = client
	s.onStop("sessions", func(context.Context) error { return client.Close() })
	s.sessions = session.New(client, session.Settings{
		Prefix: s.cfg.Prefix, Limits: s.cfg.Limits, Life: s.cfg.SessionLife, Budget: s.cfg.Timeouts.Session,
	})
	return nil
}

// checkRedis refuses a Redis that would throw debits or sessions away to make room. One that does not say is taken.
func (s *System) checkRedis(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for name, url := range map[string]string{"gate_url": s.cfg.GateURL, "session_url": s.cfg.SessionURL} {
		policy, err := evictionPolicy(ctx, url)
		if err != nil {
			s.log.Warn("eviction policy of redis not read", "setting", name, "error", err)
			continue
		}
		if policy != "noeviction" {
			return fmt.Errorf("%s: redis has maxmemory-policy %q, want noeviction: it would drop debits and sessions to make room", name, policy)
		}
	}
	return nil
}

// serve listens and hands requests to the API.
func (s *System) serve(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", s.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s.listener = l
	s.server = httpServer(s.api, s.cfg.answerWithin(), s.log)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serve: %w", err)
		}
	}()
	s.onStop("server", func(ctx context.Context) error {
		err := s.server.Shutdown(ctx)
		if err != nil { // out of time: what is still under way is cut
			err = errors.Join(err, s.server.Close())
		}
		<-ended
		return err
	})
	return nil
}

// readTimeout bounds a request's headers and body, so that a client that dribbles holds a connection for no longer.
const readTimeout = 5 * time.Second

func httpServer(h http.Handler, answer time.Duration, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      readTimeout + answer + time.Second, // counted from the headers
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

func newToken() string {
	var b [16]byte
	rand.Read(b[:]) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}
