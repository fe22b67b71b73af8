package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"gatecrash/sim/backend"
)

// admin is the harness's own way to the servers, past the system under test and past any proxy.
type admin struct {
	addresses backend.Addresses
	redis     *redis.Client
}

func openAdmin(a backend.Addresses) (*admin, error) {
	opt, err := redis.ParseURL(a.RedisURL)
	if err != nil {
		return nil, fmt.Errorf("parse the redis URL: %w", err)
	}
	opt.MaxRetries, opt.DialerRetries, opt.ContextTimeoutEnabled, opt.DialTimeout = -1, 1, true, time.Second
	return &admin{addresses: a, redis: redis.NewClient(opt)}, nil
}

func (a *admin) close() {
	if a != nil {
		a.redis.Close()
	}
}

// sql runs one statement on a connection of its own, so that a restarted server is met by a new session, and gives the first column of the first row.
func (a *admin) sql(ctx context.Context, statement string) (string, error) {
	cfg, err := pgx.ParseConfig(a.addresses.PostgresURL)
	if err != nil {
		return "", fmt.Errorf("parse the postgres URL: %w", err)
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	cfg.RuntimeParams["application_name"] = a.addresses.AppName + "-admin"
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, err := conn.Query(ctx, statement)
	if err != nil {
		return "", fmt.Errorf("%s: %w", statement, err)
	}
	defer rows.Close()
	first := ""
	if rows.Next() {
		if err := rows.Scan(&first); err != nil {
			return "", fmt.Errorf("%s: %w", statement, err)
		}
	}
	rows.Close()
	return first, rows.Err()
}

// Ping implements fault.Redis.
func (a *admin) Ping(ctx context.Context) error { return a.redis.Ping(ctx).Err() }

// scanPage is how many keys one SCAN step looks at.
const scanPage = 1000

// Keys implements fault.Redis.
func (a *admin) Keys(ctx context.Context) (n int64, err error) {
	err = a.each(ctx, func(keys []string) error {
		n += int64(len(keys))
		return nil
	})
	return n, err
}

// Flush implements fault.Redis. It touches keys of this run alone, so that it is right on a server of somebody else's too.
func (a *admin) Flush(ctx context.Context) error {
	return a.each(ctx, func(keys []string) error {
		if len(keys) == 0 {
			return nil
		}
		return a.redis.Unlink(ctx, keys...).Err()
	})
}

func (a *admin) each(ctx context.Context, page func(keys []string) error) error {
	for cursor := uint64(0); ; {
		keys, next, err := a.redis.Scan(ctx, cursor, a.addresses.Prefix+"*", scanPage).Result()
		if err != nil {
			return fmt.Errorf("scan keys of the run: %w", err)
		}
		if err := page(keys); err != nil {
			return err
		}
		if next == 0 {
			return nil
		}
		cursor = next
	}
}
