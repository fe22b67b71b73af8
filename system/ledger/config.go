package ledger

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Config of a Ledger.
type Config struct {
	URL         string        // of the database, as pgx reads it
	Schema      string        // the tables' schema; lower-case letters, digits and underscores
	Application string        // application_name of every session, by which a fence counts them
	MaxConns    int           // sessions of this process, opened at the start and kept; > 0
	AtOnce      int           // transactions of this process at once on one sale; the others wait in line here; > 0
	Acquire     time.Duration // the longest wait for a free session
	Connect     time.Duration // the longest one attempt to connect may take
	Lock        time.Duration // lock_timeout, and the longest wait for one's turn on a sale; < Statement
	Statement   time.Duration // statement_timeout; < the deadline of a request
	IdleInTx    time.Duration // idle_in_transaction_session_timeout: until a stuck holder of the row lock is thrown out

	// LockWait is told, for each row lock gained, how long that took from asking: the wait for one's turn, the round trip and the reads behind
	// the lock included.
	// It must not block. nil: nobody looks.
	LockWait func(time.Duration)
}

// DefaultConfig is a Config for the database at url.
func DefaultConfig(url string) Config {
	return Config{
		URL:         url,
		Schema:      "gatecrash",
		Application: "gatecrash",
		MaxConns:    16,
		AtOnce:      4,
		Acquire:     500 * time.Millisecond,
		Connect:     2 * time.Second,
		Lock:        500 * time.Millisecond,
		Statement:   time.Second,
		IdleInTx:    time.Second,
	}
}

var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// Validate reports every fault of the settings at once. It changes nothing and connects to nothing.
func (c Config) Validate() error {
	var faults []error
	want := func(ok bool, field string, got any, rule string) {
		if !ok {
			faults = append(faults, fmt.Errorf("ledger.%s: got %v, want %s", field, got, rule))
		}
	}
	if _, err := pgxpool.ParseConfig(c.URL); err != nil || c.URL == "" {
		// The URL may hold a password, and the parser's message repeats parts of it.
		faults = append(faults, errors.New("ledger.url: not a database address, want for example postgres://user@127.0.0.1:5432/database"))
	}
	want(schemaName.MatchString(c.Schema), "schema", strconv.Quote(c.Schema), "lower-case letters, digits and underscores, for example gatecrash")
	want(c.Application != "" && len(c.Application) < 64, "application", strconv.Quote(c.Application), "1 to 63 characters, for example gatecrash")
	want(c.MaxConns > 0 && c.MaxConns <= 1000, "max_conns", c.MaxConns, "1 to 1000, for example 16")
	want(c.AtOnce > 0 && c.AtOnce <= 1000, "at_once", c.AtOnce, "1 to 1000, for example 4")
	want(c.Acquire > 0, "acquire", c.Acquire, "> 0, for example 500ms")
	want(c.Connect > 0, "connect", c.Connect, "> 0, for example 2s")
	want(c.Lock >= time.Millisecond && c.Lock < c.Statement, "lock", c.Lock, fmt.Sprintf("1ms or more and less than statement (%v), for example 500ms", c.Statement))
	want(c.Statement >= time.Millisecond, "statement", c.Statement, "1ms or more, for example 1s")
	want(c.IdleInTx >= time.Millisecond, "idle_in_tx", c.IdleInTx, "1ms or more, for example 1s")
	return errors.Join(faults...)
}

// pool gives the pool's settings.
//
// Plans are generic and use indexes only: every statement here is a look-up by key, and a plan made while the tables were still empty would
// otherwise read them whole until the next analyze.
func (c Config) pool() (*pgxpool.Config, error) {
	p, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		return nil, err
	}
	p.MaxConns, p.MinConns = int32(c.MaxConns), int32(c.MaxConns)
	p.ConnConfig.ConnectTimeout = c.Connect
	for name, value := range map[string]string{
		"search_path":                         c.Schema,
		"application_name":                    c.Application,
		"lock_timeout":                        milliseconds(c.Lock),
		"statement_timeout":                   milliseconds(c.Statement),
		"idle_in_transaction_session_timeout": milliseconds(c.IdleInTx),
		"plan_cache_mode":                     "force_generic_plan",
		"enable_seqscan":                      "off",
		"enable_bitmapscan":                   "off",
		"jit":                                 "off",
	} {
		p.ConnConfig.RuntimeParams[name] = value
	}
	return p, nil
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
