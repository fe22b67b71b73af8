package history

import "fmt"

// Names of the values as they stand in files and reports, by value. An empty name means the zero value.
var (
	opNames      = []string{"", "login", "look", "book", "cancel", "resume_book", "resume_cancel"}
	outcomeNames = []string{"", "ok", "refused", "failed", "unknown", "unfinished"}
	problemNames = []string{"", "sold-out", "sold-out-for-now", "account-limit", "key-reused", "sale-not-open", "sale-paused", "sale-closed",
		"session-unknown", "not-admitted", "rate-limited", "overloaded", "dependency-down", "outcome-unknown", "bad-request",
		"unknown-sale", "unknown-booking", "in-flight", "other", "bad-proof"}
	errorNames = []string{"", "refused_conn", "dial_timeout", "timeout", "reset", "protocol", "end", "dial"}
	pathNames  = []string{"", "db", "replay"}
	phaseNames = []string{"", "warm-up", "steady", "fault", "recovery", "sold-out", "after-end"}
)

// String names the operation.
func (o Op) String() string { return nameOf(opNames, o) }

// String names the outcome.
func (o Outcome) String() string { return nameOf(outcomeNames, o) }

// String gives the problem's type as the protocol writes it.
func (p Problem) String() string { return nameOf(problemNames, p) }

// String names the error class.
func (e ErrorClass) String() string { return nameOf(errorNames, e) }

// String names the path.
func (p Path) String() string { return nameOf(pathNames, p) }

// String names the phase.
func (p Phase) String() string { return nameOf(phaseNames, p) }

// ParseOp is the inverse of Op.String.
func ParseOp(s string) (Op, error) { return parse[Op](opNames, "operation", s) }

// ParseOutcome is the inverse of Outcome.String.
func ParseOutcome(s string) (Outcome, error) { return parse[Outcome](outcomeNames, "outcome", s) }

// ParseProblem is the inverse of Problem.String.
func ParseProblem(s string) (Problem, error) { return parse[Problem](problemNames, "problem", s) }

// ParseErrorClass is the inverse of ErrorClass.String.
func ParseErrorClass(s string) (ErrorClass, error) {
	return parse[ErrorClass](errorNames, "error class", s)
}

// ParsePath is the inverse of Path.String.
func ParsePath(s string) (Path, error) { return parse[Path](pathNames, "path", s) }

// ParsePhase is the inverse of Phase.String.
func ParsePhase(s string) (Phase, error) { return parse[Phase](phaseNames, "phase", s) }

func nameOf[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("value-%d", uint8(v))
}

func parse[T ~uint8](names []string, what, s string) (T, error) {
	for i, n := range names {
		if n == s {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("read %s: unknown name %q", what, s)
}
