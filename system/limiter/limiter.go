package limiter

import (
	_ "embed" // the script beside this file
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrLimited refuses a request that came too soon. It comes wrapped in a booking.RetryError that says how long to wait.
var ErrLimited = errors.New("rate limited")

// Lua defines gcra, charge and clock for a script that takes from buckets. Prepend it.
//
//go:embed gcra.lua
var Lua string

// Rate is an average and how far it may be run ahead of.
type Rate struct {
	PerSec float64 // requests per second; 0: no limit. At most 1,000,000
	Burst  int     // requests that a full bucket lets through at once; >= 1 where there is a limit
}

// Limits are the rates of the whole system.
type Limits struct {
	Account Rate // every request with a session, per account
	Address Rate // the same requests, per client address: an allowance for everyone behind one shared network
	Login   Rate // log-ins, per client address
}

// Validate reports every fault at once.
func (l Limits) Validate() error {
	return errors.Join(l.Account.validate("account"), l.Address.validate("address"), l.Login.validate("login"))
}

func (r Rate) validate(name string) error {
	var errs []error
	if math.IsNaN(r.PerSec) || r.PerSec < 0 || r.PerSec > 1e6 {
		errs = append(errs, fmt.Errorf("limiter.%s.per_sec: got %v, want 0 (no limit) to 1000000 per second, for example 20", name, r.PerSec))
	}
	if r.PerSec > 0 && r.Burst < 1 {
		errs = append(errs, fmt.Errorf("limiter.%s.burst: got %d, want 1 or more, for example 40", name, r.Burst))
	}
	return errors.Join(errs...)
}

// Micros are the arguments of gcra in Lua: the time between two requests at the average rate, and how far ahead of it a bucket may run.
// Both are 0 where there is no limit.
func (r Rate) Micros() (interval, tolerance int64) {
	if r.PerSec == 0 {
		return 0, 0
	}
	interval = max(1, int64(math.Round(1e6/r.PerSec)))
	return interval, interval * int64(r.Burst)
}

// Take is gcra in Go, the model that the Lua is held against: tat is what the bucket holds (0: nothing), now the time, both in microseconds.
// It returns what the bucket holds after and how long to wait; a refused request changes nothing.
func (r Rate) Take(tat, now int64) (after int64, wait time.Duration) {
	interval, tolerance := r.Micros()
	if interval == 0 {
		return tat, 0
	}
	next := max(min(tat, now+tolerance), now) + interval
	if early := next - tolerance - now; early > 0 {
		return tat, time.Duration(early) * time.Microsecond
	}
	return next, 0
}

// Share is replica number's part (1-based) of n among replicas, so that all parts sum to n. It is for bounds that live in a process;
// rates need none of it, because their buckets are shared.
func Share(n, replicas, number int) int {
	part := n / replicas
	if number <= n%replicas {
		part++
	}
	return part
}
