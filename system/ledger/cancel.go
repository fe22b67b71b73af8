package ledger

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed cancel.sql
var cancelSQL string

// Cancel cancels an account's live booking once and returns its seats; see booking.Ledger. It works in every state of the sale.
func (l *Ledger) Cancel(ctx context.Context, account string, id int64) (b booking.Booking, c booking.Change, done bool, err error) {
	old, err := l.Get(ctx, account, id) // for its sale, which never changes
	if err != nil {
		return b, c, false, err
	}
	var r row
	err = l.underLock(ctx, old.Sale,
		func(reads *pgx.Batch) {
			reads.Queue(getSQL, id, account).QueryRow(func(found pgx.Row) error { return found.Scan(fields(&r)...) })
		},
		func(s booking.Sale, _ time.Time, writes *pgx.Batch) error {
			if done = r.State == booking.Live; done {
				r.State, r.cancelled = booking.Cancelled, s.Version+1
				writes.Queue(cancelSQL, id, r.Sale, r.intent(), r.cancelled)
			}
			return nil
		})
	if err != nil {
		return b, c, false, fmt.Errorf("cancel booking %d: %w", id, err)
	}
	return r.Booking, cancelChange(r), done, nil
}

// cancelChange is the change of the sale's seats that cancelled r.
func cancelChange(r row) booking.Change {
	return booking.Change{ID: "cancel:" + strconv.FormatInt(r.ID, 10), Seats: int64(r.Quantity), Version: r.cancelled}
}
