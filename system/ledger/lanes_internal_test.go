package ledger

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gatecrash/system/booking"
)

func TestLanesKeepTheOrderAndTheBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(2, time.Minute)
		var under, most atomic.Int64
		var order []int
		var mu sync.Mutex
		for i := range 40 {
			go func() {
				leave, err := l.enter(t.Context(), "s")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				most.Store(max(most.Load(), under.Add(1)))
				time.Sleep(10 * time.Millisecond)
				under.Add(-1)
				leave()
			}()
			synctest.Wait()
		}
		time.Sleep(time.Second)
		for i, got := range order {
			if got != i {
				t.Errorf("order: got %v, want that of coming", order)
				break
			}
		}
		if most.Load() != 2 || len(order) != 40 || len(l.bySale) != 0 {
			t.Errorf("got %d at once, %d served, %d lanes left; want 2, 40, 0", most.Load(), len(order), len(l.bySale))
		}
	})
}

func TestLaneGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(1, 100*time.Millisecond)
		leave, err := l.enter(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		other, err := l.enter(t.Context(), "other") // a full lane is in nobody else's way
		if err != nil {
			t.Fatal(err)
		}
		other()
		began := time.Now()
		if _, err := l.enter(t.Context(), "s"); !errors.Is(err, booking.ErrOverloaded) || time.Since(began) != l.wait {
			t.Errorf("enter a full lane: got %v after %v, want %v after %v", err, time.Since(began), booking.ErrOverloaded, l.wait)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := l.enter(ctx, "s"); !errors.Is(err, booking.ErrOverloaded) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("enter a full lane with a deadline: got %v, want %v and the deadline", err, booking.ErrOverloaded)
		}
		leave()
		if len(l.bySale) != 0 {
			t.Errorf("%d lanes left, want none", len(l.bySale))
		}
	})
}
