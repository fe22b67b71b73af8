package gate

import (
	"testing"
	"time"
)

// TestBreaker plays a script of calls: each line is a moment in milliseconds, whether a call may be made, and how it ended.
func TestBreaker(t *testing.T) {
	t.Parallel()
	cfg := BreakerConfig{Failures: 3, Probe: 100 * time.Millisecond}
	const (
		ok = iota
		failed
		pending
	)
	for _, c := range []struct {
		name  string
		steps []struct {
			at      int
			allowed bool
			end     int
		}
	}{
		{"a success between failures keeps it closed", []struct {
			at      int
			allowed bool
			end     int
		}{{0, true, failed}, {1, true, failed}, {2, true, ok}, {3, true, failed}, {4, true, failed}, {5, true, ok}}},
		{"opens, lets one probe through in each interval, closes on success", []struct {
			at      int
			allowed bool
			end     int
		}{
			{0, true, failed}, {0, true, failed}, {0, true, failed}, {1, false, 0}, {99, false, 0},
			{100, true, failed}, {101, false, 0}, {199, false, 0}, {200, true, pending}, {250, false, 0}, {300, true, ok}, {301, true, failed}, {302, true, ok},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var b breaker
			start := time.Unix(0, 0)
			for i, s := range c.steps {
				now := start.Add(time.Duration(s.at) * time.Millisecond)
				if got := b.allow(cfg, now); got != s.allowed {
					t.Fatalf("step %d: allow at %d ms: got %v, want %v", i, s.at, got, s.allowed)
				}
				if s.allowed && s.end != pending {
					b.done(cfg, now, s.end == ok)
				}
			}
		})
	}
}
