package live

import (
	"fmt"
	"path/filepath"
	"strings"

	"gatecrash/sim/result"
)

// evidenceLines is how many rows of evidence a failed check shows here; the report has them all.
const evidenceLines = 3

// statement is one line of a verdict.
type statement struct {
	text string
	ink  ink
}

// Verdict tells how a run ended: the verdict first, then why, then what held, then where the report is.
func Verdict(r *result.Result, dir string) []string {
	var lines []string
	for _, s := range verdict(r, dir) {
		lines = append(lines, s.text)
	}
	return lines
}

func verdict(r *result.Result, dir string) []statement {
	all := []statement{{headline(r), inkOf(r.Verdict)}, {text: r.Reason}}
	for _, c := range worstFirst(r.Checks) {
		for i, line := range failed(c) {
			s := statement{text: line}
			if i == 0 {
				s.ink = inkOf(c.Verdict)
			}
			all = append(all, s)
		}
	}
	for _, line := range append(held(r), outcome(r)...) {
		all = append(all, statement{text: line})
	}
	all = append(all, statement{text: "report: " + filepath.Join(dir, result.FileReport)})
	for i := range all {
		all[i].text = printable(all[i].text)
	}
	return all
}

func inkOf(v result.Verdict) ink {
	switch v {
	case result.Pass:
		return green
	case result.Fail:
		return red
	default:
		return yellow
	}
}

// worstFirst gives the checks that need words: those that failed, then invalid, then those whose want of samples decides.
func worstFirst(checks []result.Check) []result.Check {
	var all []result.Check
	for _, v := range []result.Verdict{result.Fail, result.Invalid, result.Inconclusive} {
		for _, c := range checks {
			if c.Verdict == v && !silent(c) {
				all = append(all, c)
			}
		}
	}
	return all
}

// silent reports a check that had nothing to judge: it is named, no more.
func silent(c result.Check) bool {
	return c.Verdict == result.Inconclusive && (!c.Decides || c.Samples == 0)
}

// outcome says what became of the sales and whether the faults happened.
func outcome(r *result.Result) []string {
	var lines []string
	for _, s := range r.Sales {
		line := fmt.Sprintf("  sale %s: %d of %d seats sold in %d bookings, %d cancelled", s.Name, s.SeatsSold, s.Capacity, s.Bookings, s.Cancelled)
		if s.SeatsResumed != 0 {
			line += fmt.Sprintf("; %+d seats by the resume", s.SeatsResumed)
		}
		lines = append(lines, line)
	}
	for _, f := range r.Faults {
		lines = append(lines, fmt.Sprintf("  fault %s: %s", f.Name, strings.Join(f.Evidence, "; ")))
	}
	return lines
}

func headline(r *result.Result) string {
	text := fmt.Sprintf("%s  %s  seed %d", strings.ToUpper(string(r.Verdict)), r.Scenario, r.Seed)
	if r.Scale != 1 {
		text += fmt.Sprintf("  scale %g", r.Scale)
	}
	if r.Interrupted {
		text += "  interrupted"
	}
	return text + fmt.Sprintf("  exit %d", r.Exit)
}

func failed(c result.Check) []string {
	lines := []string{fmt.Sprintf("  %-12s %s: %s (expected %s; %d samples)", c.Verdict, c.Name, firstOf(c.Measured, c.Reason), c.Expected, c.Samples)}
	if c.First != nil {
		lines = append(lines, fmt.Sprintf("               first: sale %s, version %d, intent %s, attempt %d, at %d ms", c.First.Sale, c.First.Version, c.First.Intent, c.First.Attempt, c.First.AtMS))
	}
	for i, e := range c.Evidence {
		if i == evidenceLines {
			return append(lines, fmt.Sprintf("               and %d more in the report", len(c.Evidence)-i))
		}
		lines = append(lines, "               "+e)
	}
	return lines
}

// held counts what passed, with the samples it rests on, and names what had nothing to judge.
func held(r *result.Result) []string {
	var passed, nothing []string
	for _, c := range r.Checks {
		switch {
		case c.Verdict == result.Pass:
			passed = append(passed, fmt.Sprintf("%s (%d)", c.Name, c.Samples))
		case silent(c):
			nothing = append(nothing, c.Name)
		}
	}
	lines := listed(fmt.Sprintf("  %d checks pass, samples in brackets:", len(passed)), passed)
	return append(lines, listed(fmt.Sprintf("  %d had nothing to judge:", len(nothing)), nothing)...)
}

// listed puts names below a heading, a few on a line; nothing without names.
func listed(heading string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	lines := []string{heading}
	const perLine = 5
	for len(names) > 0 {
		n := min(perLine, len(names))
		lines = append(lines, "    "+strings.Join(names[:n], ", "))
		names = names[n:]
	}
	return lines
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
