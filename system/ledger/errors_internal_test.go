package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"gatecrash/system/booking"
)

// TestOutcome says for each way in which writes and COMMIT can fail what is known of the transaction.
func TestOutcome(t *testing.T) {
	t.Parallel()
	server := func(code string) error { return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}) }
	for _, c := range []struct {
		name     string
		err      error
		writing  error // before the writes were answered
		atCommit error // after
	}{
		{"cut connection", io.ErrUnexpectedEOF, booking.ErrUnknownOutcome, booking.ErrUnknownOutcome},
		{"deadline", context.DeadlineExceeded, booking.ErrUnknownOutcome, booking.ErrUnknownOutcome},
		{"cancelled", context.Canceled, booking.ErrUnknownOutcome, booking.ErrUnknownOutcome},
		{"admin shutdown", server("57P01"), booking.ErrUnknownOutcome, booking.ErrUnknownOutcome},
		{"crash shutdown", server("57P02"), booking.ErrUnknownOutcome, booking.ErrUnknownOutcome},
		{"resolution unknown", server("08007"), booking.ErrUnknownOutcome, booking.ErrUnknownOutcome},
		{"check violation", server("23514"), booking.ErrDependency, booking.ErrDependency},
		{"serialization failure", server("40001"), booking.ErrOverloaded, booking.ErrOverloaded},
		{"deadlock", server("40P01"), booking.ErrOverloaded, booking.ErrOverloaded},
		{"lock timeout", server("55P03"), booking.ErrOverloaded, booking.ErrOverloaded},
		{"statement timeout", server("57014"), booking.ErrOverloaded, booking.ErrOverloaded},
		{"disk full", server("53100"), booking.ErrDependency, booking.ErrUnknownOutcome},
		{"rolled back", errNotCommitted, booking.ErrDependency, booking.ErrDependency},
		{"a decision", booking.ErrCapacity, booking.ErrCapacity, booking.ErrCapacity},
	} {
		for atCommit, want := range map[bool]error{false: c.writing, true: c.atCommit} {
			got := outcome(c.err, atCommit)
			for _, kind := range []error{booking.ErrUnknownOutcome, booking.ErrDependency, booking.ErrOverloaded, booking.ErrCapacity} {
				if errors.Is(got, kind) != errors.Is(want, kind) {
					t.Errorf("%s, at commit %v: outcome(%v): got %v, want %v and no other", c.name, atCommit, c.err, got, want)
				}
			}
		}
	}
}
