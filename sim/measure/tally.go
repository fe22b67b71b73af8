package measure

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"gatecrash/sim/result"
)

// Range of the histograms in nanoseconds.
const (
	lowest  = int64(time.Microsecond)
	highest = int64(time.Hour)
)

// Digits of the histograms.
const (
	digitsTotal  = 3
	digitsSecond = 2
)

// tally holds times of one kind.
type tally struct {
	hist     *hdrhistogram.Histogram // nanoseconds
	n        int64
	sum      float64 // nanoseconds
	min, max int64   // exact, nanoseconds; of no meaning while n is 0
	censored int64
	clamped  int64
}

func newTally(digits int) *tally { return &tally{hist: hdrhistogram.New(lowest, highest, digits)} }

// add counts a time. One below 0 comes from a broken clock and counts as 0.
func (t *tally) add(ns int64, censored bool) {
	ns = max(ns, 0)
	if t.n == 0 || ns < t.min {
		t.min = ns
	}
	t.max = max(t.max, ns)
	t.n++
	t.sum += float64(ns)
	if censored {
		t.censored++
	}
	if ns > highest {
		t.clamped++
	}
	if err := t.hist.RecordValue(min(ns, highest)); err != nil {
		panic("measure: a value inside the range is recordable: " + err.Error())
	}
}

func (t *tally) reset() {
	t.hist.Reset()
	*t = tally{hist: t.hist}
}

// at is a percentile (0..100) in nanoseconds by nearest rank: the smallest value that at least that share of the values do not exceed, within the
// histogram's digits and never outside the exact minimum and maximum. The library itself rounds the rank, which understates percentiles of few values.
func (t *tally) at(percentile float64) int64 {
	if t.n == 0 {
		return 0
	}
	if percentile >= 100 {
		return t.max
	}
	rank := math.Ceil(percentile/100*float64(t.n) - 1e-9)
	return min(max(t.hist.ValueAtPercentile(100*rank/float64(t.n)), t.min), t.max)
}

func (t *tally) percentiles() result.Percentiles {
	if t.n == 0 {
		return result.Percentiles{}
	}
	us := func(percentile float64) int64 { return t.at(percentile) / 1000 }
	return result.Percentiles{
		N: t.n, Mean: t.sum / float64(t.n) / 1000, P50: us(50), P90: us(90), P95: us(95), P99: us(99), P999: us(99.9), Max: us(100),
		Censored: t.censored, Clamped: t.clamped,
	}
}

// pair is response and service time side by side.
type pair struct{ response, service *tally }

func newPair(digits int) *pair { return &pair{newTally(digits), newTally(digits)} }

func (p *pair) reset() {
	p.response.reset()
	p.service.reset()
}
