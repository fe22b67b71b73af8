package loadgen

import (
	"errors"
	"fmt"
	"time"

	"gatecrash/sim/crowd"
	"gatecrash/sim/history"
	"gatecrash/sim/target"
)

// Visit is one visitor's mind. Calls for one visit never overlap.
type Visit interface {
	// First is what the visitor does first.
	First() crowd.Step
	// Next is what it does after the answer to its last step.
	Next(crowd.Heard) crowd.Step
}

// Plan says who comes when. Safe for concurrent use.
type Plan interface {
	// Len is how many visitors are planned.
	Len() int
	// Visitor i in order of arrival.
	Visitor(i int) crowd.Visitor
	// Account and Address give the names for the indices of a Step, Sale for that of a Visitor.
	Account(i uint32) string
	Address(i uint32) string
	Sale(i uint16) string
	// BadLogin reports whether a crowd logs in with wrong proofs.
	BadLogin(crowd uint16) bool
	// Visit makes the mind of a visitor when it arrives.
	Visit(v crowd.Visitor) Visit
}

// Sink takes the records; history.Writer is one. n spreads callers over shards.
type Sink interface {
	Append(n int, r *history.Record)
	// Err is the first error of writing: the run is over then.
	Err() error
}

// Defaults of a Config.
const (
	DefaultCap   = 4096
	DefaultGrace = 2 * time.Second
)

// Config of an Engine.
type Config struct {
	Plan        Plan
	Client      target.Client
	Sink        Sink
	Zero        time.Time     // the run's zero, with monotonic clock: when the first visitor is to arrive
	MaxDuration time.Duration // the crowd is stopped then, counted from Zero; 0: never
	Grace       time.Duration // requests under way at the end may take so long; 0: DefaultGrace
	InFlightCap int           // requests under way at most; 0: DefaultCap
	Pacer       Pacer         // nil: the best of this platform
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var all []error
	if c.Plan == nil || c.Client == nil || c.Sink == nil {
		all = append(all, errors.New("plan, client and sink: all three are needed"))
	} else if c.Client.Replicas() < 1 {
		all = append(all, fmt.Errorf("client: got %d replicas, want at least 1", c.Client.Replicas()))
	}
	if c.Zero.IsZero() {
		all = append(all, errors.New("zero: not set"))
	}
	if c.MaxDuration < 0 || c.Grace < 0 || c.InFlightCap < 0 {
		all = append(all, fmt.Errorf("max duration, grace, in-flight cap: got %v, %v, %d, want none below 0", c.MaxDuration, c.Grace, c.InFlightCap))
	}
	return errors.Join(all...)
}

func (c Config) withDefaults() Config {
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	if c.InFlightCap == 0 {
		c.InFlightCap = DefaultCap
	}
	if c.Pacer == nil {
		c.Pacer = NewPacer()
	}
	return c
}
