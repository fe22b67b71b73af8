package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed" // the scripts beside this file
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"gatecrash/system/booking"
	"gatecrash/system/limiter"
)

// ErrUnknown says that there is no such session: never opened, expired, or lost with Redis. The visitor may log in again.
var ErrUnknown = errors.New("session unknown")

// tokenLength is of 32 bytes in base64url.
const tokenLength = 43

//go:embed check.lua
var checkLua string

//go:embed open.lua
var openLua string

// Settings of a Store.
type Settings struct {
	Prefix string         // of every Redis key
	Limits limiter.Limits // of the whole system
	Life   time.Duration  // of a session, from the log-in
	Budget time.Duration  // the longest one call may take
}

// Store holds the sessions. Safe for concurrent use.
type Store struct {
	redis    redis.UniversalClient
	settings Settings
	check    *redis.Script
	open     *redis.Script
}

// New makes a store on a Redis client, which stays the caller's to close.
func New(client redis.UniversalClient, s Settings) *Store {
	return &Store{
		redis:    client,
		settings: s,
		check:    redis.NewScript(limiter.Lua + checkLua),
		open:     redis.NewScript(limiter.Lua + openLua),
	}
}

// Session is what a log-in gives.
type Session struct {
	Token   string
	Account string
	Life    time.Duration
}

// Open starts a session of an account that has proved itself, unless its address logs in too often: limiter.ErrLimited.
func (s *Store) Open(ctx context.Context, account, address string) (Session, error) {
	token := newToken()
	interval, tolerance := s.settings.Limits.Login.Micros()
	keys := []string{s.sessionKey(token), s.settings.Prefix + "rate:login:" + address}
	_, err := s.run(ctx, s.open, keys, account, s.settings.Life.Milliseconds(), interval, tolerance)
	if err != nil {
		return Session{}, fmt.Errorf("open session of %q: %w", account, err)
	}
	return Session{Token: token, Account: account, Life: s.settings.Life}, nil
}

// Check names the account of a session and counts the request for its account and address, in one round trip.
// ErrUnknown, limiter.ErrLimited, or booking.ErrDependency when Redis gave no answer in time.
func (s *Store) Check(ctx context.Context, token, address string) (account string, err error) {
	if len(token) != tokenLength {
		return "", ErrUnknown
	}
	accountEvery, accountAhead := s.settings.Limits.Account.Micros()
	addressEvery, addressAhead := s.settings.Limits.Address.Micros()
	keys := []string{s.sessionKey(token), s.settings.Prefix + "rate:address:" + address}
	account, err = s.run(ctx, s.check, keys, s.settings.Prefix+"rate:account:", accountEvery, accountAhead, addressEvery, addressAhead)
	if err != nil {
		return "", fmt.Errorf("check session: %w", err)
	}
	return account, nil
}

// Ping reports whether Redis answers within the budget.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.settings.Budget)
	defer cancel()
	if err := s.redis.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("ping session store: %w", err)
	}
	return nil
}

func (s *Store) run(ctx context.Context, script *redis.Script, keys []string, args ...any) (account string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.settings.Budget)
	defer cancel()
	reply, err := script.Run(ctx, s.redis, keys, args...).Slice()
	if err != nil {
		return "", fmt.Errorf("%w: %w", booking.ErrDependency, err)
	}
	return read(reply)
}

// read understands a script's answer. An answer it does not know lets nobody in.
func read(reply []any) (account string, err error) {
	text := func(i int) string {
		if i >= len(reply) {
			return ""
		}
		s, _ := reply[i].(string)
		return s
	}
	switch status := text(0); {
	case status == "ok" && text(1) != "":
		return text(1), nil
	case status == "unknown":
		return "", ErrUnknown
	case status == "limited" && len(reply) == 3:
		wait, _ := reply[2].(int64)
		return "", &booking.RetryError{Err: fmt.Errorf("%w: %s", limiter.ErrLimited, text(1)), After: time.Duration(wait) * time.Microsecond}
	}
	return "", fmt.Errorf("%w: session script answered %q", booking.ErrDependency, reply)
}

func (s *Store) sessionKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return s.settings.Prefix + "session:" + base64.RawURLEncoding.EncodeToString(sum[:])
}

func newToken() string {
	var b [32]byte
	rand.Read(b[:]) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}
