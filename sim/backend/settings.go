package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// Unknown stands for a setting that the server does not tell.
const Unknown = "unknown"

// postgresSettings are read back by SHOW.
var postgresSettings = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_sync_method", "max_connections", "shared_buffers",
	"commit_delay", "max_wal_size", "checkpoint_timeout", "autovacuum", "ssl",
}

// redisSettings are read back by CONFIG GET, which a hosted server may refuse.
var redisSettings = []string{"appendonly", "appendfsync", "save", "maxmemory", "maxmemory-policy", "maxclients", "io-threads"}

// redisInfoOf is where INFO tells a setting that CONFIG GET did not.
var redisInfoOf = map[string]string{"appendonly": "aof_enabled", "maxmemory": "maxmemory", "maxmemory-policy": "maxmemory_policy", "maxclients": "maxclients"}

// durablePostgres survive a crash of the machine; the rest suits a run of a minute on a small machine.
func durablePostgres() map[string]string {
	return map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
		"shared_buffers": "128MB", "max_connections": "200", "timezone": "UTC", "lc_messages": "C",
	}
}

func durableRedis() map[string]string {
	return map[string]string{
		"appendonly": "yes", "appendfsync": "everysec", "save": `""`, "maxmemory-policy": "noeviction", "maxclients": "10000",
	}
}

// settings reads both servers.
func settings(ctx context.Context, kind Kind, addresses Addresses) (Servers, error) {
	postgres, err1 := readPostgres(ctx, addresses.PostgresURL)
	redis, err2 := readRedis(ctx, addresses.RedisURL)
	return Servers{Kind: kind, Postgres: postgres, Redis: redis}, errors.Join(err1, err2)
}

func readPostgres(ctx context.Context, url string) (map[string]string, error) {
	read := map[string]string{}
	err := withPostgres(ctx, url, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1)`,
			append([]string{"server_version"}, postgresSettings...))
		if err != nil {
			return err
		}
		var name, value string
		_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
			read[name] = value
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read postgres settings: %w", err)
	}
	for _, name := range postgresSettings {
		read[name] = cmp.Or(read[name], Unknown)
	}
	read["version"] = cmp.Or(read["server_version"], Unknown)
	delete(read, "server_version")
	return read, nil
}

func readRedis(ctx context.Context, url string) (map[string]string, error) {
	info, err := redisInfo(ctx, url)
	if err != nil {
		return nil, err
	}
	read := map[string]string{"version": redisVersion(info), "role": cmp.Or(info["role"], Unknown)}
	err = withRedis(ctx, url, func(rdb *redis.Client) error {
		for _, name := range redisSettings {
			got, err := rdb.ConfigGet(ctx, name).Result()
			if err != nil && !errors.As(err, new(redis.Error)) {
				return fmt.Errorf("read redis setting %q: %w", name, err)
			}
			read[name] = told(got, err, info, name)
		}
		return nil
	})
	return read, err
}

// told picks what CONFIG GET answered, else what INFO knows, else Unknown. An empty value is a value: save "" means no snapshots.
func told(got map[string]string, refused error, info map[string]string, name string) string {
	if value, ok := got[name]; ok && refused == nil {
		return value
	}
	value, ok := info[redisInfoOf[name]]
	switch {
	case !ok:
		return Unknown
	case name == "appendonly" && value == "1":
		return "yes"
	case name == "appendonly":
		return "no"
	}
	return value
}

func redisVersion(info map[string]string) string {
	if version := info["valkey_version"]; version != "" {
		return "valkey " + version
	}
	return cmp.Or(info["redis_version"], Unknown)
}
