package history

import "fmt"

// String names the operation. The zero value has no name.
func (o Op) String() string {
	switch o {
	case 0:
		return ""
	case OpLogin:
		return "login"
	case OpLook:
		return "look"
	case OpBook:
		return "book"
	case OpCancel:
		return "cancel"
	case OpResumeBook:
		return "resume_book"
	case OpResumeCancel:
		return "resume_cancel"
	}
	return unnamed(uint8(o))
}

// String names the outcome. The zero value has no name.
func (o Outcome) String() string {
	switch o {
	case 0:
		return ""
	case Ok:
		return "ok"
	case Refused:
		return "refused"
	case Failed:
		return "failed"
	case Unknown:
		return "unknown"
	case Unfinished:
		return "unfinished"
	}
	return unnamed(uint8(o))
}

// String gives the problem's type as the protocol writes it. The zero value has no name.
func (p Problem) String() string {
	switch p {
	case 0:
		return ""
	case SoldOut:
		return "sold-out"
	case SoldOutForNow:
		return "sold-out-for-now"
	case AccountLimit:
		return "account-limit"
	case KeyReused:
		return "key-reused"
	case SaleNotOpen:
		return "sale-not-open"
	case SalePaused:
		return "sale-paused"
	case SaleClosed:
		return "sale-closed"
	case SessionUnknown:
		return "session-unknown"
	case NotAdmitted:
		return "not-admitted"
	case RateLimited:
		return "rate-limited"
	case Overloaded:
		return "overloaded"
	case DependencyDown:
		return "dependency-down"
	case OutcomeUnknown:
		return "outcome-unknown"
	case BadRequest:
		return "bad-request"
	case UnknownSale:
		return "unknown-sale"
	case UnknownBooking:
		return "unknown-booking"
	case InFlight:
		return "in-flight"
	case ProblemOther:
		return "other"
	case BadProof:
		return "bad-proof"
	}
	return unnamed(uint8(p))
}

// String names the error class. The zero value has no name.
func (e ErrorClass) String() string {
	switch e {
	case 0:
		return ""
	case ErrRefusedConn:
		return "refused_conn"
	case ErrDialTimeout:
		return "dial_timeout"
	case ErrTimeout:
		return "timeout"
	case ErrReset:
		return "reset"
	case ErrProtocol:
		return "protocol"
	case ErrEnd:
		return "end"
	case ErrDial:
		return "dial"
	}
	return unnamed(uint8(e))
}

// String names the path. The zero value has no name.
func (p Path) String() string {
	switch p {
	case 0:
		return ""
	case PathDB:
		return "db"
	case PathReplay:
		return "replay"
	}
	return unnamed(uint8(p))
}

// String names the phase. The zero value has no name.
func (p Phase) String() string {
	switch p {
	case 0:
		return ""
	case Warmup:
		return "warm-up"
	case Steady:
		return "steady"
	case Fault:
		return "fault"
	case Recovery:
		return "recovery"
	case SoldOutPhase:
		return "sold-out"
	case AfterEnd:
		return "after-end"
	}
	return unnamed(uint8(p))
}

// ParseOp is the inverse of Op.String.
func ParseOp(s string) (Op, error) { return parse("operation", s, OpResumeCancel) }

// ParseOutcome is the inverse of Outcome.String.
func ParseOutcome(s string) (Outcome, error) { return parse("outcome", s, Unfinished) }

// ParseProblem is the inverse of Problem.String.
func ParseProblem(s string) (Problem, error) { return parse("problem", s, BadProof) }

// ParseErrorClass is the inverse of ErrorClass.String.
func ParseErrorClass(s string) (ErrorClass, error) { return parse("error class", s, ErrDial) }

// ParsePath is the inverse of Path.String.
func ParsePath(s string) (Path, error) { return parse("path", s, PathReplay) }

// ParsePhase is the inverse of Phase.String.
func ParsePhase(s string) (Phase, error) { return parse("phase", s, AfterEnd) }

func unnamed(v uint8) string { return fmt.Sprintf("value-%d", v) }

// named is an enumeration with names.
type named interface {
	~uint8
	fmt.Stringer
}

// parse finds the value of a name among the values up to last.
func parse[T named](what, s string, last T) (T, error) {
	for v := T(0); v <= last; v++ {
		if v.String() == s {
			return v, nil
		}
	}
	return 0, fmt.Errorf("read %s: unknown name %q", what, s)
}
