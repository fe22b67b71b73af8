package ledger

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed lookup.sql
var lookupSQL string

// Lookup reads the committed bookings of the intents in one statement; see booking.Ledger. It takes no lock.
func (l *Ledger) Lookup(ctx context.Context, intents []booking.Intent) ([]booking.Result, error) {
	if len(intents) == 0 {
		return nil, nil
	}
	sales, accounts, keys := make([]string, len(intents)), make([]string, len(intents)), make([]string, len(intents))
	for i, in := range intents {
		sales[i], accounts[i], keys[i] = in.Sale, in.Account, in.Key
	}
	var found []row
	err := l.read(ctx, func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, scanBooking)
		return err
	}, lookupSQL, sales, accounts, keys)
	if err != nil {
		return nil, fmt.Errorf("look up %d intents: %w", len(intents), err)
	}
	return match(intents, found), nil
}

// match gives each intent its booking among those found.
func match(intents []booking.Intent, found []row) []booking.Result {
	type name struct{ sale, account, key string }
	byName := make(map[name]booking.Booking, len(found))
	for _, r := range found {
		byName[name{r.Sale, r.Account, r.Key}] = r.Booking
	}
	results := make([]booking.Result, len(intents))
	for i, in := range intents {
		if b, ok := byName[name{in.Sale, in.Account, in.Key}]; ok {
			results[i].Answer = booking.Answer{Booking: b, Path: booking.PathReplay}
		} else {
			results[i].Err = booking.ErrUnknownBooking
		}
	}
	return results
}
