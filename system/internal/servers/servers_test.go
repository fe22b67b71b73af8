package servers_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"gatecrash/system/internal/servers"
)

var srv = servers.New()

func TestMain(m *testing.M) { os.Exit(srv.Main(m)) }

func TestSchemaIsDropped(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("create", func(t *testing.T) {
		name = srv.Schema(t)
		exec(t, "CREATE SCHEMA "+name)
	})
	var left int
	if err := connect(t).QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = $1", name).Scan(&left); err != nil || left != 0 {
		t.Fatalf("schemas %q after the test: got %d, %v, want 0", name, left, err)
	}
}

func TestPrefixIsDeleted(t *testing.T) {
	t.Parallel()
	opt, err := redis.ParseURL(srv.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(opt)
	defer client.Close()
	var prefix string
	t.Run("set", func(t *testing.T) {
		prefix = srv.Prefix(t)
		if err := client.Set(t.Context(), prefix+"a", 1, 0).Err(); err != nil {
			t.Fatal(err)
		}
	})
	if keys, err := client.Keys(t.Context(), prefix+"*").Result(); err != nil || len(keys) != 0 {
		t.Fatalf("keys %q after the test: got %q, %v, want none", prefix, keys, err)
	}
}

func TestDurableByDefault(t *testing.T) {
	t.Parallel()
	if os.Getenv(servers.EnvPostgres) != "" {
		t.Skip("the server was given from outside")
	}
	for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		var got string
		if err := connect(t).QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&got); err != nil || got != "on" {
			t.Errorf("%s: got %q, %v, want on", name, got, err)
		}
	}
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

func exec(t *testing.T, sql string) {
	t.Helper()
	if _, err := connect(t).Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}
