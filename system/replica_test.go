package system_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"gatecrash/system"
	"gatecrash/system/internal/servers"
	"gatecrash/system/limiter"
	"gatecrash/system/session"
)

var srv = servers.New()

func TestMain(m *testing.M) {
	if settings := os.Getenv(envReplica); settings != "" {
		os.Exit(childReplica(settings))
	}
	redis.SetLogger(silent{})
	os.Exit(srv.Main(m))
}

// silent is a logger of go-redis that says nothing.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

const (
	loginKey    = "login-key-of-the-tests"
	operatorKey = "operator-key-of-the-tests"
)

// config serves on a free port, with a schema and a prefix of the test's own and no limits.
func config(t *testing.T) system.Config {
	t.Helper()
	c := system.Default()
	c.Listen = "127.0.0.1:0"
	c.PostgresURL, c.Schema = srv.Postgres(t), srv.Schema(t)
	c.GateURL, c.SessionURL, c.Prefix = srv.Redis(t), srv.Redis(t), srv.Prefix(t)
	c.Application = c.Schema // so that a test can tell its own sessions
	c.LoginKey, c.OperatorKey = loginKey, operatorKey
	c.Connections, c.GateConns, c.SessionConns = 4, 4, 4
	c.Limits = limiter.Limits{}
	c.Gate.ReconcileEvery = 50 * time.Millisecond
	c.Gate.Budget = time.Second // a loaded machine must not look like a broken gate
	c.Stderr = &logs{t: t}
	return c
}

// logs puts a replica's log into the test's, while the test runs.
type logs struct {
	t  *testing.T
	mu sync.Mutex
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// replica is a running system and how to speak to it.
type replica struct {
	t    *testing.T
	base string
}

func start(t *testing.T, c system.Config) replica {
	t.Helper()
	s, err := system.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Errorf("Close() = %v; want nil", err)
		}
	})
	return replica{t, "http://" + s.Addr()}
}

// answer is what came back.
type answer struct {
	Status     int    `json:"-"`
	RetryAfter string `json:"-"`
	Type       string `json:"type"`
	RetryMS    int64  `json:"retry_after_ms"`
	ID         string `json:"id"`
	Quantity   int    `json:"quantity"`
	State      string `json:"state"`
	Version    int64  `json:"version"`
	Path       string `json:"path"`
	Token      string `json:"token"`
	Free       int64  `json:"free"`
	text       string
}

func (a answer) String() string { return fmt.Sprintf("%d %s", a.Status, a.text) }

func (r replica) send(method, path, bearer, key, body string) answer {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	a := answer{Status: res.StatusCode, RetryAfter: res.Header.Get("Retry-After"), text: string(bytes.TrimSpace(text))}
	if strings.Contains(res.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(text, &a); err != nil {
			r.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return a
}

// tryLogin logs an account in.
func (r replica) tryLogin(account string) answer {
	r.t.Helper()
	expires := time.Now().Add(time.Minute)
	body, err := json.Marshal(map[string]any{"account": account, "expires": expires.Unix(), "proof": session.MakeProof([]byte(loginKey), account, expires)})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.send("POST", "/v1/sessions", "", "", string(body))
}

func (r replica) login(account string) string {
	r.t.Helper()
	a := r.tryLogin(account)
	if a.Status != 201 || a.Token == "" {
		r.t.Fatalf("login of %q = %v; want 201 with a token", account, a)
	}
	return a.Token
}

func (r replica) book(token, key string, quantity int) answer {
	r.t.Helper()
	return r.send("POST", "/v1/sales/main/bookings", token, key, `{"quantity":`+strconv.Itoa(quantity)+`}`)
}

func (r replica) operator(method, path, body string) answer {
	r.t.Helper()
	return r.send(method, "/operator/v1"+path, operatorKey, "", body)
}

// sale creates the sale "main" and opens it.
func (r replica) sale(capacity, perAccount int) {
	r.t.Helper()
	a := r.operator("POST", "/sales", fmt.Sprintf(`{"id":"main","capacity":%d,"per_account":%d}`, capacity, perAccount))
	if a.Status != 201 {
		r.t.Fatalf("create = %v; want 201", a)
	}
	if a := r.operator("POST", "/sales/main/open", ""); a.Status != 200 || a.State != "open" {
		r.t.Fatalf("open = %v; want 200, open", a)
	}
}

// want checks status and problem type.
func want(t *testing.T, what string, a answer, status int, typ string) {
	t.Helper()
	if a.Status != status || a.Type != typ {
		t.Errorf("%s = %v; want %d %s", what, a, status, typ)
	}
}

// eventually asks until it holds; the bound is for a test that would hang.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
