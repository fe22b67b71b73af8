package crowd

import (
	"time"

	"gatecrash/sim/history"
)

// Visitor is one planned visitor: a pure function of seed and scenario.
type Visitor struct {
	Index   uint32        // place in the plan, in order of arrival
	Crowd   uint16        // index in the scenario's crowds
	Sale    uint16        // index in the scenario's sales
	Account uint32        // index in the plan's accounts; of a visitor with several, the first
	Address uint32        // index in the plan's addresses; of a visitor with several, the first
	Arrive  time.Duration // since the run's zero
	ActAt   time.Duration // flash visitors who wait for the opening: when they act, at or after Arrive; 0 for the others
	Waits   bool          // waits for the opening, see ActAt
	Wants   uint16        // seats
	Cancels bool          // cancels its booking after one more think time
	Seed    uint64        // of the visitor's own stream of draws
}

// Step is what a visitor does next.
type Step struct {
	Op       history.Op    // 0: the visitor is done, see Ending
	At       time.Duration // intended start, since the run's zero; never before the moment Next was called with
	Account  uint32        // whom it acts as, index in the plan's accounts; changes only with a log-in
	Address  uint32        // where it comes from, index in the plan's addresses
	Key      string        // idempotency key; book only
	Intent   uint64        // number of the intent; book and cancel
	Attempt  uint8         // 1-based: which request of the intent, for book; which request of the step, for the others
	Quantity int           // book
	Booking  int64         // cancel
	Timeout  time.Duration // the visitor's own timeout for this request
	Fresh    bool          // login only: a new log-in after session-unknown
	Ending   Ending        // set when Op is 0
}

// Ending says how a visitor left.
type Ending uint8

// Endings. Invariant: started = booked + refused + gave up + unfinished.
const (
	Unfinished   Ending = iota // still there when the run ended
	Booked                     // has, or had before its own cancel, a booking
	RefusedFinal               // a final refusal
	GaveUp                     // out of patience or attempts
)

// Heard is what a visitor learns from the answer to its last step.
type Heard struct {
	Now        time.Duration // since the run's zero
	Outcome    history.Outcome
	Problem    history.Problem
	Error      history.ErrorClass
	RetryAfter time.Duration
	Booking    int64
}

// Budget is a crowd's shared retry budget.
type Budget interface {
	Earn()      // one success
	Take() bool // one retry, if there is budget left
}
