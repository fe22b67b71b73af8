package backend

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"gatecrash/sim/journal"
)

// TestConformanceExternal uses a local backend as the servers of somebody else.
func TestConformanceExternal(t *testing.T) {
	owner := open(t, Options{Kind: Local})
	theirs := owner.Addresses()
	write(t, owner)
	t.Run("claims and gives back", func(t *testing.T) { claimsAndGivesBack(t, owner, theirs) })
	t.Run("refuses what is not empty", func(t *testing.T) { refusesNotEmpty(t, theirs) })
	t.Run("takes over an empty schema", func(t *testing.T) { takesOverEmpty(t, theirs) })
	t.Run("leaves a foreign schema", func(t *testing.T) { leavesForeign(t, theirs) })
	t.Run("cleaned after a kill", func(t *testing.T) { cleanedAfterKill(t, theirs) })
	if !holds(t, owner, Postgres) || !holds(t, owner, Redis) {
		t.Error("the owner's own data is gone")
	}
}

func externalOptions(t *testing.T, theirs Addresses) Options {
	return Options{Kind: External, RunID: testRunID(t), PostgresURL: theirs.PostgresURL, RedisURL: theirs.RedisURL}
}

func claimsAndGivesBack(t *testing.T, owner opened, theirs Addresses) {
	ctx := testContext(t)
	e := externalIn(t, externalOptions(t, theirs))
	a := e.Addresses()
	if a.Schema == theirs.Schema || a.Prefix == theirs.Prefix {
		t.Fatalf("addresses %+v share schema or prefix with the owner's %+v", a, theirs)
	}
	write(t, e)
	if !holds(t, e, Postgres) || !holds(t, e, Redis) {
		t.Error("mark not there after it was written")
	}
	for _, name := range []Name{Postgres, Redis} {
		for verb := range verbs {
			if err := e.Can(name, verb); !errors.Is(err, ErrVerbUnsupported) {
				t.Errorf("Can(%s, %s) = %v, want ErrVerbUnsupported", name, verb, err)
			}
			if err := e.Do(ctx, name, verb); !errors.Is(err, ErrVerbUnsupported) {
				t.Errorf("Do(%s, %s) = %v, want ErrVerbUnsupported", name, verb, err)
			}
		}
		got, want := who(t, e, name), who(t, owner, name)
		if got.ID != want.ID {
			t.Errorf("Identity(%s) = %+v, want the owner's %+v", name, got, want)
		}
	}
	t.Run("settings", func(t *testing.T) { durable(t, opened{Backend: e}) })
	holder := holdLock(t, a)
	defer holder.Close(context.Background())
	if err := e.Close(ctx); err != nil {
		t.Fatalf("Close with a session of the run that holds a lock: %v", err)
	}
	if n := leftovers(t, a); n != 0 {
		t.Errorf("schemas and keys after Close: %d, want 0", n)
	}
}

// externalIn opens an external backend without a journal.
func externalIn(t *testing.T, o Options) Backend {
	t.Helper()
	e, err := Open(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return e
}

// holdLock opens a session of the run's booking system that sits in a transaction on its table.
func holdLock(t *testing.T, a Addresses) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(a.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["application_name"] = a.AppName
	conn, err := pgx.ConnectConfig(testContext(t), config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(testContext(t), "BEGIN; LOCK TABLE "+pgx.Identifier{a.Schema, "mark"}.Sanitize()); err != nil {
		t.Fatal(err)
	}
	return conn
}

// leftovers counts the schema and the keys of the addresses.
func leftovers(t *testing.T, a Addresses) int {
	t.Helper()
	ctx := testContext(t)
	var schemas int
	err := withPostgres(ctx, a.PostgresURL, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT count(*) FROM pg_namespace WHERE nspname = $1", a.Schema).Scan(&schemas)
	})
	if err != nil {
		t.Fatal(err)
	}
	key, err := journal.AnyKey(ctx, a.RedisURL, a.Prefix)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		schemas++
	}
	return schemas
}

func refusesNotEmpty(t *testing.T, theirs Addresses) {
	o := externalOptions(t, theirs)
	o.Schema = theirs.Schema
	if _, err := Open(testContext(t), o); !errors.Is(err, ErrSchemaNotEmpty) {
		t.Errorf("Open on the owner's schema = %v, want ErrSchemaNotEmpty", err)
	}
	o = externalOptions(t, theirs)
	key := o.names().Prefix + "x"
	setKey(t, theirs, key)
	if _, err := Open(testContext(t), o); !errors.Is(err, ErrKeysNotEmpty) {
		t.Errorf("Open with a key of its prefix there = %v, want ErrKeysNotEmpty", err)
	}
	if found, err := journal.AnyKey(testContext(t), theirs.RedisURL, key); err != nil || found != key {
		t.Errorf("the key after the refusal: %q, %v, want %q", found, err, key)
	}
	a := o.names()
	a.PostgresURL, a.RedisURL = theirs.PostgresURL, theirs.RedisURL
	if n := leftovers(t, a); n != 1 {
		t.Errorf("schemas and keys after the refusal: %d, want the one key", n)
	}
}

func setKey(t *testing.T, a Addresses, key string) {
	t.Helper()
	ctx := testContext(t)
	err := withRedis(ctx, a.RedisURL, func(rdb *redis.Client) error { return rdb.Set(ctx, key, 1, 0).Err() })
	if err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, a Addresses, sql string) {
	t.Helper()
	ctx := testContext(t)
	err := withPostgres(ctx, a.PostgresURL, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func takesOverEmpty(t *testing.T, theirs Addresses) {
	execute(t, theirs, "CREATE SCHEMA made_before")
	o := externalOptions(t, theirs)
	o.Schema = "made_before"
	e := externalIn(t, o)
	write(t, e)
	if err := e.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if n := leftovers(t, e.Addresses()); n != 0 {
		t.Errorf("schemas and keys after Close: %d, want 0", n)
	}
}

// leavesForeign: a schema whose mark was changed meanwhile is somebody else's.
func leavesForeign(t *testing.T, theirs Addresses) {
	e := externalIn(t, externalOptions(t, theirs))
	a := e.Addresses()
	execute(t, theirs, "COMMENT ON SCHEMA "+pgx.Identifier{a.Schema}.Sanitize()+" IS 'mine'")
	if err := e.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if n := leftovers(t, a); n != 1 {
		t.Errorf("foreign schema after Close: %d left, want 1", n)
	}
}

// cleanedAfterKill: what a journal names is cleaned once nobody holds it.
func cleanedAfterKill(t *testing.T, theirs Addresses) {
	t.Setenv("GATECRASH_STATE", t.TempDir())
	o := externalOptions(t, theirs)
	j, err := journal.Open(o.RunID)
	if err != nil {
		t.Fatal(err)
	}
	o.Journal = j
	e, err := Open(testContext(t), o)
	if err != nil {
		t.Fatal(err)
	}
	write(t, e)
	if err := j.Close(); err != nil { // what a kill does to the lock
		t.Fatal(err)
	}
	report, err := journal.Clean(testContext(t))
	if err != nil || len(report.Undone) != 2 || report.Removed != 1 {
		t.Errorf("Clean() = %+v, %v, want schema and keys undone", report, err)
	}
	if n := leftovers(t, e.Addresses()); n != 0 {
		t.Errorf("schemas and keys after Clean: %d, want 0", n)
	}
}

func TestExternalRefusals(t *testing.T) {
	const postgres, rdb = "postgres://u:sesame@127.0.0.1:1/d", "redis://:sesame@127.0.0.1:1/0"
	for _, each := range []struct {
		name          string
		postgres, rdb string
		own           bool
		want          error
	}{
		{"postgres off loopback", "postgres://u:sesame@192.0.2.1/d", rdb, false, ErrOffLoopback},
		{"second postgres host off loopback", "postgres://u:sesame@127.0.0.1,192.0.2.1/d", rdb, false, ErrOffLoopback},
		{"redis off loopback", postgres, "redis://:sesame@192.0.2.1:6379/0", false, ErrOffLoopback},
		{"no postgres", "", rdb, false, ErrBadOptions},
		{"no redis", postgres, "", false, ErrBadOptions},
		{"not a URL", "host=127.0.0.1 password=sesame", rdb, true, ErrBadOptions},
		{"bad redis URL", postgres, "redis://:sesame@127.0.0.1:port/0", true, ErrBadOptions},
		{"bad postgres URL", "postgres://u:sesame@127.0.0.1:port/d", rdb, true, ErrBadOptions},
	} {
		t.Run(each.name, func(t *testing.T) {
			_, err := Open(testContext(t), Options{Kind: External, RunID: "r1", PostgresURL: each.postgres, RedisURL: each.rdb, OwnTarget: each.own})
			if !errors.Is(err, each.want) {
				t.Errorf("Open() = %v, want %v", err, each.want)
			}
			if err != nil && strings.Contains(err.Error(), "sesame") {
				t.Errorf("Open() tells the password: %v", err)
			}
		})
	}
	t.Run("own target passes the address check", func(t *testing.T) {
		err := mayUse(testContext(t), Options{PostgresURL: "postgres://u@192.0.2.1/d", RedisURL: rdb, OwnTarget: true})
		if err != nil {
			t.Errorf("mayUse() = %v, want nil", err)
		}
	})
	if os.Getenv("PGHOST") == "" {
		if err := mayUse(testContext(t), Options{PostgresURL: "postgres:///d?host=/var/run/postgresql", RedisURL: rdb}); err != nil {
			t.Errorf("mayUse(unix socket) = %v, want nil", err)
		}
	}
}
