package check

import (
	"cmp"
	"fmt"

	"gatecrash/sim/result"
)

// trial collects what one check finds. The zero value is ready.
type trial struct {
	samples    int64
	violations int64
	first      result.Violation
	tell       func() []string // evidence of first; called once, at the end
	extra      []string        // evidence whatever the verdict
	measured   string
	unit       string
	reason     string
	verdict    result.Verdict // set by checks whose verdict is no count of violations
}

// violate notes one violation. Only the first in version order is told in full, so tell makes its lines only if it is kept.
func (t *trial) violate(v result.Violation, tell func() []string) {
	t.violations++
	if t.violations == 1 || before(v, t.first) {
		t.first, t.tell = v, tell
	}
}

func before(a, b result.Violation) bool {
	return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.AtMS, b.AtMS), cmp.Compare(a.Sale, b.Sale), cmp.Compare(a.Intent, b.Intent)) < 0
}

// note adds a line of evidence whatever the verdict is.
func (t *trial) note(format string, args ...any) {
	t.extra = append(t.extra, fmt.Sprintf(format, args...))
}

// decide sets verdict and reason of a check that does not count violations.
func (t *trial) decide(v result.Verdict, format string, args ...any) {
	t.verdict, t.reason = v, fmt.Sprintf(format, args...)
}

// maxEvidence bounds the lines of one check.
const maxEvidence = 12

// evidence is never nil, so that it is [] in JSON.
func (t *trial) evidence() []string {
	lines := []string{}
	if t.tell != nil {
		lines = append(lines, t.tell()...)
	}
	lines = append(lines, t.extra...)
	if len(lines) > maxEvidence {
		lines = append(lines[:maxEvidence], fmt.Sprintf("and %d lines more", len(lines)-maxEvidence))
	}
	return lines
}
