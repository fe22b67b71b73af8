package arrival

import (
	"math"
	"math/rand/v2"
	"time"

	"gatecrash/sim/scenario"
)

// z95 is the 95th percentile of the standard normal distribution.
const z95 = 1.6448536269514722

// Draw takes one value from a log-normal distribution given by its median and 95th percentile: mu = ln median, sigma = ln(p95/median) / z95.
// A spread whose p95 does not exceed its median is constant and takes no draw.
func Draw(s scenario.Spread, r *rand.Rand) time.Duration {
	if s.Median <= 0 || s.P95 <= s.Median {
		return max(s.Median, 0)
	}
	sigma := math.Log(float64(s.P95)/float64(s.Median)) / z95
	return time.Duration(float64(s.Median) * math.Exp(sigma*r.NormFloat64()))
}
