package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"gatecrash/system/booking"
)

var _ booking.Gate = (*Gate)(nil)

// Gate is a booking.Gate on Redis. Safe for concurrent use.
type Gate struct {
	cfg     Config
	client  *redis.Client
	scripts scripts

	mu      sync.Mutex
	breaker breaker
}

// Open makes a gate. It connects in the background and so succeeds without Redis: the gate is advisory, and the breaker says when it is there.
func Open(cfg Config) (*Gate, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	opt, err := cfg.options()
	if err != nil {
		return nil, err
	}
	return &Gate{cfg: cfg, client: redis.NewClient(opt), scripts: newScripts()}, nil
}

// Close ends all connections.
func (g *Gate) Close() error { return g.client.Close() }

// Healthy says whether calls are made at all, that is, whether the breaker is closed.
func (g *Gate) Healthy() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.breaker.failed < g.cfg.Breaker.Failures
}

// guarded runs a script of a request's path through the breaker and gives the word it answers.
func (g *Gate) guarded(ctx context.Context, s script, sale string, keys []string, args ...any) (string, error) {
	if !g.allow() {
		return "", fmt.Errorf("%s in sale %q: %w", s.name, sale, ErrOpen)
	}
	w, err := g.call(ctx, s, sale, keys, args...)
	if !errors.Is(err, context.Canceled) { // that says nothing about the gate
		g.done(err == nil)
	}
	return w, err
}

// call runs a script and gives the word it answers.
func (g *Gate) call(ctx context.Context, s script, sale string, keys []string, args ...any) (string, error) {
	reply, err := s.run(ctx, g.client, keys, args...)
	if err != nil {
		return "", fmt.Errorf("%s in sale %q: %w", s.name, sale, err)
	}
	return word(reply)
}

func (g *Gate) allow() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.breaker.allow(g.cfg.Breaker, time.Now())
}

func (g *Gate) done(ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.breaker.done(g.cfg.Breaker, time.Now(), ok)
}

// Incarnation is the server's run id and role.
func (g *Gate) Incarnation(ctx context.Context) (string, error) {
	pipe := g.client.Pipeline()
	server, replication := pipe.Info(ctx, "server"), pipe.Info(ctx, "replication")
	if _, err := pipe.Exec(ctx); err != nil {
		return "", fmt.Errorf("incarnation of the gate: %w", err)
	}
	id, role := infoField(server.Val(), "run_id"), infoField(replication.Val(), "role")
	if id == "" || role == "" {
		return "", fmt.Errorf("incarnation of the gate: INFO names run_id %q and role %q", id, role)
	}
	return id + " " + role, nil
}

func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
