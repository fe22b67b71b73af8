package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

// Resolve decides under the row lock whether the intent is booked; see booking.Ledger. It reads what Book reads.
func (l *Ledger) Resolve(ctx context.Context, in booking.Intent) (booking.Booking, error) {
	var have []row
	var found booking.Booking
	err := l.underLock(ctx, in.Sale,
		func(reads *pgx.Batch) { queueAccounts(reads, in.Sale, []booking.Intent{in}, &have) },
		func(booking.Sale, time.Time, *pgx.Batch) (err error) {
			found, err = pick(have, in)
			return err
		})
	if err != nil {
		return booking.Booking{}, fmt.Errorf("resolve intent %q of sale %q: %w", in.ID(), in.Sale, err)
	}
	return found, nil
}

func pick(have []row, in booking.Intent) (booking.Booking, error) {
	for _, r := range have {
		if r.Account == in.Account && r.Key == in.Key {
			return r.Booking, nil
		}
	}
	return booking.Booking{}, booking.ErrUnknownBooking
}
