package backend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"gatecrash/sim/journal"
)

// tryTimeout bounds one try of a probe: a paused server accepts connections and never answers.
const tryTimeout = time.Second

// pollEvery is the pause between two tries.
const pollEvery = 10 * time.Millisecond

// answer repeats the query until it succeeds, the context ends, or the process has exited.
func answer(ctx context.Context, exited <-chan struct{}, query func(context.Context) error) error {
	for {
		try, cancel := context.WithTimeout(ctx, tryTimeout)
		err := query(try)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-exited:
			return ErrExited
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(pollEvery):
		}
	}
}

func queryPostgres(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		return withPostgres(ctx, address, func(conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "SELECT 1")
			return err
		})
	}
}

func queryRedis(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		return withRedis(ctx, url, func(rdb *redis.Client) error { return rdb.Ping(ctx).Err() })
	}
}

// withPostgres opens one connection for the call.
func withPostgres(ctx context.Context, url string, use func(*pgx.Conn) error) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("parse postgres URL: %w", err)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "gatecrash-harness"
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to postgres: %w", err)
	}
	defer closeSoon(ctx, conn)
	return use(conn)
}

// closeSoon says goodbye for as long as ctx lasts; then the socket is closed without it.
func closeSoon(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 100*time.Millisecond)
	defer cancel()
	_ = conn.Close(ctx) // the socket is closed in any case, and there is nobody to tell
}

// withRedis makes a client of one connection, without hidden retries, for the call. The connection is made before the client: it
// would log a refused dial, which is no news while a server starts.
func withRedis(ctx context.Context, url string, use func(*redis.Client) error) error {
	opts, err := parseRedis(url)
	if err != nil {
		return err
	}
	conn, err := redis.NewDialer(opts)(ctx, opts.Network, opts.Addr)
	if err != nil {
		return fmt.Errorf("connect to redis: %w", err)
	}
	defer conn.Close()
	opts.Dialer = func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	opts.MaxRetries, opts.DialerRetries, opts.PoolSize = -1, 1, 1
	opts.ContextTimeoutEnabled = true
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	rdb := redis.NewClient(opts)
	return errors.Join(use(rdb), rdb.Close())
}

// parseRedis keeps the URL, which may hold a password, out of the error.
func parseRedis(text string) (*redis.Options, error) {
	opts, err := redis.ParseURL(text)
	var fault *url.Error
	if errors.As(err, &fault) {
		err = fault.Err
	}
	if err != nil {
		return nil, fmt.Errorf("parse redis URL: %w", err)
	}
	return opts, nil
}

// markSchema marks an empty schema as the run's.
func markSchema(ctx context.Context, addresses Addresses, runID string) error {
	return withPostgres(ctx, addresses.PostgresURL, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, commentOn(addresses.Schema, runID))
		if err != nil {
			return fmt.Errorf("mark schema %q: %w", addresses.Schema, err)
		}
		return nil
	})
}

func commentOn(schema, runID string) string {
	return `COMMENT ON SCHEMA ` + pgx.Identifier{schema}.Sanitize() + ` IS '` + journal.SchemaComment(runID) + `'`
}

// createSchema makes the empty schema of the run and marks it as the run's, both or neither.
func createSchema(ctx context.Context, addresses Addresses, runID string) error {
	return withPostgres(ctx, addresses.PostgresURL, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `CREATE SCHEMA `+pgx.Identifier{addresses.Schema}.Sanitize()+`; `+commentOn(addresses.Schema, runID))
		if err != nil {
			return fmt.Errorf("create schema %q: %w", addresses.Schema, err)
		}
		return nil
	})
}

// identity asks the server itself which incarnation it is.
func identity(ctx context.Context, addresses Addresses, name Name) (Identity, error) {
	var id Identity
	var err error
	switch name {
	case Postgres:
		id, err = postgresIdentity(ctx, addresses.PostgresURL)
	case Redis:
		id, err = redisIdentity(ctx, addresses.RedisURL)
	default:
		err = ErrUnknownServer
	}
	if err != nil {
		return Identity{}, fmt.Errorf("identify %s: %w", name, err)
	}
	return id, nil
}

func postgresIdentity(ctx context.Context, url string) (Identity, error) {
	var id Identity
	err := withPostgres(ctx, url, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT pg_postmaster_start_time()").Scan(&id.Started)
	})
	id.Started = id.Started.UTC()
	id.ID = id.Started.Format(time.RFC3339Nano)
	return id, err
}

func redisIdentity(ctx context.Context, url string) (Identity, error) {
	info, err := redisInfo(ctx, url)
	if err != nil {
		return Identity{}, err
	}
	if info["run_id"] == "" {
		return Identity{}, errors.New("INFO server holds no run_id")
	}
	id := Identity{ID: info["run_id"]}
	id.PID, _ = strconv.Atoi(info["process_id"]) // 0 says unknown
	now, err1 := strconv.ParseInt(info["server_time_usec"], 10, 64)
	up, err2 := strconv.ParseInt(info["uptime_in_seconds"], 10, 64)
	if err1 == nil && err2 == nil {
		id.Started = time.UnixMicro(now).Add(-time.Duration(up) * time.Second).UTC().Truncate(time.Second)
	}
	return id, nil
}

// redisInfo reads the fields of INFO.
func redisInfo(ctx context.Context, url string) (map[string]string, error) {
	info := map[string]string{}
	err := withRedis(ctx, url, func(rdb *redis.Client) error {
		text, err := rdb.Info(ctx).Result()
		if err != nil {
			return fmt.Errorf("read redis INFO: %w", err)
		}
		for line := range strings.Lines(text) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
				info[key] = value
			}
		}
		return nil
	})
	return info, err
}
