package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"gatecrash/system/booking"
	"gatecrash/system/gate"
)

func client(t *testing.T) *redis.Client {
	t.Helper()
	opt, err := redis.ParseURL(srv.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(opt)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestSurvivesScriptFlush(t *testing.T) {
	t.Parallel()
	g := open(t)
	setUp(t, g, 5, 0)
	for range 3 {
		if err := client(t).ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		reserve(t, g, "a", 1, "x", time.Hour)
		settle(t, g, "a", 1, 1)
	}
	wantView(t, g, 4, 0, 1, 0)
}

func TestBreakerFailsFastAndProbes(t *testing.T) {
	t.Parallel()
	g := open(t, func(c *gate.Config) {
		c.URL = "redis://127.0.0.1:1/0" // nothing listens there
		c.Breaker = gate.BreakerConfig{Failures: 2, Probe: time.Hour}
	})
	var errs []error
	for range 4 {
		_, err := g.Reserve(t.Context(), intent("a", 1), "x", time.Hour)
		errs = append(errs, err)
	}
	for i, err := range errs {
		if err == nil || errors.Is(err, gate.ErrOpen) != (i >= 2) {
			t.Errorf("call %d: got %v, want the breaker's error from the third on", i, err)
		}
	}
	if g.Healthy() {
		t.Error("healthy: got true, want false")
	}
}

func TestHonoursDeadline(t *testing.T) {
	t.Parallel()
	g := open(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := g.Reserve(ctx, intent("a", 1), "x", time.Hour); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("reserve past the deadline: got %v, want %v", err, context.DeadlineExceeded)
	}
}

// TestRefusesForeignKeys puts a wrong type where a sale's keys should be: the scripts must fail before they write.
func TestRefusesForeignKeys(t *testing.T) {
	t.Parallel()
	var prefix string
	g := open(t, func(c *gate.Config) { prefix = c.Prefix })
	setUp(t, g, 5, 0)
	if err := client(t).Set(t.Context(), prefix+"{s}:debits", "not a hash", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Reserve(t.Context(), intent("a", 1), "x", time.Hour); err == nil {
		t.Error("reserve: got no error, want one")
	}
	if err := g.Settle(t.Context(), intent("a", 1), 1); err == nil {
		t.Error("settle: got no error, want one")
	}
	if _, err := g.View(t.Context(), "s"); err == nil {
		t.Error("view: got no error, want one")
	}
	if got, err := client(t).HGet(t.Context(), prefix+"{s}:meta", "avail").Result(); err != nil || got != "5" {
		t.Errorf("avail after the failures: got %s, %v, want 5", got, err)
	}
}

// TestRepairRebuildsDue loses the index of deadlines, as an eviction may: the next repair finds it again.
func TestRepairRebuildsDue(t *testing.T) {
	t.Parallel()
	var prefix string
	g := open(t, func(c *gate.Config) { prefix = c.Prefix })
	setUp(t, g, 5, 0)
	reserve(t, g, "a", 1, "x", 0)
	if err := client(t).Del(t.Context(), prefix+"{s}:due").Err(); err != nil {
		t.Fatal(err)
	}
	if d, err := g.Expired(t.Context(), "s", 10); err != nil || len(d) != 0 {
		t.Fatalf("expired without the index: got %+v, %v, want none", d, err)
	}
	repair(t, g, 5, 0)
	if d, err := g.Expired(t.Context(), "s", 10); err != nil || len(d) != 1 {
		t.Errorf("expired after the repair: got %+v, %v, want one", d, err)
	}
}

// TestInitClearsLeftovers loses meta alone: the sale is missing, and what is left of it does not count in the next epoch.
func TestInitClearsLeftovers(t *testing.T) {
	t.Parallel()
	var prefix string
	g := open(t, func(c *gate.Config) { prefix = c.Prefix })
	setUp(t, g, 5, 0)
	reserve(t, g, "a", 1, "x", time.Hour)
	if err := client(t).Del(t.Context(), prefix+"{s}:meta").Err(); err != nil {
		t.Fatal(err)
	}
	wantReserve(t, g, "a", 1, "x", booking.Missing)
	refund(t, g, "a", "x")
	setUp(t, g, 4, 1)
	wantView(t, g, 4, 1, 1, 0)
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	if err := gate.DefaultConfig("redis://127.0.0.1:6379/0").Validate(); err != nil {
		t.Errorf("default: got %v, want valid", err)
	}
	err := gate.Config{URL: "secret@@nowhere", Prefix: strings.Repeat("p", 65)}.Validate()
	for _, want := range []string{"gate.url", "gate.prefix", "gate.conns", "gate.dial", "gate.timeout", "gate.breaker.failures", "gate.breaker.probe"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("validate: got %v, want %s reported", err, want)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("validate: got %v, want no part of the address", err)
	}
	if _, err := gate.Open(gate.Config{}); err == nil {
		t.Error("open with an empty config: got no error, want one")
	}
}
