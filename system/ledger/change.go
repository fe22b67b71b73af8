package ledger

import (
	_ "embed"
	"errors"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed change.sql
var changeSQL string

// queueChange queues the read of an earlier change of capacity under the caller's key; found stays as it is if there is none.
func queueChange(b *pgx.Batch, sale, change string, found *booking.Change) {
	b.Queue(changeSQL, sale, change).QueryRow(func(r pgx.Row) error {
		err := r.Scan(&found.Version, &found.Seats)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
}
