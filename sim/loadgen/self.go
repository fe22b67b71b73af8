package loadgen

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"gatecrash/sim/result"
)

const gcPauses = "/sched/pauses/total/gc:seconds"

// self is what this process had used when the crowd began.
type self struct {
	at     time.Time
	cpu    time.Duration
	pauses *metrics.Float64Histogram
}

func watchSelf() self { return self{time.Now(), cpuTime(), readPauses()} }

// fill writes what was used since.
func (s self) fill(g *result.Generator) {
	elapsed := time.Since(s.at)
	g.CPUSeconds = (cpuTime() - s.cpu).Seconds()
	if elapsed > 0 {
		g.CPURatio = g.CPUSeconds / elapsed.Seconds() / float64(runtime.NumCPU())
	}
	g.GCPauseMaxMS = longestPause(s.pauses, readPauses()) * 1000
}

func readPauses() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: gcPauses}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return &metrics.Float64Histogram{}
	}
	h := sample[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: append([]uint64(nil), h.Counts...), Buckets: append([]float64(nil), h.Buckets...)}
}

// longestPause is the upper border, in seconds, of the highest bucket that grew.
func longestPause(before, after *metrics.Float64Histogram) float64 {
	for i := len(after.Counts) - 1; i >= 0; i-- {
		if i < len(before.Counts) && after.Counts[i] == before.Counts[i] {
			continue
		}
		if border := after.Buckets[i+1]; !math.IsInf(border, 1) {
			return border
		}
		return after.Buckets[i]
	}
	return 0
}
