package reconcile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatecrash/system/booking"
)

var _ booking.Replays = (*Replays)(nil)

// ReplaysConfig bounds the look-ups of one replica.
type ReplaysConfig struct {
	Interval time.Duration // between the starts of two statements: with 20 ms at most 50 a second, and at most 20 ms of added delay
	Batch    int           // intents in one statement
	Waiting  int           // requests that wait for a statement to start; more are refused as overloaded
	Parallel int           // statements under way; while all are, no other starts
	Timeout  time.Duration // of one statement
}

// DefaultReplaysConfig keeps to 50 statements a second.
func DefaultReplaysConfig() ReplaysConfig {
	return ReplaysConfig{Interval: 20 * time.Millisecond, Batch: 5000, Waiting: 10_000, Parallel: 4, Timeout: time.Second}
}

// Validate reports every fault of the settings at once.
func (c ReplaysConfig) Validate() error {
	var faults []error
	want := func(ok bool, field string, got any, rule string) {
		if !ok {
			faults = append(faults, fmt.Errorf("replays.%s: got %v, want %s", field, got, rule))
		}
	}
	want(c.Interval > 0, "interval", c.Interval, "> 0, for example 20ms")
	want(c.Batch > 0, "batch", c.Batch, "1 or more, for example 5000")
	want(c.Waiting > 0, "waiting", c.Waiting, "1 or more, for example 10000")
	want(c.Parallel > 0, "parallel", c.Parallel, "1 or more, for example 4")
	want(c.Timeout > 0, "timeout", c.Timeout, "> 0, for example 1s")
	return errors.Join(faults...)
}

// errStopped says that nobody looks anything up any more.
var errStopped = fmt.Errorf("look-ups have stopped: %w", booking.ErrOverloaded)

// Lookup reads committed bookings in one statement; see booking.Ledger.
type Lookup func(ctx context.Context, intents []booking.Intent) ([]booking.Result, error)

// Replays finds the committed bookings of many requests with few statements. Find may be called from anywhere; Run once.
type Replays struct {
	cfg     ReplaysConfig
	lookup  Lookup
	asked   chan question
	stopped chan struct{}
}

type question struct {
	in     booking.Intent
	answer chan<- booking.Result // has room for one
}

// NewReplays makes a Replays. Until Run runs, all Finds wait.
func NewReplays(cfg ReplaysConfig, lookup Lookup) (*Replays, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Replays{cfg: cfg, lookup: lookup, asked: make(chan question, cfg.Waiting), stopped: make(chan struct{})}, nil
}

// Find gives the committed booking of an intent, or booking.ErrUnknownBooking. Where it cannot know, it is booking.ErrOverloaded or
// booking.ErrDependency.
func (r *Replays) Find(ctx context.Context, in booking.Intent) (booking.Booking, error) {
	answer := make(chan booking.Result, 1)
	select {
	case r.asked <- question{in, answer}:
	default:
		return booking.Booking{}, fmt.Errorf("%d look-ups are waiting: %w", r.cfg.Waiting, booking.ErrOverloaded)
	}
	select {
	case found := <-answer:
		return found.Answer.Booking, found.Err
	case <-ctx.Done():
		return booking.Booking{}, fmt.Errorf("look up a booking: %w: %w", booking.ErrOverloaded, ctx.Err())
	case <-r.stopped:
		return booking.Booking{}, errStopped
	}
}

// Run makes the statements until ctx ends, and waits for those under way. All who still wait then get an error.
func (r *Replays) Run(ctx context.Context) {
	var statements sync.WaitGroup
	defer close(r.stopped)
	defer statements.Wait()
	slots := make(chan struct{}, r.cfg.Parallel)
	pace := time.NewTimer(0)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		}
		batch := r.gather(ctx, slots)
		if batch == nil {
			return
		}
		pace.Reset(r.cfg.Interval)
		statements.Go(func() {
			defer func() { <-slots }()
			r.answer(ctx, batch)
		})
	}
}

// gather waits for a first question and a slot, and takes all that have come by then. It gives nil when ctx has ended.
func (r *Replays) gather(ctx context.Context, slots chan<- struct{}) []question {
	var batch []question
	select {
	case <-ctx.Done():
		return nil
	case q := <-r.asked:
		batch = append(batch, q)
	}
	select {
	case <-ctx.Done():
		return nil
	case slots <- struct{}{}:
	}
	for len(batch) < r.cfg.Batch {
		select {
		case q := <-r.asked:
			batch = append(batch, q)
		default:
			return batch
		}
	}
	return batch
}

// answer makes one statement for a batch, in which each intent stands once.
func (r *Replays) answer(ctx context.Context, batch []question) {
	type name struct{ sale, account, key string }
	at := make(map[name]int, len(batch))
	var intents []booking.Intent
	for _, q := range batch {
		n := name{q.in.Sale, q.in.Account, q.in.Key}
		if _, ok := at[n]; !ok {
			at[n] = len(intents)
			intents = append(intents, q.in)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	found, err := r.lookup(ctx, intents)
	for _, q := range batch {
		if err != nil {
			q.answer <- booking.Result{Err: err}
			continue
		}
		q.answer <- found[at[name{q.in.Sale, q.in.Account, q.in.Key}]]
	}
}
