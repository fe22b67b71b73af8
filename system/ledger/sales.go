package ledger

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"gatecrash/system/booking"
)

//go:embed sales.sql
var salesSQL string

// Sales lists all sales that are not closed, by id.
func (l *Ledger) Sales(ctx context.Context) ([]booking.Sale, error) { return l.sales(ctx, false) }

// AllSales lists the closed sales too.
func (l *Ledger) AllSales(ctx context.Context) ([]booking.Sale, error) { return l.sales(ctx, true) }

func (l *Ledger) sales(ctx context.Context, closed bool) (list []booking.Sale, err error) {
	err = l.read(ctx, func(rows pgx.Rows) (err error) {
		list, err = pgx.CollectRows(rows, collectSale)
		return err
	}, salesSQL, closed)
	if err != nil {
		return nil, fmt.Errorf("list sales: %w", err)
	}
	return list, nil
}
