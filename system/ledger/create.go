package ledger

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed create.sql
var createSQL string

// Create adds a sale in state scheduled. Creating it again with the same settings gives the sale as it is; see booking.Ledger.
func (l *Ledger) Create(ctx context.Context, s booking.Sale) (booking.Sale, error) {
	if err := checkNew(s); err != nil {
		return booking.Sale{}, err
	}
	var opens *time.Time
	if !s.OpensAt.IsZero() {
		opens = &s.OpensAt
	}
	if err := l.write(ctx, createSQL, s.ID, s.Capacity, s.PerAccount, opens); err != nil {
		return booking.Sale{}, fmt.Errorf("create sale %q: %w", s.ID, err)
	}
	have, err := l.Sale(ctx, s.ID)
	if err == nil && !sameSettings(have, s) {
		return booking.Sale{}, fmt.Errorf("create sale %q: %w", s.ID, booking.ErrSaleExists)
	}
	return have, err
}

// write runs one statement that commits by itself.
func (l *Ledger) write(ctx context.Context, sql string, args ...any) error {
	conn, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	b := &pgx.Batch{}
	b.Queue(sql, args...)
	if err := conn.SendBatch(ctx, b).Close(); err != nil {
		return outcome(err, true)
	}
	return nil
}

// checkNew reports what is wrong with the settings of a new sale.
func checkNew(s booking.Sale) error {
	probe := booking.Intent{Sale: s.ID, Account: "a", Key: "k", Quantity: 1}
	switch {
	case probe.Validate() != nil:
		return probe.Validate()
	case s.Capacity < 1:
		return fmt.Errorf("%w: capacity: got %d, want 1 or more", booking.ErrInvalid, s.Capacity)
	case s.PerAccount < 1 || s.PerAccount > maxPerAccount:
		return fmt.Errorf("%w: per_account: got %d, want 1 to %d", booking.ErrInvalid, s.PerAccount, maxPerAccount)
	}
	return nil
}

// maxPerAccount is the most that the column holds.
const maxPerAccount = 1<<31 - 1

// sameSettings compares what Create sets, in the microseconds that Postgres keeps.
func sameSettings(a, b booking.Sale) bool {
	return a.Capacity == b.Capacity && a.PerAccount == b.PerAccount && a.OpensAt.Truncate(time.Microsecond).Equal(b.OpensAt.Truncate(time.Microsecond))
}
