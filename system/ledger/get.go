package ledger

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed get.sql
var getSQL string

// Get reads a booking of an account.
func (l *Ledger) Get(ctx context.Context, account string, id int64) (booking.Booking, error) {
	var r row
	err := l.read(ctx, func(rows pgx.Rows) (err error) {
		r, err = pgx.CollectExactlyOneRow(rows, scanBooking)
		return known(err, booking.ErrUnknownBooking)
	}, getSQL, id, account)
	if err != nil {
		return booking.Booking{}, fmt.Errorf("get booking %d: %w", id, err)
	}
	return r.Booking, nil
}

func scanBooking(rows pgx.CollectableRow) (row, error) {
	var r row
	err := rows.Scan(fields(&r)...)
	return r, err
}

// known turns the absence of a row into the error that names what is not there.
func known(err, absent error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return absent
	}
	return err
}
