package limiter

import (
	"sync"

	"gatecrash/system/booking"
)

var _ booking.Limit = (*Slots)(nil)

// Slots bounds concurrent work in this process. Nothing waits: who finds no slot is turned away at once.
type Slots struct{ free chan struct{} }

// NewSlots makes a bound of n; with 0 every TryAcquire is refused.
func NewSlots(n int) *Slots { return &Slots{free: make(chan struct{}, n)} }

// TryAcquire takes a slot, or reports false at once. Calling release more than once is harmless.
func (s *Slots) TryAcquire() (release func(), ok bool) {
	select {
	case s.free <- struct{}{}:
		return sync.OnceFunc(func() { <-s.free }), true
	default:
		return nil, false
	}
}

// InUse is the number of slots taken.
func (s *Slots) InUse() int { return len(s.free) }

// Share is replica number's part (1-based) of n among replicas, so that all parts sum to n.
func Share(n, replicas, number int) int {
	part := n / replicas
	if number <= n%replicas {
		part++
	}
	return part
}
