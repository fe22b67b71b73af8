package ledger

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed state.sql
var stateSQL string

// SetState moves a sale to a state, under its row lock: no booking is decided by the old state after it returns.
func (l *Ledger) SetState(ctx context.Context, sale string, st booking.SaleState) (after booking.Sale, err error) {
	err = l.underLock(ctx, sale, nil, func(s booking.Sale, _ time.Time, writes *pgx.Batch) error {
		if !s.State.MayBecome(st) {
			return fmt.Errorf("from %s to %s: %w", s.State, st, booking.ErrSaleState)
		}
		after = s
		after.State = st
		writes.Queue(stateSQL, sale, st)
		return nil
	})
	if err != nil {
		return booking.Sale{}, fmt.Errorf("set state of sale %q: %w", sale, err)
	}
	return after, nil
}
