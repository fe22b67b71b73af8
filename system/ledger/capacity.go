package ledger

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed capacity.sql
var capacitySQL string

// AddSeats changes the capacity by n; see booking.Ledger. The same change key with the same n gives the change made before.
func (l *Ledger) AddSeats(ctx context.Context, sale, change string, n int64) (after booking.Sale, c booking.Change, err error) {
	var old booking.Change
	err = l.underLock(ctx, sale,
		func(reads *pgx.Batch) { queueChange(reads, sale, change, &old) },
		func(s booking.Sale, _ time.Time, writes *pgx.Batch) (err error) {
			after, c, err = addSeats(s, old, change, n)
			if err == nil && old.Version == 0 {
				writes.Queue(capacitySQL, sale, change, n, c.Version)
			}
			return err
		})
	if err != nil {
		return booking.Sale{}, booking.Change{}, fmt.Errorf("add %d seats to sale %q: %w", n, sale, err)
	}
	return after, c, nil
}

// addSeats decides a change of capacity. old is the change made before under the same key; its version is 0 if there is none. It is pure.
func addSeats(s booking.Sale, old booking.Change, change string, n int64) (booking.Sale, booking.Change, error) {
	c := booking.Change{ID: "capacity:" + change, Seats: n, Version: old.Version}
	switch {
	case n == 0 || change == "" || len(change) > 128:
		return s, c, fmt.Errorf("%w: want seats other than 0 and a change key of 1 to 128 characters", booking.ErrInvalid)
	case old.Version != 0 && old.Seats != n:
		return s, c, booking.ErrKeyReused
	case old.Version != 0:
		return s, c, nil
	case s.State == booking.Closed:
		return s, c, fmt.Errorf("sale is closed: %w", booking.ErrSaleState)
	case s.Free+n < 0 || s.Capacity+n < 1:
		return s, c, fmt.Errorf("%d of %d seats free: %w", s.Free, s.Capacity, booking.ErrCapacity)
	}
	s.Capacity, s.Free, s.Version = s.Capacity+n, s.Free+n, s.Version+1
	c.Version = s.Version
	return s, c, nil
}
