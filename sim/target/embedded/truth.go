package embedded

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gatecrash/sim/target"
	"gatecrash/system/booking"
)

// truth reads the rows that decide, on connections of the harness's own.
type truth struct {
	pool    *pgxpool.Pool
	appName string // of the system's sessions
}

var _ target.Truth = (*truth)(nil)

const (
	salesSQL = `SELECT id, capacity, free, version, per_account, state FROM sale WHERE $1 = '' OR id = $1 ORDER BY id`

	ledgerSQL = `SELECT sale, version, kind, intent, coalesce(booking, 0), seats, at FROM ledger
WHERE ($1 = '' OR sale = $1) AND version > $2 ORDER BY sale, version`

	bookingsSQL = `SELECT id, sale, account, key, quantity, state, version, at FROM booking ORDER BY sale, version`

	// usename is null for background workers; a session that ended is not listed
	sessionsSQL = `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`
)

// openTruth connects with a search path of the run's schema and an application name of its own.
func openTruth(ctx context.Context, url, schema, appName string) (*truth, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("parse the postgres URL: %w", err)
	}
	cfg.MaxConns = 4
	cfg.ConnConfig.RuntimeParams["search_path"] = pgx.Identifier{schema}.Sanitize()
	cfg.ConnConfig.RuntimeParams["application_name"] = appName + "-truth"
	cfg.ConnConfig.RuntimeParams["statement_timeout"] = "30s"
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &truth{pool: pool, appName: appName}, nil
}

// Snapshot implements target.Truth.
func (t *truth) Snapshot(ctx context.Context) (target.Snapshot, error) {
	var snap target.Snapshot
	err := t.consistent(ctx, func(tx pgx.Tx) (err error) {
		if snap.Sales, err = query(ctx, tx, scanSale, salesSQL, ""); err != nil {
			return err
		}
		if snap.Ledger, err = query(ctx, tx, scanLedger, ledgerSQL, "", int64(-1)); err != nil {
			return err
		}
		snap.Bookings, err = query(ctx, tx, scanBooking, bookingsSQL)
		return err
	})
	return snap, err
}

// Since implements target.Truth.
func (t *truth) Since(ctx context.Context, sale string, after int64) (rows []target.LedgerRow, row target.SaleRow, err error) {
	err = t.consistent(ctx, func(tx pgx.Tx) error {
		sales, err := query(ctx, tx, scanSale, salesSQL, sale)
		if err != nil {
			return err
		}
		if len(sales) != 1 {
			return fmt.Errorf("sale %q: %d rows, want 1", sale, len(sales))
		}
		row = sales[0]
		rows, err = query(ctx, tx, scanLedger, ledgerSQL, sale, after)
		return err
	})
	return rows, row, err
}

// Sessions implements target.Truth.
func (t *truth) Sessions(ctx context.Context) (n int, err error) {
	err = t.pool.QueryRow(ctx, sessionsSQL, t.appName).Scan(&n)
	return n, err
}

func (t *truth) consistent(ctx context.Context, read func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, t.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, read)
}

func query[T any](ctx context.Context, tx pgx.Tx, scan func(pgx.CollectableRow) (T, error), sql string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

func scanSale(row pgx.CollectableRow) (s target.SaleRow, err error) {
	err = row.Scan(&s.Sale, &s.Capacity, &s.Free, &s.Version, &s.PerAccount, &s.State)
	return s, err
}

func scanBooking(row pgx.CollectableRow) (b target.BookingRow, err error) {
	err = row.Scan(&b.ID, &b.Sale, &b.Account, &b.Key, &b.Quantity, &b.State, &b.Version, &b.At)
	return b, err
}

// scanLedger reads account and key off the ledger's own intent, not off the booking's row. An intent that cannot be read stays whole in Key: no plan knows it.
func scanLedger(row pgx.CollectableRow) (l target.LedgerRow, err error) {
	var intent string
	if err = row.Scan(&l.Sale, &l.Version, &l.Kind, &intent, &l.Booking, &l.Seats, &l.At); err != nil {
		return l, err
	}
	if l.Kind == "capacity" {
		return l, nil
	}
	if l.Account, l.Key, err = booking.SplitIntentID(intent); err != nil {
		l.Account, l.Key = "", intent
	}
	return l, nil
}
