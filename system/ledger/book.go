package ledger

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed book.sql
var bookSQL string

// Book decides the intents of one sale in order, in one transaction; see booking.Ledger.
func (l *Ledger) Book(ctx context.Context, sale string, intents []booking.Intent) ([]booking.Result, error) {
	if len(intents) == 0 {
		return nil, nil
	}
	results, err := l.book(ctx, sale, intents)
	if keyTaken(err) {
		results, err = l.book(ctx, sale, intents) // the row is there now, so this time it is read and replayed
	}
	switch {
	case errors.Is(err, booking.ErrUnknownSale):
		return refuseAll(len(intents), booking.ErrUnknownSale), nil
	case err != nil:
		return nil, fmt.Errorf("book in sale %q: %w", sale, err)
	}
	return results, nil
}

func (l *Ledger) book(ctx context.Context, sale string, intents []booking.Intent) (results []booking.Result, err error) {
	var have []row
	ids := map[int64]int64{}
	err = l.underLock(ctx, sale,
		func(b *pgx.Batch) { queueAccounts(b, sale, intents, &have) },
		func(s booking.Sale, now time.Time, writes *pgx.Batch) error {
			var inserts []row
			if results, inserts = decide(s, now, have, intents); len(inserts) > 0 {
				queueInserts(writes, sale, inserts, ids)
			}
			return nil
		})
	number(results, ids)
	return results, err
}

// queueInserts queues the batch's one writing statement; ids gets the new bookings' IDs by version.
func queueInserts(b *pgx.Batch, sale string, inserts []row, ids map[int64]int64) {
	n := len(inserts)
	accounts, keys, intents := make([]string, n), make([]string, n), make([]string, n)
	payloads, quantities, versions := make([][]byte, n), make([]int32, n), make([]int64, n)
	for i, r := range inserts {
		accounts[i], keys[i], payloads[i], quantities[i], versions[i] = r.Account, r.Key, r.payload, int32(r.Quantity), r.Version
		intents[i] = r.intent()
	}
	b.Queue(bookSQL, sale, accounts, keys, intents, payloads, quantities, versions).Query(func(rows pgx.Rows) error {
		var version, id int64
		_, err := pgx.ForEachRow(rows, []any{&version, &id}, func() error {
			ids[version] = id
			return nil
		})
		return err
	})
}

func refuseAll(n int, err error) []booking.Result {
	results := make([]booking.Result, n)
	for i := range results {
		results[i].Err = err
	}
	return results
}
