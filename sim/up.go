package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"

	"gatecrash/sim/backend"
	"gatecrash/sim/fault"
	"gatecrash/sim/result"
)

// notRun are the backend's errors after which the caller's request was wrong, not the environment broken.
var notRun = []error{
	backend.ErrBadOptions, backend.ErrMissingBinary, backend.ErrMissingImage, backend.ErrNoEngine, backend.ErrNoBackend,
	backend.ErrOffLoopback, backend.ErrSchemaNotEmpty, backend.ErrKeysNotEmpty, backend.ErrNoUser,
}

// serversUp starts or reaches Postgres and Redis.
func (r *run) serversUp(ctx context.Context) error {
	o := r.o.Backend
	o.RunID, o.Journal, o.LogDir = r.id, r.journal, r.dir.Join(result.DirLogs)
	o.PostgresSettings = maps.Clone(o.PostgresSettings)
	if extra := r.o.Scenario.System.Postgres; len(extra) > 0 {
		if o.PostgresSettings == nil {
			o.PostgresSettings = map[string]string{}
		}
		maps.Copy(o.PostgresSettings, extra)
	}
	b, err := backend.Open(ctx, o)
	if err != nil {
		for _, n := range notRun {
			if errors.Is(err, n) {
				return errors.Join(ErrNothingRun, err)
			}
		}
		return err
	}
	r.servers = b
	if err := fault.Refuse(b, r.o.Scenario.Faults); err != nil {
		return errors.Join(ErrNothingRun, err)
	}
	r.admin, err = openAdmin(b.Addresses())
	if err != nil {
		return err
	}
	return r.readBack(ctx)
}

// readBack stores the settings of the live servers.
func (r *run) readBack(ctx context.Context) error {
	s, err := r.servers.Settings(ctx)
	if err != nil {
		return fmt.Errorf("read back the servers' settings: %w", err)
	}
	r.meta.Backend, r.meta.Postgres, r.meta.Redis = string(s.Kind), s.Postgres, s.Redis
	return result.WriteRun(r.dir, &r.meta)
}

// systemUp starts the system under test.
func (r *run) systemUp(ctx context.Context) error {
	gateURL, err := r.gateURL(ctx)
	if err != nil {
		return err
	}
	r.system, err = r.o.System(ctx, Setup{
		RunID: r.id, Scenario: r.o.Scenario, Addresses: r.servers.Addresses(), GateURL: gateURL,
		LogDir: r.dir.Join(result.DirLogs), Journal: r.journal, Replicas: r.o.Scenario.System.Replicas,
	})
	if err != nil {
		return fmt.Errorf("start the system under test: %w", err)
	}
	return nil
}

// gateURL is where the system finds the gate's Redis: behind a proxy when a fault cuts it off.
func (r *run) gateURL(ctx context.Context) (string, error) {
	redisURL := r.servers.Addresses().RedisURL
	if !fault.NeedsProxy(r.o.Scenario.Faults) {
		return redisURL, nil
	}
	u, err := url.Parse(redisURL)
	if err != nil {
		return "", fmt.Errorf("parse the redis URL: %w", err)
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), "6379")
	}
	if r.proxy, err = fault.NewProxy(ctx, u.Host); err != nil {
		return "", err
	}
	u.Host = r.proxy.Addr()
	return u.String(), nil
}
