package booking

import (
	"errors"
	"fmt"
	"time"
)

// Validate reports every fault of the settings at once. statement is the longest that one statement of the ledger runs on the server,
// lock the longest that it waits for a row lock; a statement may outlive the deadline of the work that sent it by that much.
func (s Settings) Validate(lock, statement time.Duration) error {
	var faults []error
	want := func(ok bool, field string, got any, rule string) {
		if !ok {
			faults = append(faults, fmt.Errorf("service.%s: got %v, want %s", field, got, rule))
		}
	}
	want(lock > 0 && lock < statement, "lock_timeout", lock, fmt.Sprintf("> 0 and < statement_timeout (%v), for example 500ms", statement))
	want(statement < s.Deadline, "deadline", s.Deadline, fmt.Sprintf("> statement_timeout (%v), for example 2s", statement))
	if !s.GateOff {
		least := s.GateBudget + s.Deadline + statement
		want(s.GateBudget > 0, "gate_budget", s.GateBudget, "> 0, for example 50ms")
		want(s.RetryAfter > 0, "retry_after", s.RetryAfter, "> 0, for example 500ms")
		want(s.Lease > least, "lease", s.Lease, fmt.Sprintf("> gate_budget + deadline + statement_timeout (%v), for example 5s", least))
	}
	return errors.Join(faults...)
}
