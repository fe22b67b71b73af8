package retry

import "sync/atomic"

// Limits of a Budget, in retries.
const (
	Reserve = 10  // to start with
	Savings = 100 // at most
)

// whole is one retry in the unit of Budget.
const whole = 1_000_000

// Budget is a crowd's shared budget of retries. Safe for concurrent use.
type Budget struct {
	earn      int64 // millionths of a retry earned by a success; < 0: unlimited
	left      atomic.Int64
	taken     atomic.Int64
	exhausted atomic.Int64
}

// NewBudget makes a budget that earns ratio retries by each success; below 0 it is unlimited.
func NewBudget(ratio float64) *Budget {
	b := &Budget{earn: int64(ratio*whole + 0.5)}
	if ratio < 0 {
		b.earn = -1
	}
	b.left.Store(Reserve * whole)
	return b
}

// Earn counts one success.
func (b *Budget) Earn() {
	if b.earn <= 0 {
		return
	}
	for {
		old := b.left.Load()
		if b.left.CompareAndSwap(old, min(old+b.earn, Savings*whole)) {
			return
		}
	}
}

// Take takes one retry and reports whether there was one.
func (b *Budget) Take() bool {
	for b.earn >= 0 {
		old := b.left.Load()
		if old < whole {
			b.exhausted.Add(1)
			return false
		}
		if b.left.CompareAndSwap(old, old-whole) {
			break
		}
	}
	b.taken.Add(1)
	return true
}

// Taken counts the retries that were taken, Exhausted those that were not to be had.
func (b *Budget) Taken() int64 { return b.taken.Load() }

// Exhausted counts the retries that were asked for in vain.
func (b *Budget) Exhausted() int64 { return b.exhausted.Load() }
