package limiter

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTake(t *testing.T) {
	r := Rate{PerSec: 10, Burst: 3} // one each 100 ms
	const now = int64(1_700_000_000_000_000)
	tests := []struct {
		name string
		rate Rate
		tat  int64
		next int64
		wait time.Duration
	}{
		{"new bucket", r, 0, now + 100_000, 0},
		{"last of the burst", r, now + 200_000, now + 300_000, 0},
		{"empty", r, now + 300_000, now + 300_000, 100 * time.Millisecond},
		{"half an interval early", r, now + 250_000, now + 250_000, 50 * time.Millisecond},
		{"long ago", r, now - 9_000_000, now + 100_000, 0},
		{"clock set back an hour", r, now + 3_600_000_000, now + 3_600_000_000, 100 * time.Millisecond},
		{"no limit", Rate{}, 0, 0, 0},
	}
	for _, tt := range tests {
		next, wait := tt.rate.Take(tt.tat, now)
		if next != tt.next || wait != tt.wait {
			t.Errorf("%s: Take(%d, %d) = %d, %v; want %d, %v", tt.name, tt.tat, now, next, wait, tt.next, tt.wait)
		}
	}
}

// TestTakeNeverExceedsRateAndBurst: in any window, at most burst + rate x window requests pass, and whoever waits as told passes.
func TestTakeNeverExceedsRateAndBurst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate{PerSec: float64(rapid.IntRange(1, 5000).Draw(t, "rate")), Burst: rapid.IntRange(1, 50).Draw(t, "burst")}
		interval, _ := r.Micros()
		const start = int64(1_000_000)
		now, tat, passed := start, int64(0), int64(0)
		for _, gap := range rapid.SliceOfN(rapid.Int64Range(0, 3*interval), 1, 200).Draw(t, "gaps") {
			now += gap
			next, wait := r.Take(tat, now)
			if wait > 0 {
				if _, again := r.Take(tat, now+wait.Microseconds()); again > 0 {
					t.Fatalf("rate %v: told to wait %v, then %v more", r, wait, again)
				}
				continue
			}
			tat = next
			passed++
		}
		if most := int64(r.Burst) + (now-start)/interval; passed > most {
			t.Fatalf("rate %v: %d passed in %d us, want at most %d", r, passed, now-start, most)
		}
	})
}

func TestValidateReportsAll(t *testing.T) {
	err := Limits{Account: Rate{PerSec: -1}, Address: Rate{PerSec: 5}, Login: Rate{PerSec: 2e6, Burst: 1}}.Validate()
	for _, want := range []string{"limiter.account.per_sec", "limiter.address.burst", "limiter.login.per_sec"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v; want it to name %s", err, want)
		}
	}
	if err := (Limits{}).Validate(); err != nil {
		t.Errorf("Validate() of no limits = %v; want nil", err)
	}
}

func TestShareSumsToTheWhole(t *testing.T) {
	for n := range 12 {
		for replicas := 1; replicas <= 5; replicas++ {
			sum := 0
			for number := 1; number <= replicas; number++ {
				sum += Share(n, replicas, number)
			}
			if sum != n {
				t.Errorf("Share(%d, %d, 1..%d) sums to %d; want %d", n, replicas, replicas, sum, n)
			}
		}
	}
}
