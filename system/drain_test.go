package system_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/system"
)

// TestCloseLetsRequestsFinish: a booking waits for the row lock while the replica is told to end.
func TestCloseLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.Timeouts.Lock, c.Timeouts.Statement, c.Timeouts.Request, c.Gate.Lease = 30*time.Second, 35*time.Second, 40*time.Second, 90*time.Second
	s, err := system.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	r := replica{t, "http://" + s.Addr()}
	r.sale(5, 5)
	ann := r.login("ann")
	if a := r.send("GET", "/metrics", "", "", ""); !strings.Contains(a.text, "gatecrash_lock_wait_seconds_count 1\n") {
		t.Error("metrics do not count one wait for the row lock, which the opening took")
	}

	conn, err := pgx.Connect(t.Context(), c.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM "+c.Schema+".sale WHERE id = 'main' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	booked, closed := make(chan answer, 1), make(chan error, 1)
	go func() { booked <- r.book(ann, "k", 2) }()
	eventually(t, "the booking waits for the lock", func() bool { return waiting(t, c) })
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		closed <- s.Close(ctx)
	}()
	eventually(t, "new connections are refused", func() bool {
		conn, err := net.Dial("tcp", s.Addr())
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := <-booked; a.Status != 201 {
		t.Errorf("booking under way while the replica ends = %v; want 201", a)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close() = %v; want nil", err)
	}
}

// waiting reports whether a session of the test waits for a lock.
func waiting(t *testing.T, c system.Config) bool {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var n int
	err = conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'", c.Application).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// TestCloseIsBounded: a request that does not end in time is cut, and Close says so.
func TestCloseIsBounded(t *testing.T) {
	t.Parallel()
	c := config(t)
	s, err := system.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")); err != nil {
		t.Fatal(err)
	}
	r := replica{t, "http://" + s.Addr()}
	eventually(t, "the replica serves", func() bool { return r.send("GET", "/healthz", "", "", "").Status == 200 })
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ended); err == nil || !strings.Contains(err.Error(), "stop server") {
		t.Errorf("Close() with no time left = %v; want that the server was cut", err)
	}
}
