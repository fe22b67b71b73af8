package arrival

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gatecrash/sim/scenario"
)

// TailCut is where the tail of a flash crowd ends, in units of tau.
const TailCut = 5

// Visit is the coming of one visitor, since the run's zero.
type Visit struct {
	Arrive time.Duration
	Waits  bool          // waits for the opening
	ActAt  time.Duration // only with Waits: when it acts, at or after the opening
}

// Visits gives the n visits of a crowd, sorted by arrival. opens is when its sale opens.
func Visits(a scenario.Arrival, n int, opens time.Duration, r *rand.Rand) ([]Visit, error) {
	var all []Visit
	switch a.Shape {
	case "constant":
		all = plain(Constant(n, length(a, n)))
	case "poisson":
		all = plain(Poisson(n, length(a, n), r))
	case "ramp":
		all = plain(Curve(n, []scenario.Stage{{Rate: a.From}, {Rate: a.To, For: a.For}}))
	case "stages":
		all = plain(Curve(n, a.Stages))
	case "flash":
		all = Flash(a, n, opens, r)
	default:
		return nil, fmt.Errorf("arrival shape %q: want constant, poisson, ramp, stages or flash", a.Shape)
	}
	for i := range all {
		all[i].Arrive += a.Delay
		all[i].ActAt = max(all[i].ActAt, all[i].Arrive)
		if !all[i].Waits {
			all[i].ActAt = 0
		}
	}
	slices.SortFunc(all, func(a, b Visit) int { return cmp.Or(cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.ActAt, b.ActAt)) })
	return all, nil
}

// length is how long a steady shape lasts; a duration that was left out follows from the rate.
func length(a scenario.Arrival, n int) time.Duration {
	if a.For == 0 && a.Rate > 0 {
		return seconds(float64(n) / a.Rate)
	}
	return a.For
}

func plain(at []time.Duration) []Visit {
	all := make([]Visit, len(at))
	for i, t := range at {
		all[i].Arrive = t
	}
	return all
}

// Constant spaces n arrivals evenly over a time, the first at zero.
func Constant(n int, over time.Duration) []time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = time.Duration(float64(over) * float64(i) / float64(n))
	}
	return all
}

// Poisson is a Poisson process over a time, given that n arrive: sorted uniform draws.
func Poisson(n int, over time.Duration, r *rand.Rand) []time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = time.Duration(float64(over) * r.Float64())
	}
	slices.Sort(all)
	return all
}

// Curve spreads n arrivals over a rate that moves in straight lines from stage to stage, starting at 0/s: arrival i comes where the cumulated rate reaches (i + 1/2) / n of its end.
// A stage without duration is a jump.
func Curve(n int, stages []scenario.Stage) []time.Duration {
	all := make([]time.Duration, n)
	total := Area(stages)
	var begun time.Duration
	var done, from float64 // visitors before this stage, and the rate at its start
	next := 0
	for _, s := range stages {
		area := (from + s.Rate) / 2 * s.For.Seconds()
		for ; next < n; next++ {
			left := (float64(next)+0.5)/float64(n)*total - done
			if left > area {
				break
			}
			all[next] = begun + min(s.For, seconds(along(from, s.Rate, s.For.Seconds(), left)))
		}
		begun, done, from = begun+s.For, done+area, s.Rate
	}
	for ; next < n; next++ { // rounding at the very end
		all[next] = begun
	}
	return all
}

// along says after how many seconds a rate moving from a to b within t seconds has brought that many visitors: the root of a x + (b-a)/(2t) x^2 = visitors,
// in the form that is stable for b near a (Numerical Recipes, section 5.6).
func along(a, b, t, visitors float64) float64 {
	if visitors <= 0 || t == 0 {
		return 0
	}
	return 2 * visitors / (a + math.Sqrt(max(0, a*a+2*(b-a)/t*visitors)))
}

// Area is how many visitors the rates of stages bring.
func Area(stages []scenario.Stage) float64 {
	var sum, from float64
	for _, s := range stages {
		sum += (from + s.Rate) / 2 * s.For.Seconds()
		from = s.Rate
	}
	return sum
}

// Flash brings those who wait for the opening evenly before it, each acting after a reaction of its own, and the rest after it with an exponentially falling rate.
func Flash(a scenario.Arrival, n int, opens time.Duration, r *rand.Rand) []Visit {
	waiting := int(math.Round(a.AtOpen * float64(n)))
	all := make([]Visit, n)
	for i := range all {
		if i < waiting {
			all[i] = Visit{Arrive: time.Duration(r.Float64() * float64(opens)), Waits: true, ActAt: opens + Draw(a.Reaction, r)}
			continue
		}
		all[i].Arrive = opens + time.Duration(tail(r.Float64())*float64(a.Tau))
	}
	part(all[:waiting])
	return all
}

// part moves the acts of those who wait so that no two fall into the same microsecond.
func part(all []Visit) {
	slices.SortFunc(all, func(a, b Visit) int { return cmp.Compare(a.ActAt, b.ActAt) })
	for i := 1; i < len(all); i++ {
		all[i].ActAt = max(all[i].ActAt, all[i-1].ActAt+time.Microsecond)
	}
}

// tail is the inverse of the exponential distribution cut at TailCut.
func tail(u float64) float64 {
	return -math.Log(1 - u*(1-math.Exp(-TailCut)))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
