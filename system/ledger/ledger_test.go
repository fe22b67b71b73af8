package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gatecrash/system/booking"
	"gatecrash/system/ledger"
)

// TestLostAnswers cuts the connection at each round trip of a booking. Only where COMMIT was sent is the outcome unknown, and asking again
// with the same key tells it.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cut  cut
		want error
		then booking.Path
	}{
		{"before the lock", cut{at: 1}, booking.ErrDependency, booking.PathDB},
		{"the lock's answer", cut{at: 1, deliver: true}, booking.ErrDependency, booking.PathDB},
		{"COMMIT sent and not delivered", cut{at: 2}, booking.ErrUnknownOutcome, booking.PathDB},
		{"COMMIT's answer", cut{at: 2, deliver: true}, booking.ErrUnknownOutcome, booking.PathReplay},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var p *proxy
			l := open(t, func(cfg *ledger.Config) {
				p, cfg.URL = startProxy(t, cfg.URL)
				cfg.MaxConns = 1 // each statement is prepared once, before the cut
			})
			newSale(t, l, 10, 10)
			book(t, l, "warm", "up", 1)
			p.arm(c.cut)
			_, err := l.Book(t.Context(), "s", []booking.Intent{intent("ann", "k1", 2)})
			for _, kind := range []error{booking.ErrDependency, booking.ErrOverloaded, booking.ErrUnknownOutcome} {
				if errors.Is(err, kind) != errors.Is(c.want, kind) {
					t.Errorf("book: got %v, want %v and no other", err, c.want)
				}
			}
			if got := book(t, l, "ann", "k1", 2); got.Path != c.then || got.Booking.Version != 2 {
				t.Errorf("book again: got %+v, want version 2 by %s", got, c.then)
			}
		})
	}
}

// TestLostAnswerOfRefusal loses the answer to a COMMIT that had nothing to write: nothing can have happened.
func TestLostAnswerOfRefusal(t *testing.T) {
	t.Parallel()
	var p *proxy
	l := open(t, func(cfg *ledger.Config) {
		p, cfg.URL = startProxy(t, cfg.URL)
		cfg.MaxConns = 1
	})
	newSale(t, l, 1, 10)
	book(t, l, "warm", "up", 1)
	if err := bookErr(t, l, intent("ann", "k1", 2)); !errors.Is(err, booking.ErrSoldOut) {
		t.Fatal(err)
	}
	p.arm(cut{at: 2, deliver: true})
	_, err := l.Book(t.Context(), "s", []booking.Intent{intent("ann", "k1", 2)})
	if !errors.Is(err, booking.ErrDependency) || errors.Is(err, booking.ErrUnknownOutcome) {
		t.Errorf("book: got %v, want %v", err, booking.ErrDependency)
	}
}

// TestStuckHolder holds the row lock elsewhere: the booking gives up, cleanly, and goes on when the lock is free.
func TestStuckHolder(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) { cfg.Lock = 20 * time.Millisecond })
	newSale(t, l, 10, 10)
	holder := hold(t, l)
	_, err := l.Book(t.Context(), "s", []booking.Intent{intent("ann", "k1", 2)})
	if !errors.Is(err, booking.ErrOverloaded) || errors.Is(err, booking.ErrUnknownOutcome) {
		t.Errorf("book while the row is locked: got %v, want %v", err, booking.ErrOverloaded)
	}
	if _, err := l.Resolve(t.Context(), "s", []booking.Intent{intent("ann", "k1", 2)}); !errors.Is(err, booking.ErrOverloaded) {
		t.Errorf("resolve while the row is locked: got %v, want %v", err, booking.ErrOverloaded)
	}
	if _, err := l.Snapshot(t.Context(), "s"); err != nil {
		t.Errorf("snapshot while the row is locked: got %v, want no wait", err)
	}
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	book(t, l, "ann", "k1", 2)
}

// TestResolveWaitsForNoTurn fills the sale's lane: bookings stand in line, and what is stranded is looked up at once all the same.
func TestResolveWaitsForNoTurn(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) { cfg.AtOnce, cfg.Lock = 1, 400*time.Millisecond })
	newSale(t, l, 10, 10)
	holder := hold(t, l)
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- bookErr(t, l, intent("ann", "k1", 2)) }()
	awaitBlocked(t, connect(t), l.Config().Application)
	go func() { second <- bookErr(t, l, intent("bob", "k1", 2)) }()
	time.AfterFunc(50*time.Millisecond, func() { _ = holder.Rollback(context.Background()) })
	res, err := l.Resolve(t.Context(), "s", []booking.Intent{intent("ann", "k1", 2), intent("cyd", "k1", 2)})
	if err != nil || !errors.Is(res[1].Err, booking.ErrUnknownBooking) {
		t.Errorf("resolve beside a full lane: got %+v, %v, want it answered", res, err)
	}
	for _, done := range []chan error{first, second} {
		if err := <-done; err != nil {
			t.Errorf("book in line: %v", err)
		}
	}
}

// TestIdleHolderIsThrownOut leaves a session of the pool inside a transaction: the server ends it, and with it the row lock.
func TestIdleHolderIsThrownOut(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) { cfg.IdleInTx = 2 * time.Second })
	newSale(t, l, 10, 10)
	tx, err := l.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }() // its session is gone
	if _, err := tx.Exec(t.Context(), "SELECT 1 FROM sale WHERE id = 's' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	book(t, l, "ann", "k1", 2)
}

// TestNoFreeSession takes the only session: the next booking gives up, certainly undone.
func TestNoFreeSession(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) { cfg.MaxConns = 1 })
	newSale(t, l, 10, 10)
	conn, err := l.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if _, err := l.Book(ctx, "s", []booking.Intent{intent("ann", "k1", 2)}); !errors.Is(err, booking.ErrDependency) {
		t.Errorf("book without a free session: got %v, want %v", err, booking.ErrDependency)
	}
}

// TestSessionsKilled ends every session of the pool from outside: bookings fail cleanly at most once for each, and then go on.
func TestSessionsKilled(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) { cfg.Application = cfg.Schema })
	newSale(t, l, 10, 10)
	admin := connect(t)
	if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", l.Config().Schema); err != nil {
		t.Fatal(err)
	}
	for range l.Config().MaxConns + 1 {
		res, err := l.Book(t.Context(), "s", []booking.Intent{intent("ann", "k1", 2)})
		if err == nil && res[0].Err == nil {
			return
		}
		if !errors.Is(err, booking.ErrDependency) || errors.Is(err, booking.ErrUnknownOutcome) {
			t.Fatalf("book on a dead session: got %v, %v, want %v", res, err, booking.ErrDependency)
		}
	}
	t.Error("book after the sessions were killed: got no answer with as many tries as there were sessions")
}

// TestOwnKeyTaken lets another session book the same intent without the row lock, after our read and before our write: that is a replay.
func TestOwnKeyTaken(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) { cfg.Application = cfg.Schema })
	newSale(t, l, 10, 10)
	if _, err := l.Pool().Exec(t.Context(), "ALTER TABLE booking DROP CONSTRAINT booking_sale_fkey"); err != nil { // it would take the lock
		t.Fatal(err)
	}
	theirs := book(t, l, "ann", "k1", 2).Booking // for its payload
	admin := connect(t)
	tx, err := admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	schema := l.Config().Schema
	_, err = tx.Exec(t.Context(), "INSERT INTO "+schema+".booking (sale, account, key, payload, quantity, state, version) SELECT sale, 'bob', key, payload, quantity, state, 99 FROM "+
		schema+".booking WHERE id = $1", theirs.ID)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		res, err := l.Book(t.Context(), "s", []booking.Intent{intent("bob", "k1", 2)})
		got <- fmt.Sprintf("%+v %v", res, err)
	}()
	awaitBlocked(t, connect(t), schema)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := <-got; !strings.Contains(text, "Version:99") || !strings.Contains(text, "replay") {
		t.Errorf("book: got %s, want a replay of version 99", text)
	}
}

// TestOpensWhileWaiting asks before the opening time and gains the row lock after it: the time is read under the lock.
func TestOpensWhileWaiting(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) { cfg.Application = cfg.Schema })
	admin := connect(t)
	var opens time.Time
	if err := admin.QueryRow(t.Context(), "SELECT clock_timestamp() + interval '200 milliseconds'").Scan(&opens); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Create(t.Context(), booking.Sale{ID: "s", Capacity: 1, PerAccount: 1, OpensAt: opens}); err != nil {
		t.Fatal(err)
	}
	holder := hold(t, l)
	got := make(chan error, 1)
	go func() {
		res, err := l.Book(t.Context(), "s", []booking.Intent{intent("ann", "k1", 1)})
		if err == nil {
			err = res[0].Err
		}
		got <- err
	}()
	awaitBlocked(t, connect(t), l.Config().Schema)
	if _, err := holder.Exec(t.Context(), "SELECT pg_sleep(greatest(0, extract(epoch FROM $1::timestamptz - clock_timestamp())))", opens); err != nil {
		t.Fatal(err)
	}
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("book: got %v, want a booking: the sale was open when it was decided", err)
	}
}

func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	cfg := ledger.DefaultConfig(srv.Postgres(t))
	cfg.Schema, cfg.MaxConns, cfg.Acquire, cfg.Connect = srv.Schema(t), 2, 20*time.Second, 20*time.Second
	var replicas sync.WaitGroup
	for range 6 {
		replicas.Go(func() {
			l, err := ledger.Open(t.Context(), cfg)
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			for range 2 {
				if err := l.Migrate(t.Context()); err != nil {
					t.Errorf("migrate: %v", err)
				}
			}
		})
	}
	replicas.Wait()
}

// TestConstraints says what the tables refuse by themselves, whatever the code does.
func TestConstraints(t *testing.T) {
	t.Parallel()
	l := open(t)
	newSale(t, l, 5, 5)
	id := book(t, l, "ann", "k1", 2).Booking.ID
	for _, c := range []struct{ name, sql, code, constraint string }{
		{"oversell", "UPDATE sale SET free = -1", "23514", "sale_free"},
		{"more free than there are", "UPDATE sale SET free = 6", "23514", "sale_free"},
		{"no capacity", "UPDATE sale SET capacity = 0", "23514", ""},
		{"strange state", "UPDATE sale SET state = 'ajar'", "23514", "sale_state"},
		{"an intent twice", "INSERT INTO booking (sale, account, key, payload, quantity, state, version) VALUES ('s', 'ann', 'k1', '', 1, 'live', 2)", "23505", "booking_intent"},
		{"a booking of nothing", "UPDATE booking SET quantity = 0", "23514", "booking_quantity"},
		{"a booking of no sale", "INSERT INTO booking (sale, account, key, payload, quantity, state, version) VALUES ('r', 'a', 'k', '', 1, 'live', 2)", "23503", "booking_sale_fkey"},
		{"cancelled without a version", "UPDATE booking SET state = 'cancelled'", "23514", "booking_cancelled"},
		{"a version twice", fmt.Sprintf("INSERT INTO ledger (sale, version, kind, intent, booking, seats) VALUES ('s', 1, 'book', 'i', %d, -1)", id), "23505", "ledger_pkey"},
		{"a row of no sale", "INSERT INTO ledger (sale, version, kind, intent, seats) VALUES ('r', 1, 'capacity', 'i', 1)", "23503", "ledger_sale_fkey"},
		{"a row of no booking", "INSERT INTO ledger (sale, version, kind, intent, booking, seats) VALUES ('s', 2, 'book', 'i', 999, -1)", "23503", "ledger_booking_fkey"},
		{"a change of nothing", "INSERT INTO ledger (sale, version, kind, intent, seats) VALUES ('s', 2, 'capacity', 'i', 0)", "23514", "ledger_seats"},
		{"a book without a booking", "INSERT INTO ledger (sale, version, kind, intent, seats) VALUES ('s', 2, 'book', 'i', -1)", "23514", "ledger_booking"},
	} {
		_, err := l.Pool().Exec(t.Context(), c.sql)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.Code != c.code || c.constraint != "" && pg.ConstraintName != c.constraint {
			t.Errorf("%s: %s: got %v, want %s by %s", c.name, c.sql, err, c.code, c.constraint)
		}
	}
}

// TestSessionSettings reads back what every session of the pool must have.
func TestSessionSettings(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) {
		cfg.Application, cfg.Lock, cfg.Statement, cfg.IdleInTx = "the application", 1100*time.Millisecond, 2200*time.Millisecond, 3300*time.Millisecond
	})
	for name, want := range map[string]string{
		"application_name": "the application", "lock_timeout": "1100ms", "statement_timeout": "2200ms",
		"idle_in_transaction_session_timeout": "3300ms", "search_path": l.Config().Schema,
	} {
		var got string
		if err := l.Pool().QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	if got := l.Pool().Stat().TotalConns(); got != int32(l.Config().MaxConns) {
		t.Errorf("sessions after open: got %d, want %d", got, l.Config().MaxConns)
	}
}

func TestLockWaitIsTold(t *testing.T) {
	t.Parallel()
	var waits []time.Duration
	l := open(t, func(cfg *ledger.Config) { cfg.LockWait = func(d time.Duration) { waits = append(waits, d) } })
	newSale(t, l, 5, 5) // takes the lock to open the sale
	book(t, l, "ann", "k1", 2)
	if len(waits) != 2 || waits[1] <= 0 {
		t.Errorf("lock waits of an opening and a booking: got %v, want two, more than nothing", waits)
	}
}

func TestOpenFailsLoudly(t *testing.T) {
	t.Parallel()
	cfg := ledger.DefaultConfig("postgres://postgres@127.0.0.1:1/postgres?sslmode=disable") // nothing listens there
	if _, err := ledger.Open(t.Context(), cfg); !errors.Is(err, booking.ErrDependency) {
		t.Errorf("open without a server: got %v, want %v", err, booking.ErrDependency)
	}
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	if err := ledger.DefaultConfig("postgres://u@127.0.0.1:5432/d").Validate(); err != nil {
		t.Errorf("default: got %v, want valid", err)
	}
	err := ledger.Config{URL: "postgres://u:secret@127.0.0.1:port/d", Schema: `Robert"; DROP`}.Validate()
	for _, want := range []string{"url", "schema", "application", "max_conns", "at_once", "acquire", "connect", "lock", "statement", "idle_in_tx"} {
		if err == nil || !strings.Contains(err.Error(), "ledger."+want) {
			t.Errorf("validate: got %v, want ledger.%s reported", err, want)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("validate: got %v, want no part of the address", err)
	}
	cfg := ledger.DefaultConfig("postgres://u@127.0.0.1:5432/d")
	cfg.Lock = cfg.Statement
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "ledger.lock") {
		t.Errorf("lock = statement: got %v, want ledger.lock reported", err)
	}
}

// hold takes the row lock of the sale in a session outside the pool.
func hold(t *testing.T, l *ledger.Ledger) pgx.Tx {
	t.Helper()
	tx, err := connect(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT 1 FROM "+l.Config().Schema+".sale WHERE id = 's' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	return tx
}

func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), srv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// awaitBlocked returns when a session of the application waits for a lock.
func awaitBlocked(t *testing.T, admin *pgx.Conn, application string) {
	t.Helper()
	for range 2000 {
		var n int
		err := admin.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity, pg_sleep(0.01) WHERE application_name = $1 AND wait_event_type = 'Lock'", application).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
	}
	t.Fatalf("no session of %q waits for a lock", application)
}

// TestPlans holds every look-up to its index and to all columns of it, by the plans that the pool's settings give while the tables are empty,
// and while they are known to be small: such a plan lives on until the next analyze, however large the sale has grown.
func TestPlans(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 3, 300} {
		l := open(t)
		conn, err := l.Pool().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
		if rows > 0 {
			newSale(t, l, 1000, 1000)
			for i := range rows {
				book(t, l, fmt.Sprintf("account-%d", i), "k", 1)
			}
			if _, err := conn.Exec(t.Context(), "ANALYZE sale, booking, ledger"); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct{ file, args, index, cond string }{
			{"lock.sql", "'s'", "sale_pkey", "(id = $1)"},
			{"account.sql", "'s', '{a,b}', '{k,l}'", "booking_intent", "((sale = $1) AND (account = names.account))"},
			{"lookup.sql", "'{s,s}', '{a,b}', '{k,l}'", "booking_intent", "((sale = asked.sale) AND (account = asked.account) AND (key = asked.key))"},
			{"get.sql", "1, 'a'", "booking_pkey", "(id = $1)"},
			{"change.sql", "'s', 'c'", "ledger_change", "((sale = $1) AND (intent = $2))"},
			{"snapshot.sql", "'s'", "sale_pkey", "(id = $1)"},
		} {
			plan := explain(t, conn.Conn(), c.file, c.args)
			if !strings.Contains(plan, "Index Scan using "+c.index) || !strings.Contains(plan, "Index Cond: "+c.cond) || strings.Contains(plan, "Seq Scan") {
				t.Errorf("%s with %d bookings: got\n%s\nwant an index scan of %s by %s", c.file, rows, plan, c.index, c.cond)
			}
		}
	}
}

// explain gives the generic plan of a statement file.
func explain(t *testing.T, conn *pgx.Conn, file, args string) string {
	t.Helper()
	sql, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := "plan_" + strings.TrimSuffix(file, ".sql")
	if _, err := conn.Exec(t.Context(), "PREPARE "+name+" AS "+string(sql)); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	rows, _ := conn.Query(t.Context(), "EXPLAIN EXECUTE "+name+"("+args+")", pgx.QueryExecModeSimpleProtocol)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return strings.Join(lines, "\n")
}
