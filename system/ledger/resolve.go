package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

// Resolve decides under the row lock which of the intents are booked; see booking.Ledger. It reads what Book reads. It waits for no turn:
// what the gate has lost must come back also, and most of all, while every lane is full.
func (l *Ledger) Resolve(ctx context.Context, sale string, intents []booking.Intent) ([]booking.Result, error) {
	if len(intents) == 0 {
		return nil, nil
	}
	var have []row
	err := l.atOnce(ctx, time.Now(), sale,
		func(reads *pgx.Batch) { queueAccounts(reads, sale, intents, &have) },
		func(booking.Sale, time.Time, *pgx.Batch) error { return nil })
	if err != nil {
		return nil, fmt.Errorf("resolve %d intents of sale %q: %w", len(intents), sale, err)
	}
	return match(intents, have), nil
}
