package ledger

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gatecrash/system/booking"
)

// lanes bounds how many transactions of this process contend for one sale's row. The others wait here, in the order in which they came,
// and hold no session meanwhile. Safe for concurrent use.
type lanes struct {
	width int           // transactions at once on one sale
	wait  time.Duration // the longest wait for one's turn

	mu     sync.Mutex
	bySale map[string]*lane
}

// lane is the queue of one sale. It lives as long as somebody uses it, so that made-up names of sales leave nothing behind.
type lane struct {
	turn  chan struct{} // one element for each transaction under way
	users int           // those under way and those who wait; guarded by lanes.mu
}

func newLanes(width int, wait time.Duration) *lanes {
	return &lanes{width: width, wait: wait, bySale: map[string]*lane{}}
}

// enter waits for a turn in the sale's lane. It fails with booking.ErrOverloaded, before anything was done. leave must be called once.
func (l *lanes) enter(ctx context.Context, sale string) (leave func(), err error) {
	own := l.join(sale)
	select { // most find the lane free, and need no timer
	case own.turn <- struct{}{}:
		return func() { <-own.turn; l.part(sale, own) }, nil
	default:
	}
	timer := time.NewTimer(l.wait)
	defer timer.Stop()
	select {
	case own.turn <- struct{}{}:
		return func() { <-own.turn; l.part(sale, own) }, nil
	case <-timer.C:
		err = fmt.Errorf("wait for a turn in sale %q: %w after %v", sale, booking.ErrOverloaded, l.wait)
	case <-ctx.Done():
		err = fmt.Errorf("wait for a turn in sale %q: %w: %w", sale, booking.ErrOverloaded, context.Cause(ctx))
	}
	l.part(sale, own)
	return nil, err
}

func (l *lanes) join(sale string) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.bySale[sale]
	if own == nil {
		own = &lane{turn: make(chan struct{}, l.width)}
		l.bySale[sale] = own
	}
	own.users++
	return own
}

func (l *lanes) part(sale string, own *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(l.bySale, sale)
	}
}
