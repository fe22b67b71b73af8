package session

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"gatecrash/system/booking"
	"gatecrash/system/internal/servers"
	"gatecrash/system/limiter"
)

var srv = servers.New()

func TestMain(m *testing.M) { os.Exit(srv.Main(m)) }

// slow is a rate whose bucket does not refill while a test runs.
func slow(burst int) limiter.Rate { return limiter.Rate{PerSec: 0.001, Burst: burst} }

func client(t *testing.T) *redis.Client {
	t.Helper()
	opt, err := redis.ParseURL(srv.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	opt.MaxRetries, opt.ContextTimeoutEnabled = -1, true
	c := redis.NewClient(opt)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func newStore(t *testing.T, limits limiter.Limits) (*Store, *redis.Client) {
	t.Helper()
	c := client(t)
	return New(c, Settings{Prefix: srv.Prefix(t), Limits: limits, Life: time.Hour, Budget: 10 * time.Second}), c
}

// login opens a session or ends the test.
func login(t *testing.T, s *Store, account string) string {
	t.Helper()
	got, err := s.Open(t.Context(), account, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	return got.Token
}

func TestSession(t *testing.T) {
	t.Parallel()
	s, c := newStore(t, limiter.Limits{})
	token := login(t, s, "ann")
	if account, err := s.Check(t.Context(), token, "192.0.2.1"); err != nil || account != "ann" {
		t.Errorf("Check(a session of ann) = %q, %v; want ann", account, err)
	}
	for _, bad := range []string{"", "x", newToken(), token[:42], token + "A", strings.ToUpper(token)} {
		if account, err := s.Check(t.Context(), bad, "192.0.2.1"); !errors.Is(err, ErrUnknown) {
			t.Errorf("Check(%q) = %q, %v; want session unknown", bad, account, err)
		}
	}
	keys, err := c.Keys(t.Context(), s.settings.Prefix+"*").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("keys %q, %v; want the session alone", keys, err)
	}
	if strings.Contains(keys[0], token) {
		t.Errorf("key %q shows the token", keys[0])
	}
	if left := c.PTTL(t.Context(), keys[0]).Val(); left <= 0 || left > time.Hour {
		t.Errorf("session ends in %v; want at most an hour", left)
	}
	if err := c.Del(t.Context(), keys[0]).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(t.Context(), token, "192.0.2.1"); !errors.Is(err, ErrUnknown) {
		t.Errorf("Check after Redis lost the session = %v; want session unknown", err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	t.Run("account", func(t *testing.T) {
		s, _ := newStore(t, limiter.Limits{Account: slow(3), Address: slow(100)})
		ann, again, bob := login(t, s, "ann"), login(t, s, "ann"), login(t, s, "bob")
		passes(t, s, ann, "192.0.2.1", 2)
		passes(t, s, again, "192.0.2.2", 1) // another session and address of the same account
		limited(t, s, ann, "192.0.2.3", "account")
		passes(t, s, bob, "192.0.2.1", 3)
	})
	t.Run("address", func(t *testing.T) {
		s, _ := newStore(t, limiter.Limits{Account: slow(100), Address: slow(3)})
		ann, bob := login(t, s, "ann"), login(t, s, "bob")
		passes(t, s, ann, "192.0.2.1", 2)
		passes(t, s, bob, "192.0.2.1", 1)
		limited(t, s, ann, "192.0.2.1", "address")
		passes(t, s, ann, "192.0.2.2", 1)
	})
	t.Run("a refused account leaves its neighbours their allowance", func(t *testing.T) {
		s, _ := newStore(t, limiter.Limits{Account: slow(1), Address: slow(3)})
		ann, bob, cid := login(t, s, "ann"), login(t, s, "bob"), login(t, s, "cid")
		passes(t, s, ann, "192.0.2.1", 1)
		for range 10 {
			limited(t, s, ann, "192.0.2.1", "account")
		}
		passes(t, s, bob, "192.0.2.1", 1)
		passes(t, s, cid, "192.0.2.1", 1)
	})
	t.Run("guessing tokens costs the address", func(t *testing.T) {
		s, _ := newStore(t, limiter.Limits{Address: slow(2)})
		ann := login(t, s, "ann")
		for range 2 {
			if _, err := s.Check(t.Context(), newToken(), "192.0.2.1"); !errors.Is(err, ErrUnknown) {
				t.Fatalf("Check(a guess) = %v; want session unknown", err)
			}
		}
		limited(t, s, ann, "192.0.2.1", "address")
	})
	t.Run("log-ins", func(t *testing.T) {
		s, _ := newStore(t, limiter.Limits{Login: slow(2)})
		login(t, s, "ann")
		login(t, s, "bob")
		if _, err := s.Open(t.Context(), "cid", "192.0.2.1"); !errors.Is(err, limiter.ErrLimited) {
			t.Errorf("third log-in of a burst of 2 = %v; want limited", err)
		}
		if _, err := s.Open(t.Context(), "cid", "192.0.2.2"); err != nil {
			t.Errorf("log-in from another address = %v; want nil", err)
		}
	})
}

func passes(t *testing.T, s *Store, token, address string, n int) {
	t.Helper()
	for range n {
		if _, err := s.Check(t.Context(), token, address); err != nil {
			t.Fatalf("Check = %v; want it to pass", err)
		}
	}
}

func limited(t *testing.T, s *Store, token, address, which string) {
	t.Helper()
	_, err := s.Check(t.Context(), token, address)
	var retry *booking.RetryError
	if !errors.Is(err, limiter.ErrLimited) || !errors.As(err, &retry) || retry.After <= 0 || !strings.Contains(err.Error(), which) {
		t.Errorf("Check = %v; want limited by the %s, with a time to wait", err, which)
	}
}

// TestLuaIsTake runs the Lua against limiter.Rate.Take with a clock of the test's own.
func TestLuaIsTake(t *testing.T) {
	t.Parallel()
	c, prefix := client(t), srv.Prefix(t)
	script := redis.NewScript(limiter.Lua + `
local now = tonumber(ARGV[3])
local wait, after = gcra(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), now)
if wait > 0 then return {tostring(wait), redis.call('GET', KEYS[1]) or '0'} end
if after then redis.call('SET', KEYS[1], string.format('%.0f', after)) end
return {'0', redis.call('GET', KEYS[1]) or '0'}`)
	var cases atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		r := limiter.Rate{PerSec: float64(rapid.IntRange(0, 500).Draw(rt, "rate")) / 4, Burst: rapid.IntRange(1, 20).Draw(rt, "burst")}
		interval, tolerance := r.Micros()
		key := prefix + strconv.FormatInt(cases.Add(1), 10)
		now, tat := int64(1_800_000_000_000_000), int64(0)
		for _, gap := range rapid.SliceOfN(rapid.Int64Range(-interval, 3*interval+1), 1, 20).Draw(rt, "gaps") {
			now += gap
			next, wait := r.Take(tat, now)
			got, err := script.Run(context.Background(), c, []string{key}, interval, tolerance, now).StringSlice()
			if err != nil {
				rt.Fatal(err)
			}
			if want := strconv.FormatInt(wait.Microseconds(), 10); got[0] != want || got[1] != strconv.FormatInt(next, 10) {
				rt.Fatalf("rate %v, bucket %d, now %d: Lua says wait %s, bucket %s; Take says wait %s, bucket %d", r, tat, now, got[0], got[1], want, next)
			}
			tat = next
		}
	})
}

func TestCheckIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	s, c := newStore(t, limiter.Limits{Account: slow(100), Address: slow(100)})
	token := login(t, s, "ann")
	passes(t, s, token, "192.0.2.1", 1) // loads the script
	var commands atomic.Int64
	c.AddHook(counter{&commands})
	passes(t, s, token, "192.0.2.1", 5)
	if n := commands.Load(); n != 5 {
		t.Errorf("5 checks sent %d commands; want 5", n)
	}
}

// counter counts commands sent.
type counter struct{ n *atomic.Int64 }

func (c counter) DialHook(next redis.DialHook) redis.DialHook { return next }
func (c counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}
func (c counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// TestFailsClosed: whatever Redis does, nobody is let through, and every call has a deadline of its own.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused.Close()
	for name, addr := range map[string]string{"silent": silent.Addr().String(), "refused": refused.Addr().String()} {
		c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true})
		defer c.Close()
		c.AddHook(deadline{t, 50 * time.Millisecond})
		s := New(c, Settings{Prefix: "p:", Life: time.Hour, Budget: 50 * time.Millisecond})
		if account, err := s.Check(t.Context(), newToken(), "192.0.2.1"); !errors.Is(err, booking.ErrDependency) || account != "" {
			t.Errorf("%s: Check = %q, %v; want nobody and dependency down", name, account, err)
		}
		if got, err := s.Open(t.Context(), "ann", "192.0.2.1"); !errors.Is(err, booking.ErrDependency) || got.Token != "" {
			t.Errorf("%s: Open = %v, %v; want no session and dependency down", name, got, err)
		}
	}
}

// deadline fails the test for a command without a deadline, or with one later than most from now.
type deadline struct {
	t    *testing.T
	most time.Duration
}

func (d deadline) DialHook(next redis.DialHook) redis.DialHook { return next }
func (d deadline) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if at, ok := ctx.Deadline(); !ok || time.Until(at) > d.most {
			d.t.Errorf("%s has deadline %v, %v; want one within %v", cmd.Name(), at, ok, d.most)
		}
		return next(ctx, cmd)
	}
}
func (d deadline) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func TestReadLetsNobodyInByMistake(t *testing.T) {
	for _, reply := range [][]any{nil, {}, {"ok"}, {"ok", ""}, {"ok", int64(1)}, {int64(1)}, {"OK", "ann"}, {"limited"}, {"limited", "account"}} {
		if account, err := read(reply); err == nil || account != "" {
			t.Errorf("read(%q) = %q, %v; want nobody and an error", reply, account, err)
		}
	}
}
