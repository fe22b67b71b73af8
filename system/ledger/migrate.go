package ledger

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"
)

//go:embed schema.sql
var schemaSQL string

// Migrate creates the schema and its tables where they are missing. Several replicas may call it at once: one works, the others wait for it.
func (l *Ledger) Migrate(ctx context.Context) error {
	conn, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, step := range []string{
			"SET LOCAL lock_timeout = '30s'",
			"SET LOCAL statement_timeout = '60s'",
			"SELECT pg_advisory_xact_lock(hashtextextended('gatecrash migrate ' || current_setting('search_path'), 0))",
			"CREATE SCHEMA IF NOT EXISTS " + pgx.Identifier{l.cfg.Schema}.Sanitize(),
			schemaSQL,
		} {
			if _, err := tx.Exec(ctx, step, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("migrate schema %q: %w", l.cfg.Schema, harmless(err))
	}
	return nil
}
