package arrival

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatecrash/sim/scenario"
)

func arrivalOf(t *rapid.T) scenario.Arrival {
	positive := rapid.Float64Range(0.1, 1000)
	long := func(name string) time.Duration {
		return time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(t, name))
	}
	return scenario.Arrival{
		Shape: rapid.SampledFrom([]string{"constant", "poisson", "ramp", "stages", "flash"}).Draw(t, "shape"),
		For:   long("for"), From: rapid.Float64Range(0, 1000).Draw(t, "from"), To: positive.Draw(t, "to"),
		Stages:   []scenario.Stage{{Rate: positive.Draw(t, "first"), For: long("first for")}, {Rate: 0, For: long("second for")}, {Rate: positive.Draw(t, "third")}},
		AtOpen:   rapid.Float64Range(0, 1).Draw(t, "at open"),
		Reaction: scenario.Spread{Median: 700 * time.Millisecond, P95: 2 * time.Second},
		Tau:      long("tau"), Delay: time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "delay")),
	}
}

// end is the latest that anybody may arrive.
func end(a scenario.Arrival, opens time.Duration) time.Duration {
	switch a.Shape {
	case "stages":
		return a.Stages[0].For + a.Stages[1].For + a.Delay
	case "flash":
		return opens + TailCut*a.Tau + a.Delay
	}
	return a.For + a.Delay
}

func TestEveryShapeIsExactAndSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, n, opens := arrivalOf(t), rapid.IntRange(0, 300).Draw(t, "n"), time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "opens"))
		seed := rapid.Uint64().Draw(t, "seed")
		got, err := Visits(a, n, opens, Stream(seed, "x"))
		if err != nil || len(got) != n {
			t.Fatalf("Visits(%+v, %d) = %d visits, %v; want exactly %d", a, n, len(got), err, n)
		}
		if !slices.IsSortedFunc(got, func(a, b Visit) int { return int(a.Arrive - b.Arrive) }) {
			t.Fatalf("Visits(%+v) is not sorted", a)
		}
		for _, v := range got {
			if v.Arrive < a.Delay || v.Arrive > end(a, opens) {
				t.Fatalf("Visits(%+v): arrival at %v, want %v to %v", a, v.Arrive, a.Delay, end(a, opens))
			}
			if v.Waits && v.ActAt < max(opens, v.Arrive) || !v.Waits && v.ActAt != 0 {
				t.Fatalf("Visits(%+v): %+v acts before the opening or its arrival", a, v)
			}
		}
		again, err := Visits(a, n, opens, Stream(seed, "x"))
		if err != nil || !slices.Equal(got, again) {
			t.Fatalf("Visits(%+v) differs from one call to the next", a)
		}
	})
}

// kolmogorov is the largest distance between the sample and a distribution. Below 1.95/sqrt(n) it is no surprise at 0.1 % (Massey 1951); the seeds here are fixed.
func kolmogorov(sample []float64, cdf func(float64) float64) float64 {
	slices.Sort(sample)
	worst := 0.0
	for i, x := range sample {
		f, n := cdf(x), float64(len(sample))
		worst = max(worst, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	return worst
}

func TestDistributions(t *testing.T) {
	const n = 20000
	uniform := func(of time.Duration) func(float64) float64 {
		return func(x float64) float64 { return x / of.Seconds() }
	}
	normal := func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 }
	reaction := scenario.Spread{Median: 700 * time.Millisecond, P95: 2 * time.Second}
	logNormal := func(x float64) float64 {
		return normal(math.Log(x/0.7) * 1.6448536 / math.Log(2/0.7))
	}
	flash := scenario.Arrival{Shape: "flash", AtOpen: 0.5, Reaction: reaction, Tau: 10 * time.Second}
	arrive := func(v Visit) float64 { return v.Arrive.Seconds() }
	tests := []struct {
		name  string
		a     scenario.Arrival
		keep  func(Visit) bool
		value func(Visit) float64
		cdf   func(float64) float64
	}{
		{"constant", scenario.Arrival{Shape: "constant", For: 10 * time.Second}, all, arrive, uniform(10 * time.Second)},
		{"poisson", scenario.Arrival{Shape: "poisson", For: 10 * time.Second}, all, arrive, uniform(10 * time.Second)},
		{"ramp from 0", scenario.Arrival{Shape: "ramp", To: 100, For: 10 * time.Second}, all, arrive, func(x float64) float64 { return x * x / 100 }},
		{"ramp down", scenario.Arrival{Shape: "ramp", From: 100, For: 10 * time.Second}, all, arrive, func(x float64) float64 { return 1 - (10-x)*(10-x)/100 }},
		{"stages up and down", scenario.Arrival{Shape: "stages", Stages: []scenario.Stage{{Rate: 100, For: 10 * time.Second}, {Rate: 0, For: 10 * time.Second}}}, all, arrive,
			func(x float64) float64 {
				if x < 10 {
					return x * x / 200
				}
				return 1 - (20-x)*(20-x)/200
			}},
		{"waiting evenly before the opening", flash, waits, arrive, uniform(5 * time.Second)},
		{"reacting after it", flash, waits, func(v Visit) float64 { return (v.ActAt - 5*time.Second).Seconds() }, logNormal},
		{"the rest falling off", flash, func(v Visit) bool { return !v.Waits }, func(v Visit) float64 { return v.Arrive.Seconds() - 5 },
			func(x float64) float64 { return (1 - math.Exp(-x/10)) / (1 - math.Exp(-TailCut)) }},
	}
	for _, tt := range tests {
		visits, err := Visits(tt.a, n, 5*time.Second, Stream(7, tt.name))
		if err != nil {
			t.Fatal(err)
		}
		var sample []float64
		for _, v := range visits {
			if tt.keep(v) {
				sample = append(sample, tt.value(v))
			}
		}
		got, want := kolmogorov(sample, tt.cdf), 1.95/math.Sqrt(float64(len(sample)))
		if len(sample) < n/3 || got > want {
			t.Errorf("%s: distance %.4f over %d visits, want below %.4f", tt.name, got, len(sample), want)
		}
		if other := kolmogorov(sample, func(x float64) float64 { return math.Sqrt(max(0, tt.cdf(x))) }); other < want {
			t.Errorf("%s: the test would not see a wrong distribution (%.4f)", tt.name, other)
		}
	}
}

func all(Visit) bool     { return true }
func waits(v Visit) bool { return v.Waits }

func TestNobodyActsInTheSameMicrosecond(t *testing.T) {
	a := scenario.Arrival{Shape: "flash", AtOpen: 1, Reaction: scenario.Spread{Median: time.Millisecond, P95: time.Millisecond}, Tau: time.Second}
	visits, err := Visits(a, 5000, time.Second, Stream(1, "x"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[time.Duration]bool{}
	for _, v := range visits {
		if at := v.ActAt.Truncate(time.Microsecond); seen[at] {
			t.Fatalf("two visitors act at %v", at)
		} else {
			seen[at] = true
		}
	}
}

func TestCurveIsTheInverse(t *testing.T) {
	got := Curve(4, []scenario.Stage{{Rate: 2}, {Rate: 2, For: 2 * time.Second}})
	want := []time.Duration{250 * time.Millisecond, 750 * time.Millisecond, 1250 * time.Millisecond, 1750 * time.Millisecond}
	for i := range want {
		if d := got[i] - want[i]; d < -time.Microsecond || d > time.Microsecond {
			t.Errorf("Curve(4, flat)[%d] = %v, want %v", i, got[i], want[i])
		}
	}
	if got := Area([]scenario.Stage{{Rate: 100, For: 10 * time.Second}, {Rate: 100, For: 5 * time.Second}, {For: 2 * time.Second}}); got != 1100 {
		t.Errorf("Area = %v, want 1100", got)
	}
}

func TestDraw(t *testing.T) {
	r := Stream(1, "x")
	for _, tt := range []struct{ s, want scenario.Spread }{
		{scenario.Spread{}, scenario.Spread{}},
		{scenario.Spread{Median: time.Second, P95: time.Second}, scenario.Spread{Median: time.Second}},
	} {
		if got := Draw(tt.s, r); got != tt.want.Median {
			t.Errorf("Draw(%v) = %v, want %v", tt.s, got, tt.want.Median)
		}
	}
	if a, b := r.Uint64(), Stream(1, "x").Uint64(); a != b {
		t.Error("a constant spread took a draw")
	}
}

func TestStreams(t *testing.T) {
	draw := func(seed uint64, name string) uint64 { return Stream(seed, name).Uint64() }
	first := draw(1, "a")
	if again := draw(1, "a"); first != again || draw(1, "a") == draw(1, "b") || draw(1, "a") == draw(2, "a") {
		t.Error("a stream follows from its seed and name, and from nothing else")
	}
	const known = 0xcfb620a5800342c5
	if got := draw(1, "a"); got != known {
		t.Errorf("Stream(1, a) = %#x, want %#x on every machine", got, uint64(known))
	}
}

func TestUnknownShape(t *testing.T) {
	if _, err := Visits(scenario.Arrival{Shape: "square"}, 1, 0, rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("Visits(square) gave no error")
	}
}
