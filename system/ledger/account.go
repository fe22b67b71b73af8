package ledger

import (
	_ "embed"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed account.sql
var accountSQL string

// queueAccounts queues the read of what the truth holds of the intents' accounts, into have.
func queueAccounts(b *pgx.Batch, sale string, intents []booking.Intent, have *[]row) {
	accounts, keys := make([]string, len(intents)), make([]string, len(intents))
	for i, in := range intents {
		accounts[i], keys[i] = in.Account, in.Key
	}
	b.Queue(accountSQL, sale, accounts, keys).Query(func(rows pgx.Rows) (err error) {
		*have, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (row, error) {
			var out row
			err := r.Scan(append(fields(&out), &out.payload)...)
			return out, err
		})
		return err
	})
}

// fields are where the columns of a booking go, in the order in which every statement here selects them.
func fields(r *row) []any {
	return []any{&r.ID, &r.Sale, &r.Account, &r.Key, &r.Quantity, &r.State, &r.Version, &r.cancelled}
}
