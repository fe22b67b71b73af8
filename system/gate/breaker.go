package gate

import (
	"errors"
	"time"
)

// ErrOpen says that the call was not made: the gate failed too often of late and it was not yet time to try it again.
var ErrOpen = errors.New("gate breaker open")

// BreakerConfig says when calls stop to be made.
type BreakerConfig struct {
	Failures int           // failures in a row that open it; > 0
	Probe    time.Duration // while open, one call in each such time is let through
}

// breaker is closed while the gate works, and open after too many failures in a row: then all calls fail at once but one probe in each
// interval, and the first success closes it. It is pure: times are passed in, and its owner serialises the calls. The zero value is closed.
type breaker struct {
	failed int       // failures since the last success
	next   time.Time // while open: when the next probe may go
}

// allow says whether a call may be made.
func (b *breaker) allow(cfg BreakerConfig, now time.Time) bool {
	if b.failed < cfg.Failures {
		return true
	}
	if now.Before(b.next) {
		return false
	}
	b.next = now.Add(cfg.Probe)
	return true
}

// done records how a call that was allowed ended.
func (b *breaker) done(cfg BreakerConfig, now time.Time, ok bool) {
	if ok {
		b.failed = 0
		return
	}
	if b.failed++; b.failed == cfg.Failures {
		b.next = now.Add(cfg.Probe)
	}
}
