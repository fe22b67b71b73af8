package check

import (
	"fmt"
	"strings"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

// Exit codes of a verdict.
const (
	exitPass         = 0
	exitFail         = 1
	exitInconclusive = 3
	exitInvalid      = 4
	exitInterrupted  = 130
)

// ruling is the verdict of a run and why.
type ruling struct {
	verdict result.Verdict
	exit    int
	reason  string
}

// rule puts the checks together. The order is: broken invariant, interrupted, invalid, failed objective, inconclusive, pass.
func (f *facts) rule(checks []result.Check) ruling {
	broken := failed(checks, func(k result.Kind) bool { return k == result.Invariant })
	missed := failed(checks, func(k result.Kind) bool { return k != result.Invariant })
	invalid := f.invalid(checks)
	verdict := f.seen(checks, broken, missed, invalid)
	want := f.in.Scenario.Verdict
	switch {
	case len(broken) > 0 && !met(want, verdict, append(broken, missed...), invalid):
		return verdict
	case f.in.Run.Interrupted:
		return ruling{verdict.verdict, exitInterrupted, "interrupted; of what was seen: " + verdict.reason}
	case met(want, verdict, append(broken, missed...), invalid):
		return ruling{verdict.verdict, exitPass, verdict.reason + asExpected(want)}
	case verdict.exit == exitPass:
		return ruling{verdict.verdict, exitFail, fmt.Sprintf("expected %s, but: %s", expected(want), verdict.reason)}
	}
	return verdict
}

// seen is the verdict without regard to an interruption and to what the scenario expects.
func (f *facts) seen(checks, broken, missed []result.Check, invalid string) ruling {
	switch {
	case len(broken) > 0:
		return ruling{result.Fail, exitFail, tellFailed(append(broken, missed...))}
	case invalid != "":
		return ruling{result.Invalid, exitInvalid, invalid}
	case len(missed) > 0:
		return ruling{result.Fail, exitFail, tellFailed(missed)}
	}
	if open := f.open(checks); open != "" {
		return ruling{result.Inconclusive, exitInconclusive, open}
	}
	return ruling{result.Pass, exitPass, f.tellPass(checks)}
}

func failed(checks []result.Check, of func(result.Kind) bool) []result.Check {
	var all []result.Check
	for _, c := range checks {
		if c.Verdict == result.Fail && of(c.Kind) {
			all = append(all, c)
		}
	}
	return all
}

// invalid says why the run answers no question at all; empty: it does.
func (f *facts) invalid(checks []result.Check) string {
	run, truth := &f.in.Run, &f.in.Truth
	switch {
	case run.Broke != "":
		return "the environment broke: " + run.Broke
	case len(f.in.Damage) > 0:
		return "the run directory is damaged: " + strings.Join(f.in.Damage, "; ")
	case !run.Ended:
		return "the run did not end: it was killed, or is still going on"
	case !truth.Complete && truth.Error != "":
		return "the truth could not be read: " + truth.Error
	case !truth.Complete:
		return "the truth could not be read"
	case !truth.Fenced:
		return fmt.Sprintf("%d database sessions of the system were left when the truth was read", truth.Sessions)
	}
	if deaf := f.deaf(); deaf != "" {
		return deaf
	}
	for _, c := range checks {
		if c.Verdict == result.Invalid {
			return c.Name + ": " + c.Reason
		}
	}
	return ""
}

// deaf says that the system never answered a request that needs its stores; empty: it did. The look at a sale is left out, as a cache may answer it.
func (f *facts) deaf() string {
	var sent, answered int64
	for _, op := range []history.Op{history.OpLogin, history.OpBook, history.OpCancel} {
		c := f.of(op)
		sent, answered = sent+c.Sent, answered+c.Ok+c.Refused
	}
	if sent > 0 && answered == 0 {
		return fmt.Sprintf("not one of %d log-ins and bookings was answered: the system or a server was out of reach from the start", sent)
	}
	return ""
}

// open says what keeps a run without a failure from being a pass; empty: nothing.
func (f *facts) open(checks []result.Check) string {
	for _, c := range checks {
		if c.Verdict == result.Inconclusive && c.Decides {
			return c.Name + ": " + c.Reason
		}
	}
	if n := f.in.Truth.ResumeLost; n > 0 {
		return fmt.Sprintf("%d unknown requests were still unanswered when they were asked again at the end", n)
	}
	return ""
}

func tellFailed(all []result.Check) string {
	c := all[0]
	text := c.Name + " is broken"
	if c.Kind != result.Invariant {
		text = fmt.Sprintf("%s: got %s %s, want %s", c.Name, c.Measured, c.Unit, c.Expected)
	}
	if len(c.Evidence) > 0 {
		text += ": " + c.Evidence[0]
	}
	if len(all) > 1 {
		names := make([]string, len(all)-1)
		for i, other := range all[1:] {
			names[i] = other.Name
		}
		text += "; failed too: " + strings.Join(names, ", ")
	}
	return text
}

func (f *facts) tellPass(checks []result.Check) string {
	held := 0
	for _, c := range checks {
		if c.Verdict == result.Pass {
			held++
		}
	}
	return fmt.Sprintf("%d of %d checks held over %d requests and %d bookings, the others had nothing to check", held, len(checks), len(f.in.Requests), len(f.bookings))
}

// met reports whether the run ended as the scenario expects: for a failure of a named check, that this check failed, nothing else did, and the run is valid.
// An objective belongs to the check that it is named after: recovery:blackout to recovery.
func met(want scenario.Verdict, got ruling, failed []result.Check, invalid string) bool {
	if want.Word == "" {
		return got.verdict == result.Pass
	}
	if want.Word != string(got.verdict) {
		return false
	}
	if got.verdict != result.Fail {
		return true
	}
	for _, c := range failed {
		if want.Of != "" && c.Name != want.Of && !strings.HasPrefix(c.Name, want.Of+":") {
			return false
		}
	}
	return invalid == ""
}

func asExpected(want scenario.Verdict) string {
	if want.Word == "" || want.Word == string(result.Pass) {
		return ""
	}
	return " (as the scenario expects)"
}

// expected is expect_verdict in one word.
func expected(want scenario.Verdict) string {
	switch {
	case want.Word == "":
		return string(result.Pass)
	case want.Of != "":
		return want.Word + ":" + want.Of
	}
	return want.Word
}

// Worse reports whether a decides before b when several runs are told in one exit code.
func Worse(a, b *result.Result) bool { return severity(a) > severity(b) }

// severity ranks a result by the order of rule.
func severity(r *result.Result) int {
	switch {
	case r.Exit == exitFail && brokeInvariant(r):
		return 5
	case r.Exit == exitInterrupted:
		return 4
	case r.Exit == exitInvalid:
		return 3
	case r.Exit == exitFail:
		return 2
	case r.Exit == exitInconclusive:
		return 1
	}
	return 0
}

func brokeInvariant(r *result.Result) bool {
	for _, c := range r.Checks {
		if c.Kind == result.Invariant && c.Verdict == result.Fail {
			return true
		}
	}
	return false
}
