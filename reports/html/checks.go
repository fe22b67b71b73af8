package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gatecrash/sim/result"
)

// checkRow is one check as the template needs it.
type checkRow struct {
	Name, Kind, Verdict, Explanation string
	Expected, Measured, Reason       string
	Samples, Needs                   string
	First                            string
	Violations                       string
	Evidence                         []string
}

// checkGroup is the checks of one kind.
type checkGroup struct {
	Title, Note string
	Rows        []checkRow
}

// severity orders verdicts by how much a reader must see them.
func severity(v result.Verdict) int {
	return max(0, slices.Index([]result.Verdict{result.Fail, result.Invalid, result.Inconclusive, result.Pass}, v))
}

// checkGroups sorts checks by kind, and what did not pass first.
func checkGroups(checks []result.Check) []checkGroup {
	groups := []checkGroup{
		{Title: "Invariants", Note: "They must hold in every run and cannot be switched off."},
		{Title: "Health", Note: "Whether the run itself can be trusted, and how the gate did."},
		{Title: "Objectives", Note: "Thresholds that the scenario declares."},
	}
	kinds := []result.Kind{result.Invariant, result.Health, result.Objective}
	for _, c := range bySeverity(checks) {
		if i := slices.Index(kinds, c.Kind); i >= 0 {
			groups[i].Rows = append(groups[i].Rows, newCheckRow(c))
		} else {
			groups[len(groups)-1].Rows = append(groups[len(groups)-1].Rows, newCheckRow(c))
		}
	}
	return slices.DeleteFunc(groups, func(g checkGroup) bool { return len(g.Rows) == 0 })
}

func bySeverity(checks []result.Check) []result.Check {
	sorted := slices.Clone(checks)
	slices.SortStableFunc(sorted, func(a, b result.Check) int { return cmp.Compare(severity(a.Verdict), severity(b.Verdict)) })
	return sorted[:min(len(sorted), maxRows)]
}

func newCheckRow(c result.Check) checkRow {
	row := checkRow{
		Name: clip(c.Name), Kind: string(c.Kind), Verdict: string(c.Verdict), Explanation: explain(c), Expected: orNone(c.Expected),
		Measured: orNone(c.Measured), Reason: clip(c.Reason), Evidence: clipAll(c.Evidence),
		Samples: strings.TrimSpace(whole(c.Samples) + " " + clip(c.Unit)), Needs: "needs " + whole(c.MinSamples),
	}
	if c.First != nil {
		row.First = first(*c.First)
	}
	if c.Violations > 0 {
		row.Violations = plural(c.Violations, "violation", "violations")
	}
	return row
}

// first says where a check failed first, without the parts that do not apply.
func first(v result.Violation) string {
	var parts []string
	if v.Sale != "" {
		parts = append(parts, "sale "+clip(v.Sale))
	}
	if v.Version > 0 {
		parts = append(parts, fmt.Sprintf("version %d", v.Version))
	}
	if v.Intent != "" {
		parts = append(parts, "intent "+clip(v.Intent))
	}
	if v.Attempt > 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", v.Attempt))
	}
	return strings.Join(append(parts, "at "+since(v.AtMS)), ", ")
}

// decisive are the checks that explain a verdict other than pass, worst first.
func decisive(checks []result.Check) []checkRow {
	var rows []checkRow
	for _, c := range bySeverity(checks) {
		if c.Verdict != result.Pass {
			rows = append(rows, newCheckRow(c))
		}
	}
	return rows
}
