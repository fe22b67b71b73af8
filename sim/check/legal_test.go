package check

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gatecrash/sim/result"
)

// verdicts gives the names of the checks with a verdict.
func verdicts(r *result.Result, v result.Verdict) []string {
	var names []string
	for _, c := range r.Checks {
		if c.Verdict == v {
			names = append(names, c.Name)
		}
	}
	return names
}

func explain(r *result.Result) string {
	var b strings.Builder
	b.WriteString(string(r.Verdict) + ": " + r.Reason + "\n")
	for _, c := range r.Checks {
		if c.Verdict != result.Pass {
			b.WriteString(c.Name + " " + string(c.Verdict) + " " + c.Reason + "\n  " + strings.Join(c.Evidence, "\n  ") + "\n")
		}
	}
	return b.String()
}

func TestLegalHistoriesPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.Uint64().Draw(t, "seed"))
		w.sales = rapid.IntRange(1, 3).Draw(t, "sales")
		w.capacity = rapid.Int64Range(1, 200).Draw(t, "capacity")
		w.limit = rapid.Int64Range(3, 6).Draw(t, "limit")
		w.visitors = rapid.IntRange(10, 300).Draw(t, "visitors")
		w.lossy = rapid.Float64Range(0, 0.6).Draw(t, "lossy")
		w.cancels = rapid.Float64Range(0, 0.8).Draw(t, "cancels")
		w.fresh = rapid.Bool().Draw(t, "fresh")
		w.blackout = rapid.Bool().Draw(t, "blackout")
		r := Judge(w.run())
		if failed := verdicts(r, result.Fail); len(failed) > 0 {
			t.Fatalf("a legal history fails %v\n%s", failed, explain(r))
		}
	})
}
