package ledger

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed sale.sql
var saleSQL string

// Sale reads a sale. Its state is the one at the server's time.
func (l *Ledger) Sale(ctx context.Context, sale string) (booking.Sale, error) {
	var s booking.Sale
	err := l.read(ctx, func(rows pgx.Rows) (err error) {
		s, err = pgx.CollectExactlyOneRow(rows, collectSale)
		return known(err, booking.ErrUnknownSale)
	}, saleSQL, sale)
	if err != nil {
		return booking.Sale{}, fmt.Errorf("read sale %q: %w", sale, err)
	}
	return s, nil
}

func collectSale(r pgx.CollectableRow) (booking.Sale, error) {
	s, _, err := scanSale(r)
	return s, err
}
