package ledger

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gatecrash/system/booking"
)

var _ booking.Ledger = (*Ledger)(nil)

// Ledger is a booking.Ledger on Postgres. Safe for concurrent use.
type Ledger struct {
	cfg  Config
	pool *pgxpool.Pool
	row  *lanes
}

// Open connects all sessions of the pool. It fails with booking.ErrDependency where Postgres does not answer or has no room for them.
// The tables need not be there yet; see Migrate.
func Open(ctx context.Context, cfg Config) (*Ledger, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	pc, err := cfg.pool()
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w: %w", booking.ErrDependency, err)
	}
	l := &Ledger{cfg: cfg, pool: pool, row: newLanes(cfg.AtOnce, cfg.Lock)}
	if err := l.warm(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return l, nil
}

// warm holds every session once, so that a lack of room shows now and not in the rush.
func (l *Ledger) warm(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Connect)
	defer cancel()
	for n := range l.cfg.MaxConns {
		conn, err := l.pool.Acquire(ctx)
		if err != nil {
			return fmt.Errorf("open ledger: session %d of %d: %w: %w", n+1, l.cfg.MaxConns, booking.ErrDependency, err)
		}
		defer conn.Release()
	}
	return nil
}

// Close ends all sessions, after those in use have come back.
func (l *Ledger) Close() { l.pool.Close() }

// Config gives the settings the ledger was opened with.
func (l *Ledger) Config() Config { return l.cfg }

// Pool gives the sessions, for a reader of the same tables.
func (l *Ledger) Pool() *pgxpool.Pool { return l.pool }

// acquire takes a session for one transaction or statement. Nobody takes a second one while holding one.
func (l *Ledger) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Acquire)
	defer cancel()
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("take a session: %w: %w", booking.ErrDependency, err)
	}
	return conn, nil
}

// read runs one statement that changes nothing and hands its rows to scan.
func (l *Ledger) read(ctx context.Context, scan func(pgx.Rows) error, sql string, args ...any) error {
	conn, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	rows, _ := conn.Query(ctx, sql, args...) // the error comes with the rows
	defer rows.Close()
	if err := scan(rows); err != nil {
		return harmless(err)
	}
	return nil
}
