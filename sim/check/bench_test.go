package check

import (
	"testing"
	"time"
)

// BenchmarkJudge judges about a million requests of a rush.
func BenchmarkJudge(b *testing.B) {
	w := newWorld(5)
	w.visitors, w.capacity, w.length, w.limit = 250_000, 100_000, 600*sec, 6
	in := w.run()
	b.ReportMetric(float64(len(in.Requests)), "requests")
	b.ReportMetric(float64(len(in.Bookings2)), "bookings")
	b.ResetTimer()
	for b.Loop() {
		began := time.Now()
		r := Judge(in)
		b.ReportMetric(time.Since(began).Seconds()/float64(len(in.Requests))*1e9, "ns/request")
		if r.Exit != 0 {
			b.Fatal(explain(r))
		}
	}
	b.ReportMetric(float64(len(in.Requests)), "requests")
}
