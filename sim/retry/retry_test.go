package retry

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatecrash/sim/scenario"
)

func TestBackoff(t *testing.T) {
	b := scenario.Backoff{Base: 200 * time.Millisecond, Factor: 2, Cap: time.Second, Jitter: "none"}
	huge := scenario.Backoff{Base: time.Hour, Factor: 10, Cap: time.Hour}
	tests := []struct {
		name   string
		b      scenario.Backoff
		failed int
		want   time.Duration
	}{
		{"first", b, 1, 200 * time.Millisecond},
		{"second", b, 2, 400 * time.Millisecond},
		{"third", b, 3, 800 * time.Millisecond},
		{"capped", b, 4, time.Second},
		{"zero counts as the first", b, 0, 200 * time.Millisecond},
		{"beyond any number", huge, 100000, time.Hour},
		{"nothing at all", scenario.Backoff{}, 5, 0},
	}
	for _, tt := range tests {
		if got := Backoff(tt.b, tt.failed); got != tt.want {
			t.Errorf("%s: Backoff(%d) = %v, want %v", tt.name, tt.failed, got, tt.want)
		}
	}
}

func backoffOf(t *rapid.T) scenario.Backoff {
	base := rapid.Int64Range(0, int64(time.Minute)).Draw(t, "base")
	return scenario.Backoff{
		Base: time.Duration(base), Cap: time.Duration(rapid.Int64Range(base, int64(time.Hour)).Draw(t, "cap")),
		Factor: rapid.Float64Range(1, 10).Draw(t, "factor"), Jitter: rapid.SampledFrom([]string{"full", "equal", "none"}).Draw(t, "jitter"),
	}
}

func TestWaitBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, failed := backoffOf(t), rapid.IntRange(1, 200).Draw(t, "failed")
		after := time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "after"))
		seed := rapid.Uint64().Draw(t, "seed")
		got := Wait(b, failed, after, rand.New(rand.NewPCG(seed, 1)))
		if got < after || got > after+b.Cap || got < 0 {
			t.Fatalf("Wait(%+v, %d, %v) = %v, want %v to %v", b, failed, after, got, after, after+b.Cap)
		}
		if full := Backoff(b, failed); after == 0 && b.Jitter == "none" && got != full || after == 0 && b.Jitter == "equal" && got < full/2 {
			t.Fatalf("Wait(%+v, %d, 0) = %v, want the backoff of %v by its jitter", b, failed, got, full)
		}
		if again := Wait(b, failed, after, rand.New(rand.NewPCG(seed, 1))); again != got {
			t.Fatalf("Wait gives %v and then %v for the same draws", got, again)
		}
		if next := Backoff(b, failed+1); next < Backoff(b, failed) || next > b.Cap {
			t.Fatalf("Backoff(%+v, %d) = %v falls or passes its cap", b, failed+1, next)
		}
	})
}

// TestRetryAfterIsSpread: those who were told the same wait do not come back together.
func TestRetryAfterIsSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	b := scenario.Backoff{Base: 100 * time.Millisecond, Factor: 2, Cap: time.Second, Jitter: "full"}
	seen := map[time.Duration]bool{}
	for range 1000 {
		seen[Wait(b, 1, time.Second, r)] = true
	}
	if len(seen) < 990 {
		t.Errorf("1000 visitors came back at %d moments", len(seen))
	}
}

// TestBudgetModel holds the budget against counting by hand.
func TestBudgetModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		percent := rapid.IntRange(0, 100).Draw(t, "percent")
		b, left := NewBudget(float64(percent)/100), Reserve*100
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "earn") {
				b.Earn()
				left = min(left+percent, Savings*100)
				continue
			}
			want := left >= 100
			if want {
				left -= 100
			}
			if got := b.Take(); got != want {
				t.Fatalf("Take() = %v with %d hundredths left, want %v", got, left, want)
			}
		}
	})
}

func TestBudgetUnlimited(t *testing.T) {
	b := NewBudget(-1)
	for range 10 * Savings {
		if !b.Take() {
			t.Fatal("an unlimited budget ended")
		}
	}
	if b.Taken() != 10*Savings || b.Exhausted() != 0 {
		t.Errorf("Taken, Exhausted = %d, %d; want %d, 0", b.Taken(), b.Exhausted(), 10*Savings)
	}
}

// TestBudgetShared: many at once take exactly what there is.
func TestBudgetShared(t *testing.T) {
	b := NewBudget(0.1)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				b.Earn() // 80 retries in all, with the reserve less than the savings
			}
		})
	}
	wg.Wait()
	for range 8 {
		wg.Go(func() {
			for range 100 {
				b.Take()
			}
		})
	}
	wg.Wait()
	if b.Taken() != Reserve+80 || b.Exhausted() != 800-Reserve-80 {
		t.Errorf("Taken, Exhausted = %d, %d; want %d, %d", b.Taken(), b.Exhausted(), Reserve+80, 800-Reserve-80)
	}
}
