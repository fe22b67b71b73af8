package retry

import (
	"math"
	"math/rand/v2"
	"time"

	"gatecrash/sim/scenario"
)

// Backoff is the wait after the failed-th failure (1-based) before jitter: base * factor^(failed-1), at most the cap.
func Backoff(b scenario.Backoff, failed int) time.Duration {
	d := float64(b.Base) * math.Pow(b.Factor, float64(max(failed, 1)-1))
	if math.IsNaN(d) || d >= float64(b.Cap) {
		return b.Cap
	}
	return time.Duration(d)
}

// Jitter spreads a wait: "full" over 0..d, "equal" over d/2..d, anything else not at all.
func Jitter(kind string, d time.Duration, r *rand.Rand) time.Duration {
	switch kind {
	case "full":
		return time.Duration(r.Float64() * float64(d))
	case "equal":
		return d/2 + time.Duration(r.Float64()*float64(d-d/2))
	}
	return d
}

// Wait is the wait before the next attempt. after is the Retry-After that was told, 0 for none or where it is not honoured.
func Wait(b scenario.Backoff, failed int, after time.Duration, r *rand.Rand) time.Duration {
	d := Jitter(b.Jitter, Backoff(b, failed), r)
	switch {
	case after <= 0:
		return d
	case b.Jitter == "none":
		return max(d, after)
	}
	return after + d
}
