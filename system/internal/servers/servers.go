package servers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// Environment variables that name servers to use instead of private ones.
const (
	EnvPostgres = "GATECRASH_TEST_POSTGRES_URL"
	EnvRedis    = "GATECRASH_TEST_REDIS_URL"
)

const (
	readyWithin = 30 * time.Second // until a started server must answer
	stopWithin  = 10 * time.Second // until a stopped server is killed
)

// errMissing says that a server's program is not installed.
var errMissing = errors.New("program not found")

// Set is the servers of one test binary.
type Set struct {
	postgres server
	redis    server
}

// server starts once, when the first test asks for it.
type server struct {
	once sync.Once
	url  string
	err  error
	stop func()
}

// New returns a Set that has started nothing yet.
func New() *Set { return &Set{} }

// Main runs the tests, stops what was started and returns the exit code.
func (s *Set) Main(m *testing.M) int {
	defer s.redis.close()
	defer s.postgres.close()
	return m.Run()
}

// Postgres gives the URL of a Postgres whose user may create schemas.
func (s *Set) Postgres(tb testing.TB) string {
	tb.Helper()
	return s.postgres.get(tb, EnvPostgres, startPostgres)
}

// Redis gives the URL of a Redis.
func (s *Set) Redis(tb testing.TB) string {
	tb.Helper()
	return s.redis.get(tb, EnvRedis, startRedis)
}

// Schema gives a name for a schema of Postgres that exists nowhere; whatever the test creates under it is dropped at its end.
func (s *Set) Schema(tb testing.TB) string {
	tb.Helper()
	url, name := s.Postgres(tb), unique()
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			tb.Errorf("drop schema %q: %v", name, err)
			return
		}
		defer func() { _ = conn.Close(ctx) }()
		if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+name+" CASCADE"); err != nil {
			tb.Errorf("drop schema %q: %v", name, err)
		}
	})
	return name
}

// Prefix gives a prefix that no key in Redis has; keys that the test creates with it are deleted at its end.
func (s *Set) Prefix(tb testing.TB) string {
	tb.Helper()
	url, prefix := s.Redis(tb), unique()+":"
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		if err := deleteKeys(ctx, url, prefix); err != nil {
			tb.Errorf("delete keys %q: %v", prefix, err)
		}
	})
	return prefix
}

func deleteKeys(ctx context.Context, url, prefix string) error {
	opt, err := redis.ParseURL(url)
	if err != nil {
		return err
	}
	client := redis.NewClient(opt)
	defer func() { _ = client.Close() }()
	keys := client.Scan(ctx, 0, prefix+"*", 1000).Iterator()
	for keys.Next(ctx) {
		if err := client.Del(ctx, keys.Val()).Err(); err != nil {
			return err
		}
	}
	return keys.Err()
}

func (s *server) get(tb testing.TB, env string, start func() (string, func(), error)) string {
	tb.Helper()
	s.once.Do(func() {
		if s.url = os.Getenv(env); s.url == "" {
			s.url, s.stop, s.err = start()
		}
	})
	if errors.Is(s.err, errMissing) && os.Getenv("CI") != "true" {
		tb.Skipf("%v (set %s to use a running server)", s.err, env)
	}
	if s.err != nil {
		tb.Fatalf("start test server: %v", s.err)
	}
	return s.url
}

func (s *server) close() {
	if s.stop != nil {
		s.stop()
	}
}

// start runs cmd until ready answers nil, and gives the function that ends it and removes dir.
func start(cmd *exec.Cmd, dir string, ready func(context.Context) error) (stop func(), err error) {
	out, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	end, exited, err := spawn(cmd)
	if err != nil {
		return nil, err
	}
	if err := await(ready, exited); err != nil {
		end()
		log, _ := os.ReadFile(out.Name())
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, log)
	}
	return func() { end(); _ = os.RemoveAll(dir) }, nil
}

func await(ready func(context.Context) error, exited <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-exited:
			return fmt.Errorf("ended before it was ready: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("not ready within %v: %w", readyWithin, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// freePort finds a loopback port that nothing listens on.
func freePort() (int, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func unique() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return "t_" + hex.EncodeToString(b[:])
}
