package ledger

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed leader.sql
var leaderSQL string

// Leader is one candidate for a leadership that at most one session in the database holds: a session-level advisory lock on a connection of
// its own. Losing the connection is losing the leadership. Not safe for concurrent use.
type Leader struct {
	cfg     *pgx.ConnConfig
	name    string
	connect time.Duration
	conn    *pgx.Conn
	leads   bool
}

// Leader gives a candidate for the leadership called name in this ledger's schema. A leader that does not call Hold for as long as idle loses
// its session, and with it the lead, on the server's side: a process that hangs or is cut off blocks nobody for longer.
func (l *Ledger) Leader(name string, idle time.Duration) *Leader {
	cfg := l.pool.Config().ConnConfig
	cfg.RuntimeParams["idle_session_timeout"] = milliseconds(idle)
	return &Leader{cfg: cfg, name: "gatecrash " + name + " " + l.cfg.Schema, connect: l.cfg.Connect}
}

// Hold takes the lead if it is free, or confirms it. It does not wait for another leader. After an error the lead is lost.
func (e *Leader) Hold(ctx context.Context) (leads bool, err error) {
	if e.conn == nil {
		if err := e.dial(ctx); err != nil {
			return false, err
		}
	}
	if e.leads {
		err = e.conn.Ping(ctx)
	} else {
		err = e.conn.QueryRow(ctx, leaderSQL, e.name).Scan(&e.leads)
	}
	if err != nil {
		e.Release(ctx)
		return false, fmt.Errorf("hold lead %q: %w", e.name, harmless(err))
	}
	return e.leads, nil
}

// Release gives up the lead and the connection. Where the server does not answer, it frees the lead when it sees the connection gone.
func (e *Leader) Release(ctx context.Context) {
	if e.leads && !e.conn.IsClosed() {
		_, _ = e.conn.Exec(ctx, "SELECT pg_advisory_unlock_all()")
	}
	if e.conn != nil {
		_ = e.conn.Close(ctx)
	}
	e.conn, e.leads = nil, false
}

func (e *Leader) dial(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, e.connect)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, e.cfg)
	if err != nil {
		return fmt.Errorf("hold lead %q: %w", e.name, harmless(err))
	}
	e.conn = conn
	return nil
}
