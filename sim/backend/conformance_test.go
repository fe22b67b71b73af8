package backend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"gatecrash/sim/journal"
)

// bound limits every wait of a test; nothing is asserted about how long things take.
const bound = 90 * time.Second

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	t.Cleanup(cancel)
	return ctx
}

func testRunID(t *testing.T) string {
	t.Helper()
	return strings.ToLower("t-" + strconv.FormatInt(time.Now().UnixNano(), 36))
}

// opened is a backend with a journal in a state folder of the test's own, closed at the end of the test.
type opened struct {
	Backend
	journal *journal.Journal
	runID   string
	logs    string
}

func open(t *testing.T, o Options) opened {
	t.Helper()
	t.Setenv("GATECRASH_STATE", t.TempDir())
	o.RunID, o.LogDir = testRunID(t), t.TempDir()
	j, err := journal.Open(o.RunID)
	if err != nil {
		t.Fatal(err)
	}
	o.Journal = j
	b, err := Open(testContext(t), o)
	if err != nil {
		j.Close()
		unavailable(t, err)
	}
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := j.Close(); err != nil {
			t.Errorf("close journal: %v", err)
		}
		if _, err := os.Stat(filepath.Join(os.Getenv("GATECRASH_STATE"), o.RunID+".journal")); !os.IsNotExist(err) {
			t.Errorf("journal after Close: stat error %v, want none left", err)
		}
	})
	return opened{Backend: b, journal: j, runID: o.RunID, logs: o.LogDir}
}

// unavailable skips the test where servers cannot be had, but not with CI=true.
func unavailable(t *testing.T, err error) {
	t.Helper()
	missing := errors.Is(err, ErrMissingBinary) || errors.Is(err, ErrMissingImage) || errors.Is(err, ErrNoEngine)
	if missing && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	t.Fatal(err)
}

func do(t *testing.T, b Backend, name Name, verbs ...Verb) {
	t.Helper()
	for _, verb := range verbs {
		if err := b.Do(testContext(t), name, verb); err != nil {
			t.Fatalf("Do(%s, %s) = %v", name, verb, err)
		}
	}
}

func who(t *testing.T, b Backend, name Name) Identity {
	t.Helper()
	id, err := b.Identity(testContext(t), name)
	if err != nil {
		t.Fatalf("Identity(%s): %v", name, err)
	}
	known := id.PID != 0 || b.Kind() == External // Postgres does not tell its pid
	if id.ID == "" || !known || id.Started.IsZero() {
		t.Fatalf("Identity(%s) = %+v, want all fields", name, id)
	}
	return id
}

// write leaves a mark in both servers.
func write(t *testing.T, b Backend) {
	t.Helper()
	ctx, a := testContext(t), b.Addresses()
	err := withPostgres(ctx, a.PostgresURL, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE TABLE "+pgx.Identifier{a.Schema, "mark"}.Sanitize()+" AS SELECT 1 AS x")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = withRedis(ctx, a.RedisURL, func(rdb *redis.Client) error { return rdb.Set(ctx, a.Prefix+"mark", 1, 0).Err() })
	if err != nil {
		t.Fatal(err)
	}
}

// holds reports whether the mark is still in the server, and fails when the empty schema of the run is not there.
func holds(t *testing.T, b Backend, name Name) bool {
	t.Helper()
	ctx, a := testContext(t), b.Addresses()
	var marks, schemas int
	var err error
	if name == Redis {
		err = withRedis(ctx, a.RedisURL, func(rdb *redis.Client) error {
			n, err := rdb.Exists(ctx, a.Prefix+"mark").Result()
			marks = int(n)
			return err
		})
		schemas = 1
	} else {
		err = withPostgres(ctx, a.PostgresURL, func(conn *pgx.Conn) error {
			return conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_tables WHERE schemaname = $1 AND tablename = 'mark'),
				(SELECT count(*) FROM pg_namespace WHERE nspname = $1)`, a.Schema).Scan(&marks, &schemas)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if schemas != 1 {
		t.Fatalf("schemas named %q: got %d, want 1", a.Schema, schemas)
	}
	return marks == 1
}

func TestConformanceLocal(t *testing.T) {
	conformance(t, open(t, Options{Kind: Local}))
}

func TestConformanceDocker(t *testing.T) {
	conformance(t, open(t, Options{Kind: Docker}))
}

// conformance holds what every backend that starts its servers promises. The steps share the backend and run in order.
func conformance(t *testing.T, b opened) {
	before := b.Addresses()
	write(t, b)
	t.Run("settings are durable", func(t *testing.T) { durable(t, b) })
	for _, name := range []Name{Postgres, Redis} {
		t.Run(string(name), func(t *testing.T) {
			t.Run("every verb can", func(t *testing.T) { everyVerbCan(t, b, name) })
			t.Run("incarnations", func(t *testing.T) { incarnations(t, b, name) })
			t.Run("pause", func(t *testing.T) { pause(t, b, name) })
			t.Run("states", func(t *testing.T) { states(t, b, name) })
			t.Run("restart empty", func(t *testing.T) { restartEmpty(t, b, name) })
		})
	}
	t.Run("settings are durable still", func(t *testing.T) { durable(t, b) })
	if after := b.Addresses(); after != before {
		t.Errorf("Addresses() after all verbs = %+v, want %+v", after, before)
	}
}

func durable(t *testing.T, b opened) {
	got, err := b.Settings(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"} {
		if got.Postgres[name] != want {
			t.Errorf("postgres %s = %q, want %q", name, got.Postgres[name], want)
		}
	}
	for name, want := range map[string]string{"appendonly": "yes", "appendfsync": "everysec", "save": "", "maxmemory-policy": "noeviction"} {
		if value, ok := got.Redis[name]; value != want || !ok {
			t.Errorf("redis %s = %q (told: %t), want %q", name, value, ok, want)
		}
	}
	if got.Kind != b.Kind() || got.Postgres["version"] == Unknown || got.Redis["version"] == Unknown {
		t.Errorf("Settings() = %+v, want kind and versions", got)
	}
}

func everyVerbCan(t *testing.T, b opened, name Name) {
	for _, verb := range []Verb{Start, Stop, Kill, Pause, Resume, Restart, RestartEmpty} {
		if err := b.Can(name, verb); err != nil {
			t.Errorf("Can(%s, %s) = %v, want nil", name, verb, err)
		}
	}
	if err := b.Can(name, "explode"); !errors.Is(err, ErrVerbUnsupported) {
		t.Errorf("Can(%s, explode) = %v, want ErrVerbUnsupported", name, err)
	}
	if err := b.Do(testContext(t), "mysql", Kill); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("Do(mysql, kill) = %v, want ErrUnknownServer", err)
	}
}

// incarnations: kill, stop and restart each give another identity and keep the data; start and pause of a running server keep it.
func incarnations(t *testing.T, b opened, name Name) {
	id := who(t, b, name)
	for _, step := range []struct {
		verbs []Verb
		same  bool
	}{
		{[]Verb{Start}, true},
		{[]Verb{Pause, Pause, Resume, Resume}, true},
		{[]Verb{Kill, Start}, false},
		{[]Verb{Kill, Kill, Stop, Start}, false},
		{[]Verb{Stop, Stop, Start}, false},
		{[]Verb{Restart}, false},
		{[]Verb{Pause, Kill, Start}, false},
		{[]Verb{Pause, Stop, Restart}, false},
		{[]Verb{Pause, Restart}, false},
	} {
		if again := who(t, b, name); again != id {
			t.Errorf("two identities of one incarnation: %+v and %+v", id, again)
		}
		do(t, b, name, step.verbs...)
		now := who(t, b, name)
		if same := now.ID == id.ID && now.PID == id.PID; same != step.same {
			t.Errorf("after %v: identity %+v, was %+v, want same = %t", step.verbs, now, id, step.same)
		}
		if !holds(t, b, name) {
			t.Errorf("after %v: data is gone", step.verbs)
		}
		id = now
	}
}

// pause: an open session's query hangs until the resume and then is answered; new sessions get no answer.
func pause(t *testing.T, b opened, name Name) {
	ctx := testContext(t)
	answered := make(chan error, 1)
	ask, done := session(t, b, name)
	defer done()
	do(t, b, name, Pause)
	go func() { answered <- ask(ctx) }()
	try, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if err := fresh(b, name)(try); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("query on a new session while paused: %v, want a deadline", err)
	}
	select {
	case err := <-answered:
		t.Errorf("query on an open session while paused: answered (%v), want none", err)
	default:
	}
	if err := b.Do(ctx, name, Start); !errors.Is(err, ErrPaused) {
		t.Errorf("Do(%s, start) while paused = %v, want ErrPaused", name, err)
	}
	do(t, b, name, Resume)
	if err := <-answered; err != nil {
		t.Errorf("query on the open session after the resume: %v", err)
	}
}

func fresh(b Backend, name Name) func(context.Context) error {
	if name == Redis {
		return queryRedis(b.Addresses().RedisURL)
	}
	return queryPostgres(b.Addresses().PostgresURL)
}

// session opens one session that was used once.
func session(t *testing.T, b Backend, name Name) (ask func(context.Context) error, done func()) {
	t.Helper()
	ctx := testContext(t)
	if name == Redis {
		opts, err := redis.ParseURL(b.Addresses().RedisURL)
		if err != nil {
			t.Fatal(err)
		}
		opts.ReadTimeout, opts.MaxRetries = -1, -1
		rdb := redis.NewClient(opts)
		conn := rdb.Conn()
		ask = func(ctx context.Context) error { return conn.Ping(ctx).Err() }
		done = func() { conn.Close(); rdb.Close() }
	} else {
		conn, err := pgx.Connect(ctx, b.Addresses().PostgresURL)
		if err != nil {
			t.Fatal(err)
		}
		ask = func(ctx context.Context) error { _, err := conn.Exec(ctx, "SELECT 1"); return err }
		done = func() { conn.Close(context.Background()) }
	}
	if err := ask(ctx); err != nil {
		t.Fatal(err)
	}
	return ask, done
}

// states: verbs that make no sense in a state say so, and a server that is down refuses at once.
func states(t *testing.T, b opened, name Name) {
	ctx := testContext(t)
	do(t, b, name, Kill)
	for _, verb := range []Verb{Pause, Resume} {
		if err := b.Do(ctx, name, verb); !errors.Is(err, ErrNotRunning) {
			t.Errorf("Do(%s, %s) of a dead server = %v, want ErrNotRunning", name, verb, err)
		}
	}
	if err := fresh(b, name)(ctx); err == nil {
		t.Error("a dead server answered a query")
	}
	if _, err := b.Identity(ctx, name); err == nil {
		t.Error("Identity of a dead server: no error")
	}
	do(t, b, name, Restart)
}

func restartEmpty(t *testing.T, b opened, name Name) {
	id := who(t, b, name)
	do(t, b, name, Pause, RestartEmpty)
	if now := who(t, b, name); now.ID == id.ID {
		t.Errorf("identity after restart-empty: %+v, want another than before", now)
	}
	if holds(t, b, name) {
		t.Error("data is still there after restart-empty")
	}
}
