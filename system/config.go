package system

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"gatecrash/system/crashpoint"
	"gatecrash/system/ledger"
	"gatecrash/system/limiter"
)

// Config of one replica. Bounds marked "of the whole system" are shared out among the replicas.
type Config struct {
	Listen      string // host:port to serve on; port 0: a free one
	PostgresURL string // of the truth
	Schema      string // of the tables, created where missing
	Application string // application_name of every Postgres session
	GateURL     string // of the gate's Redis
	SessionURL  string // of the sessions' and limiter's Redis; may be the same server
	Prefix      string // of every Redis key

	Replicas int // how many there are; >= 1
	Number   int // which one this is; 1..Replicas

	Connections  int // Postgres sessions of the whole system, besides one of each replica's reconciler; >= Replicas
	SaleAtOnce   int // transactions of the whole system at once on one sale, at least one of each replica; the others wait in line in their replica
	GateConns    int // Redis connections of this replica to the gate
	SessionConns int // Redis connections of this replica to the sessions

	Timeouts    Timeouts
	Gate        Gate
	Limits      limiter.Limits // of the whole system
	SessionLife time.Duration  // from the log-in

	LoginKey    string // of the log-in proofs; at least 16 bytes
	OperatorKey string // of the operator's routes; empty: there are none, else at least 16 bytes

	CrashPoints    bool                // whether points may be armed at all
	Armed          []crashpoint.Arming // from the start; needs CrashPoints
	TrustedProxies []netip.Prefix      // whose X-Forwarded-For is believed

	LogLevel slog.Level
	Stderr   io.Writer // takes the log, one JSON object a line, and a crash point's last line; nil: nothing
}

// Timeouts of one replica. Invariant: Lock < Statement < Request.
type Timeouts struct {
	Request   time.Duration // of the work on one request in the ledger, independent of the client's connection
	Statement time.Duration // Postgres's statement_timeout
	Lock      time.Duration // Postgres's lock_timeout
	Session   time.Duration // of the session and limiter check; at most MaxSessionBudget
	Start     time.Duration // until Postgres must have answered
	Drain     time.Duration // for requests under way when the replica is told to end
}

// MaxSessionBudget bounds Timeouts.Session: a check that fails closed must fail fast.
const MaxSessionBudget = 250 * time.Millisecond

// Gate is how the gate is used. Invariant: Lease > Timeouts.Request + Timeouts.Statement.
type Gate struct {
	Enabled             bool          // false: every request goes to the ledger (the gate-off comparison)
	Lease               time.Duration // life of a debit that nobody settles or refunds
	ReconcileEvery      time.Duration // also what a visitor refused by the gate is told to wait
	FallbackConcurrency int           // requests in the ledger without the gate, of the whole system
	Budget              time.Duration // the longest one gate call may take
}

// Default is a Config that lacks only the addresses of the servers and the keys.
func Default() Config {
	return Config{
		Listen:       "127.0.0.1:8080",
		Schema:       "gatecrash",
		Application:  "gatecrash",
		Prefix:       "gatecrash:",
		Replicas:     1,
		Number:       1,
		Connections:  32,
		SaleAtOnce:   4,
		GateConns:    32,
		SessionConns: 32,
		Timeouts: Timeouts{
			Request:   2 * time.Second,
			Statement: time.Second,
			Lock:      500 * time.Millisecond,
			Session:   MaxSessionBudget,
			Start:     15 * time.Second,
			Drain:     5 * time.Second,
		},
		Gate: Gate{Enabled: true, Lease: 5 * time.Second, ReconcileEvery: 500 * time.Millisecond, FallbackConcurrency: 32, Budget: 100 * time.Millisecond},
		Limits: limiter.Limits{
			Account: limiter.Rate{PerSec: 20, Burst: 40},
			Address: limiter.Rate{PerSec: 200, Burst: 400},
			Login:   limiter.Rate{PerSec: 200, Burst: 400},
		},
		SessionLife: 2 * time.Hour,
	}
}

// truth is the ledger's part of the settings, without the bounds that Validate judges itself.
func (c Config) truth() ledger.Config {
	l := ledger.DefaultConfig(c.PostgresURL)
	l.Schema, l.Application = c.Schema, c.Application
	return l
}

// answerWithin is the longest that one answer may take.
func (c Config) answerWithin() time.Duration {
	return c.Timeouts.Session + 2*c.Gate.Budget + c.Timeouts.Request
}

// faults collects what is wrong with settings.
type faults []error

func (f *faults) want(ok bool, field string, got any, rule string) {
	if !ok {
		*f = append(*f, fmt.Errorf("%s: got %v, want %s", field, got, rule))
	}
}

// Validate reports every fault at once. It changes nothing and connects to nothing. What is secret is not repeated.
func (c Config) Validate() error {
	var f faults
	c.validateAddresses(&f)
	c.validateBounds(&f)
	c.validateTimeouts(&f)
	c.validateKeys(&f)
	if err := c.Limits.Validate(); err != nil {
		f = append(f, err)
	}
	return errors.Join(f...)
}

func (c Config) validateAddresses(f *faults) {
	_, port, err := net.SplitHostPort(c.Listen)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	f.want(err == nil, "listen", strconv.Quote(c.Listen), "HOST:PORT, for example 127.0.0.1:8080")
	if err := c.truth().Validate(); err != nil {
		*f = append(*f, err)
	}
	// The URLs may hold passwords, and the parser's messages repeat parts of them.
	for name, url := range map[string]string{"gate_url": c.GateURL, "session_url": c.SessionURL} {
		_, err := redis.ParseURL(url)
		f.want(err == nil, name, "one that does not parse", "a Redis address, for example redis://127.0.0.1:6379/0")
	}
	f.want(len(c.Prefix) <= 64, "prefix", strconv.Quote(c.Prefix), "at most 64 characters, for example gatecrash:")
}

func (c Config) validateBounds(f *faults) {
	f.want(c.Replicas >= 1 && c.Replicas <= 1000, "replicas", c.Replicas, "1 to 1000")
	f.want(c.Number >= 1 && c.Number <= max(1, c.Replicas), "number", c.Number, fmt.Sprintf("1 to %d, the number of replicas", c.Replicas))
	f.want(c.Connections >= c.Replicas && c.Connections <= 10_000, "connections", c.Connections, "at least one for each replica, at most 10000, for example 32")
	f.want(c.SaleAtOnce >= 1 && c.SaleAtOnce <= 1000, "sale_at_once", c.SaleAtOnce, "1 to 1000, for example 4")
	f.want(c.GateConns >= 1 && c.GateConns <= 10_000, "gate_conns", c.GateConns, "1 to 10000, for example 32")
	f.want(c.SessionConns >= 1 && c.SessionConns <= 10_000, "session_conns", c.SessionConns, "1 to 10000, for example 32")
	f.want(c.Gate.FallbackConcurrency >= 0 && c.Gate.FallbackConcurrency <= 10_000, "gate.fallback_concurrency", c.Gate.FallbackConcurrency, "0 (no fallback) to 10000, for example 32")
}

func (c Config) validateTimeouts(f *faults) {
	t := c.Timeouts
	f.want(t.Lock >= time.Millisecond && t.Lock < t.Statement, "timeouts.lock", t.Lock, fmt.Sprintf("at least 1ms and less than statement (%v), for example 500ms", t.Statement))
	f.want(t.Statement >= time.Millisecond && t.Statement < t.Request, "timeouts.statement", t.Statement, fmt.Sprintf("at least 1ms and less than request (%v), for example 1s", t.Request))
	f.want(t.Request > 0 && t.Request <= time.Minute, "timeouts.request", t.Request, "more than 0 and at most 1m, for example 2s")
	f.want(t.Session > 0 && t.Session <= MaxSessionBudget, "timeouts.session", t.Session, fmt.Sprintf("more than 0 and at most %v", MaxSessionBudget))
	f.want(t.Start > 0, "timeouts.start", t.Start, "more than 0, for example 15s")
	f.want(t.Drain > 0, "timeouts.drain", t.Drain, "more than 0, for example 5s")
	f.want(c.Gate.Lease > t.Request+t.Statement, "gate.lease", c.Gate.Lease, fmt.Sprintf("more than request and statement together (%v), for example 5s", t.Request+t.Statement))
	f.want(c.Gate.ReconcileEvery > 0, "gate.reconcile_every", c.Gate.ReconcileEvery, "more than 0, for example 500ms")
	f.want(c.Gate.Budget > 0 && c.Gate.Budget <= t.Request, "gate.budget", c.Gate.Budget, fmt.Sprintf("more than 0 and at most request (%v), for example 100ms", t.Request))
	f.want(c.SessionLife >= time.Second, "session_life", c.SessionLife, "at least 1s, for example 2h")
}

func (c Config) validateKeys(f *faults) {
	f.want(len(c.LoginKey) >= minKey, "login_key", fmt.Sprintf("%d bytes", len(c.LoginKey)), fmt.Sprintf("at least %d", minKey))
	f.want(c.OperatorKey == "" || len(c.OperatorKey) >= minKey, "operator_key", fmt.Sprintf("%d bytes", len(c.OperatorKey)), fmt.Sprintf("none, or at least %d", minKey))
	f.want(c.LoginKey == "" || c.LoginKey != c.OperatorKey, "operator_key", "the log-in key", "another one")
	f.want(len(c.Armed) == 0 || c.CrashPoints, "armed", len(c.Armed), "no crash points armed while they are switched off")
}

// minKey is the least length of a key, in bytes.
const minKey = 16
