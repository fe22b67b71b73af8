package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/reconcile"
)

// statements is a look-up that takes a while, knows the bookings of accounts whose name starts with b, and remembers when it was asked.
type statements struct {
	takes time.Duration
	err   error

	mu     sync.Mutex
	starts []time.Time
	sizes  []int
}

func (s *statements) lookup(ctx context.Context, intents []booking.Intent) ([]booking.Result, error) {
	s.mu.Lock()
	s.starts, s.sizes = append(s.starts, time.Now()), append(s.sizes, len(intents))
	s.mu.Unlock()
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", booking.ErrDependency, ctx.Err())
	}
	results := make([]booking.Result, len(intents))
	for i, in := range intents {
		if strings.HasPrefix(in.Account, "b") {
			results[i].Answer.Booking = booking.Booking{Account: in.Account, Key: in.Key, Quantity: in.Quantity}
		} else {
			results[i].Err = booking.ErrUnknownBooking
		}
	}
	return results, s.err
}

func startReplays(t *testing.T, s *statements, change ...func(*reconcile.ReplaysConfig)) (r *reconcile.Replays, stop func()) {
	t.Helper()
	cfg := reconcile.DefaultReplaysConfig()
	for _, c := range change {
		c(&cfg)
	}
	r, err := reconcile.NewReplays(cfg, s.lookup)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	return r, func() { cancel(); running.Wait() }
}

func asks(account string) booking.Intent {
	return booking.Intent{Sale: "s", Account: account, Key: "k", Quantity: 1}
}

// TestReplaysShareStatements asks 2,000 times a second for ten seconds.
func TestReplaysShareStatements(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &statements{takes: 3 * time.Millisecond}
		r, stop := startReplays(t, s)
		defer stop()
		var visitors sync.WaitGroup
		var mu sync.Mutex
		slowest := time.Duration(0)
		for i := range 20_000 {
			account := fmt.Sprintf("%c%d", "ab"[i%2], i)
			asked := time.Now()
			visitors.Go(func() {
				b, err := r.Find(t.Context(), asks(account))
				took := time.Since(asked)
				mu.Lock()
				defer mu.Unlock()
				slowest = max(slowest, took)
				if booked := account[0] == 'b'; booked != (err == nil) || booked && b.Account != account || !booked && !errors.Is(err, booking.ErrUnknownBooking) {
					t.Errorf("find(%s): got %+v, %v", account, b, err)
				}
			})
			time.Sleep(500 * time.Microsecond)
		}
		visitors.Wait()
		if n := len(s.starts); n > 501 || n < 400 {
			t.Errorf("statements in ten seconds: got %d, want at most 50 a second", n)
		}
		for i := 1; i < len(s.starts); i++ {
			if gap := s.starts[i].Sub(s.starts[i-1]); gap < 20*time.Millisecond {
				t.Errorf("statement %d: got %v after the one before, want 20ms or more", i, gap)
			}
		}
		if added := slowest - s.takes; added > 20*time.Millisecond {
			t.Errorf("added delay: got %v, want at most 20ms", added)
		}
	})
}

func TestReplaysIdleAskAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, stop := startReplays(t, &statements{})
		defer stop()
		time.Sleep(time.Minute)
		asked := time.Now()
		if _, err := r.Find(t.Context(), asks("bob")); err != nil || time.Since(asked) != 0 {
			t.Errorf("find when idle: got %v after %v, want an answer without a wait", err, time.Since(asked))
		}
	})
}

func TestReplaysAskOnceForOneIntent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &statements{}
		r, stop := startReplays(t, s)
		defer stop()
		_, _ = r.Find(t.Context(), asks("first")) // so that the others wait together
		var twins sync.WaitGroup
		for range 100 {
			twins.Go(func() {
				if b, err := r.Find(t.Context(), asks("bob")); err != nil || b.Account != "bob" {
					t.Errorf("find: got %+v, %v", b, err)
				}
			})
		}
		twins.Wait()
		if len(s.sizes) != 2 || s.sizes[1] != 1 {
			t.Errorf("intents in the statements: got %v, want one and one", s.sizes)
		}
	})
}

func TestReplaysBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &statements{takes: 10 * time.Second}
		r, stop := startReplays(t, s, func(c *reconcile.ReplaysConfig) { c.Batch, c.Waiting, c.Parallel, c.Timeout = 2, 3, 1, time.Second })
		defer stop()
		answers := make(chan error, 6)
		ask := func(ctx context.Context) { _, err := r.Find(ctx, asks("bob")); answers <- err }
		go ask(t.Context()) // goes into a statement that takes too long
		time.Sleep(time.Millisecond)
		impatient, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		for range 4 { // one is taken out as the first of the next batch, three wait
			go ask(impatient)
			time.Sleep(15 * time.Millisecond)
			synctest.Wait()
		}
		time.Sleep(10 * time.Millisecond)
		go ask(t.Context())
		if err := <-answers; !errors.Is(err, booking.ErrOverloaded) {
			t.Errorf("find with all places taken: got %v, want %v", err, booking.ErrOverloaded)
		}
		for range 4 {
			if err := <-answers; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("find past the visitor's deadline: got %v, want %v", err, context.DeadlineExceeded)
			}
		}
		if err := <-answers; !errors.Is(err, booking.ErrDependency) {
			t.Errorf("find in a statement that took too long: got %v, want %v", err, booking.ErrDependency)
		}
	})
}

func TestReplaysStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &statements{takes: time.Hour}
		r, stop := startReplays(t, s, func(c *reconcile.ReplaysConfig) { c.Parallel, c.Timeout = 1, 2*time.Hour })
		answers := make(chan error, 2)
		for range 2 {
			go func() { _, err := r.Find(context.Background(), asks("bob")); answers <- err }()
			time.Sleep(time.Minute)
		}
		stop()
		for range 2 {
			if err := <-answers; !errors.Is(err, booking.ErrDependency) && !errors.Is(err, booking.ErrOverloaded) {
				t.Errorf("find when stopped: got %v, want an error that says so", err)
			}
		}
	})
}

func TestReplaysConfig(t *testing.T) {
	t.Parallel()
	_, err := reconcile.NewReplays(reconcile.ReplaysConfig{}, nil)
	for _, want := range []string{"interval", "batch", "waiting", "parallel", "timeout"} {
		if err == nil || !strings.Contains(err.Error(), "replays."+want) {
			t.Errorf("empty config: got %v, want replays.%s reported", err, want)
		}
	}
}
