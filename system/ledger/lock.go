package ledger

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gatecrash/system/booking"
)

//go:embed lock.sql
var lockSQL string

// rollbackWithin bounds the wait for an orderly end of a transaction that failed; past it the session is dropped, which ends it too.
const rollbackWithin = 250 * time.Millisecond

// underLock runs reads under the row lock of the sale, then decide, which sees the sale as locked and the server's time, and which queues
// the writes, then COMMIT. An error of decide ends the transaction with nothing changed. Without writes nothing can have happened, so that
// then no error is ever booking.ErrUnknownOutcome. It waits for its turn among this process's transactions of the sale.
func (l *Ledger) underLock(ctx context.Context, sale string, reads func(*pgx.Batch), decide func(s booking.Sale, now time.Time, writes *pgx.Batch) error) error {
	asked := time.Now()
	leave, err := l.row.enter(ctx, sale)
	if err != nil {
		return err
	}
	defer leave()
	return l.atOnce(ctx, asked, sale, reads, decide)
}

// atOnce is underLock without a turn to wait for.
func (l *Ledger) atOnce(ctx context.Context, asked time.Time, sale string, reads func(*pgx.Batch), decide func(s booking.Sale, now time.Time, writes *pgx.Batch) error) error {
	conn, err := l.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	s, now, err := lock(ctx, conn, sale, reads)
	if err != nil {
		rollback(ctx, conn)
		return harmless(err)
	}
	if l.cfg.LockWait != nil {
		l.cfg.LockWait(time.Since(asked))
	}
	writes := &pgx.Batch{}
	if err := decide(s, now, writes); err != nil {
		rollback(ctx, conn)
		return err
	}
	wrote := writes.Len() > 0
	atCommit, err := commit(ctx, conn, writes)
	switch {
	case err == nil:
		return nil
	case !wrote:
		err = harmless(err)
	default:
		err = outcome(err, atCommit)
	}
	rollback(ctx, conn)
	return err
}

// lock begins a transaction, takes the row lock and makes the reads, in one round trip.
func lock(ctx context.Context, conn *pgxpool.Conn, sale string, reads func(*pgx.Batch)) (s booking.Sale, now time.Time, err error) {
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	b.Queue(lockSQL, sale).QueryRow(func(row pgx.Row) error {
		s, now, err = scanSale(row)
		return err
	})
	if reads != nil {
		reads(b)
	}
	err = conn.SendBatch(ctx, b).Close()
	return s, now, err
}

// commit sends the writes and COMMIT in one round trip. atCommit tells whether the writes had been answered well.
func commit(ctx context.Context, conn *pgxpool.Conn, writes *pgx.Batch) (atCommit bool, err error) {
	writes.Queue("COMMIT").Query(func(rows pgx.Rows) error {
		atCommit = true
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
		if rows.CommandTag().String() != "COMMIT" {
			return errNotCommitted
		}
		return nil
	})
	err = conn.SendBatch(ctx, writes).Close()
	return atCommit, err
}

// rollback ends a failed transaction. Where it cannot, Release finds the session inside a transaction and drops it.
func rollback(ctx context.Context, conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackWithin)
	defer cancel()
	if !conn.Conn().IsClosed() {
		_, _ = conn.Exec(ctx, "ROLLBACK")
	}
}

// scanSale reads a sale and the server's time, and gives the sale's state as of that time.
func scanSale(row pgx.Row) (s booking.Sale, now time.Time, err error) {
	var opens *time.Time
	err = row.Scan(&s.ID, &s.Capacity, &s.Free, &s.Version, &s.State, &s.PerAccount, &opens, &now)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, now, booking.ErrUnknownSale
	}
	if opens != nil {
		s.OpensAt = opens.UTC()
	}
	s.State = s.StateAt(now)
	return s, now, err
}
