package check

import (
	"fmt"
	"strings"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

// defaultMinN is the samples that a threshold needs where the scenario says nothing.
const defaultMinN = 100

// objectives judges what the scenario declares, in its order.
func (f *facts) objectives() []result.Check {
	var all []result.Check
	for _, e := range f.in.Scenario.Expect {
		switch {
		case e.Recovery != nil:
			all = append(all, f.recoveryObjective(e.Recovery))
		case e.ResponseTime != nil:
			all = append(all, f.timeObjectives("response_time", e.ResponseTime)...)
		case e.ServiceTime != nil:
			all = append(all, f.timeObjectives("service_time", e.ServiceTime)...)
		case e.GateDrift != nil:
			all = append(all, f.driftObjectives(e.GateDrift)...)
		case e.Goodput != nil:
			all = append(all, f.goodputObjective(e.Goodput))
		case e.Sold != nil:
			all = append(all, f.soldObjective(e.Sold))
		case e.Outcome != nil:
			all = append(all, f.outcomeObjective(e.Outcome))
		}
	}
	return all
}

// objective is a check that the scenario declares. needs are looked at first.
func (f *facts) objective(name, expected string, needs Source) (result.Check, bool) {
	c := result.Check{Name: name, Kind: result.Objective, Expected: expected, MinSamples: 1, Decides: true, Evidence: []string{}}
	if missing := needs & f.in.Lacks; missing != 0 {
		c.Verdict, c.Reason = result.Inconclusive, "cannot tell without "+missing.String()
		return c, false
	}
	return c, true
}

// settle gives the verdict by samples first.
func settle(c *result.Check, holds bool) {
	switch {
	case c.Samples < c.MinSamples:
		c.Verdict, c.Reason = result.Inconclusive, fmt.Sprintf("%d samples, at least %d are needed", c.Samples, c.MinSamples)
	case holds:
		c.Verdict = result.Pass
	default:
		c.Verdict, c.Violations = result.Fail, 1
	}
}

func objectiveName(parts ...string) string {
	kept := parts[:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ":")
}

func (f *facts) recoveryObjective(e *scenario.RecoveryExpect) result.Check {
	c, ok := f.objective(objectiveName("recovery", e.Of), "within "+e.Within.String()+" of the heal", Requests|Rows|Windows)
	if !ok {
		return c
	}
	for _, r := range f.recovers {
		if r.window.Name != e.Of {
			continue
		}
		c.Measured = r.String()
		if r.state != unmeasured {
			c.Samples = 1
		}
		settle(&c, (r.state == recovered || r.state == soldOut) && time.Duration(r.after) <= e.Within)
		return c
	}
	settle(&c, false)
	return c
}

func (f *facts) timeObjectives(kind string, e *scenario.TimeExpect) []result.Check {
	var all []result.Check
	values := f.durations(e.Of, phaseNamed(e.During), kind == "service_time")
	for _, b := range e.Bounds {
		c, ok := f.objective(objectiveName(kind, e.Of, boundName(b.Percentile), e.During), "<= "+b.AtMost.String(), Requests)
		if ok {
			got := time.Duration(percentile(values, b.Percentile))
			c.Samples, c.MinSamples, c.Unit = int64(len(values)), minN(e.MinN), "ms"
			c.Measured = fmt.Sprintf("%.1f", float64(got)/1e6)
			settle(&c, got <= b.AtMost)
		}
		all = append(all, c)
	}
	return all
}

func minN(n int) int64 {
	if n <= 0 {
		return defaultMinN
	}
	return int64(n)
}

func boundName(p float64) string {
	if p == 100 {
		return "max"
	}
	return fmt.Sprintf("p%g", p)
}

// phaseNamed is the phase of that name; 0, the whole run, for no name.
func phaseNamed(name string) history.Phase {
	for _, p := range append(phases(), history.AfterEnd) {
		if p.String() == name {
			return p
		}
	}
	return 0
}

func (f *facts) driftObjectives(e *scenario.DriftExpect) []result.Check {
	var worst result.Drift
	known, finals := int64(0), int64(0)
	for _, d := range f.drifts {
		known += d.Samples - d.Unknown
		worst.MaxLeak, worst.MaxSurplus = max(worst.MaxLeak, d.MaxLeak), max(worst.MaxSurplus, d.MaxSurplus)
		worst.LongestLeakS, worst.LongestSurplus = max(worst.LongestLeakS, d.LongestLeakS), max(worst.LongestSurplus, d.LongestSurplus)
		worst.LongestDebitS = max(worst.LongestDebitS, d.LongestDebitS)
		if d.FinalKnown {
			finals++
		}
	}
	var all []result.Check
	add := func(name, expected, unit, measured string, samples int64, holds bool) {
		c, ok := f.objective("gate_drift:"+name, expected, Rows|Samples)
		if ok {
			c.Unit, c.Measured, c.Samples = unit, measured, samples
			settle(&c, holds)
		}
		all = append(all, c)
	}
	if e.Final != nil {
		c, ok := f.objective("gate_drift:final", fmt.Sprint(*e.Final), Rows)
		if ok {
			c.Unit, c.Samples, c.MinSamples = "seats", finals, int64(len(f.sales))
			holds, measured := f.finalsAre(*e.Final)
			c.Measured = measured
			settle(&c, holds)
		}
		all = append(all, c)
	}
	if e.LeakFor != nil {
		add("leak_for", "<= "+e.LeakFor.String(), "s", fmt.Sprintf("%.2f", worst.LongestLeakS), known, worst.LongestLeakS <= e.LeakFor.Seconds())
	}
	if e.SurplusFor != nil {
		add("surplus_for", "<= "+e.SurplusFor.String(), "s", fmt.Sprintf("%.2f", worst.LongestSurplus), known, worst.LongestSurplus <= e.SurplusFor.Seconds())
	}
	if e.DebitFor != nil {
		add("debit_for", "<= "+e.DebitFor.String(), "s", fmt.Sprintf("%.2f", worst.LongestDebitS), f.strandedSamples(), worst.LongestDebitS <= e.DebitFor.Seconds())
	}
	if e.MaxLeak != nil {
		add("max_leak", fmt.Sprintf("<= %d", *e.MaxLeak), "seats", fmt.Sprint(worst.MaxLeak), known, worst.MaxLeak <= *e.MaxLeak)
	}
	if e.MaxSurplus != nil {
		add("max_surplus", fmt.Sprintf("<= %d", *e.MaxSurplus), "seats", fmt.Sprint(worst.MaxSurplus), known, worst.MaxSurplus <= *e.MaxSurplus)
	}
	return all
}

// strandedSamples counts the samples that show a debit which has outlived the deadline of its request, so that nobody works on it any more.
func (f *facts) strandedSamples() (n int64) {
	for i := range f.in.Drift {
		if f.in.Drift[i].Oldest > f.in.Scenario.System.Timeouts.Request {
			n++
		}
	}
	return n
}

// finalsAre compares the final drift of every sale.
func (f *facts) finalsAre(want int64) (holds bool, measured string) {
	var texts []string
	holds = true
	for _, d := range f.drifts {
		if !d.FinalKnown {
			texts = append(texts, d.Sale+" unknown")
			continue
		}
		holds = holds && d.Final == want
		texts = append(texts, fmt.Sprint(d.Final))
	}
	return holds, strings.Join(texts, ", ")
}

func (f *facts) goodputObjective(e *scenario.GoodputExpect) result.Check {
	c, ok := f.objective(objectiveName("goodput", e.During), fmt.Sprintf(">= %g/s", e.AtLeast), Requests|Rows)
	if !ok {
		return c
	}
	c.Unit = "bookings/s"
	for _, g := range f.goodput() {
		if g.Phase != phaseName(phaseNamed(e.During)) {
			continue
		}
		c.Measured = fmt.Sprintf("%.1f", g.PerSec)
		if g.Seconds >= 1 {
			c.Samples = int64(g.Seconds)
		}
		settle(&c, g.PerSec >= e.AtLeast)
		return c
	}
	settle(&c, false)
	return c
}

func (f *facts) soldObjective(e *scenario.SoldExpect) result.Check {
	c, ok := f.objective("sold", fmt.Sprintf(">= %g %%", e.AtLeast*100), Rows)
	if !ok {
		return c
	}
	var sold int64
	for _, s := range f.sales {
		sold, c.Samples = sold+s.one.Capacity-s.one.Free, c.Samples+s.one.Capacity
	}
	c.Unit, c.Measured = "%", fmt.Sprintf("%.2f (%d of %d seats)", share(sold, c.Samples)*100, sold, c.Samples)
	settle(&c, share(sold, c.Samples) >= e.AtLeast)
	return c
}

func (f *facts) outcomeObjective(e *scenario.OutcomeExpect) result.Check {
	c, ok := f.objective(objectiveName("outcome", e.Of, e.Outcome, e.During), fmt.Sprintf("<= %g %%", e.AtMost*100), Requests)
	if !ok {
		return c
	}
	phase, hits := phaseNamed(e.During), int64(0)
	for i := range f.in.Requests {
		r := &f.in.Requests[i]
		if r.Op.String() != e.Of || phase != 0 && f.line.Of(r) != phase {
			continue
		}
		c.Samples++
		if r.Outcome.String() == e.Outcome {
			hits++
		}
	}
	c.MinSamples, c.Unit = minN(e.MinN), "%"
	c.Measured = fmt.Sprintf("%.2f (%d of %d)", share(hits, c.Samples)*100, hits, c.Samples)
	settle(&c, share(hits, c.Samples) <= e.AtMost)
	return c
}
