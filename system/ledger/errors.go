package ledger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"gatecrash/system/booking"
)

// SQLSTATE codes that decide something here. Source: PostgreSQL documentation, appendix A.
const (
	codeUniqueViolation = "23505"
	codeLockTimeout     = "55P03"
	codeQueryCanceled   = "57014" // statement_timeout
	codeAdminShutdown   = "57P01"
	codeCrashShutdown   = "57P02"
	classConnection     = "08" // 08007: transaction resolution unknown
	classIntegrity      = "23"
	classRollback       = "40"
	constraintIntent    = "booking_intent"
)

var errNotCommitted = errors.New("the server rolled the transaction back")

// harmless maps an error of a step that cannot have changed anything: COMMIT was not sent, or the step wrote nothing.
// Errors of the domain pass as they are.
func harmless(err error) error {
	switch {
	case err == nil || ours(err):
		return err
	case busy(err):
		return fmt.Errorf("%w: %w", booking.ErrOverloaded, err)
	}
	return fmt.Errorf("%w: %w", booking.ErrDependency, err)
}

// outcome maps an error of the writes and the COMMIT that were sent in one go. atCommit says that every write before the COMMIT had been
// answered well. Only an answer of the server that rules the commit out makes the transaction certainly undone; all else may have happened:
// a cut connection, a deadline, a server going down.
func outcome(err error, atCommit bool) error {
	if ours(err) || errors.Is(err, errNotCommitted) || pgconn.SafeToRetry(err) || undone(err, atCommit) {
		return harmless(err)
	}
	return fmt.Errorf("%w: %w", booking.ErrUnknownOutcome, err)
}

// undone says that the server answered, and that its answer means a rollback.
func undone(err error, atCommit bool) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch {
	case pg.Code == codeAdminShutdown || pg.Code == codeCrashShutdown || strings.HasPrefix(pg.Code, classConnection):
		return false
	case strings.HasPrefix(pg.Code, classIntegrity) || strings.HasPrefix(pg.Code, classRollback) || busy(err):
		return true
	}
	return !atCommit // a failed write: the server skips the COMMIT behind it
}

// busy says that the server gave up waiting for a lock, or chose this transaction to end a conflict.
func busy(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == codeLockTimeout || pg.Code == codeQueryCanceled || strings.HasPrefix(pg.Code, classRollback))
}

// keyTaken says that the intent's own key was there already: another session booked it without our having seen it.
func keyTaken(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == codeUniqueViolation && pg.ConstraintName == constraintIntent
}

// ours says that err is a decision of the domain, not of the database.
func ours(err error) bool {
	for _, named := range []error{
		booking.ErrUnknownSale, booking.ErrUnknownBooking, booking.ErrSaleExists, booking.ErrSaleState, booking.ErrCapacity,
		booking.ErrKeyReused, booking.ErrInvalid, booking.ErrDependency, booking.ErrOverloaded, booking.ErrUnknownOutcome,
	} {
		if errors.Is(err, named) {
			return true
		}
	}
	return false
}
