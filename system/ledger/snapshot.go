package ledger

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed snapshot.sql
var snapshotSQL string

// Snapshot reads (free, version) in one statement.
func (l *Ledger) Snapshot(ctx context.Context, sale string) (booking.Snapshot, error) {
	var s booking.Snapshot
	err := l.read(ctx, func(rows pgx.Rows) (err error) {
		s, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[booking.Snapshot])
		return known(err, booking.ErrUnknownSale)
	}, snapshotSQL, sale)
	if err != nil {
		return booking.Snapshot{}, fmt.Errorf("snapshot of sale %q: %w", sale, err)
	}
	return s, nil
}
