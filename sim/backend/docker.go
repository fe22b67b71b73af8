package backend

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"

	"github.com/testcontainers/testcontainers-go"

	"gatecrash/sim/journal"
)

// openDocker starts both servers as containers.
func openDocker(ctx context.Context, o Options) (*managed, error) {
	eng, err := openEngine(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := chooseImages(ctx, eng.api)
	if err != nil {
		return nil, errors.Join(err, eng.api.Close())
	}
	m, err := startContainers(ctx, o, eng, chosen)
	if err != nil {
		return nil, errors.Join(err, eng.api.Close())
	}
	return m, nil
}

func startContainers(ctx context.Context, o Options, eng *engine, chosen images) (*managed, error) {
	if o.LogDir != "" {
		if err := os.MkdirAll(o.LogDir, 0o755); err != nil {
			return nil, fmt.Errorf("create folder of logs: %w", err)
		}
	}
	label := runLabel + "=" + o.RunID
	mark, err := o.Journal.Containers(label)
	if err != nil {
		return nil, err
	}
	m := newManaged(Docker, o.names(), nil, nil)
	m.servers[Postgres].runner = postgresContainer(o, eng, chosen.postgres, &m.addresses)
	m.servers[Redis].runner = redisContainer(o, eng, chosen.redis, &m.addresses)
	m.cleanup = func(ctx context.Context) error {
		// A creation that was cut off may have gone on in the engine without telling its id.
		if err := journal.RemoveContainers(ctx, label); err != nil {
			return err
		}
		return errors.Join(o.Journal.Done(mark), eng.api.Close())
	}
	if err := m.open(ctx); err != nil {
		return nil, errors.Join(err, m.Close(ctx))
	}
	if o.Keep {
		m.keep = o.Journal.Keep
	}
	return m, nil
}

// postgresContainer sets everything durable on the command line, which wins over what an image has in its files.
func postgresContainer(o Options, eng *engine, image string, addresses *Addresses) *containerServer {
	password := rand.Text()
	set := durablePostgres()
	maps.Copy(set, o.PostgresSettings)
	command := []string{"postgres"}
	for _, key := range sortedKeys(set) {
		command = append(command, "-c", key+"="+set[key])
	}
	return &containerServer{
		name: Postgres, engine: eng, options: o, inside: "5432/tcp", signal: "SIGINT", // fast shutdown
		request: testcontainers.ContainerRequest{
			Image: image, Cmd: command,
			Env: map[string]string{
				"POSTGRES_USER": "gatecrash", "POSTGRES_PASSWORD": password, "POSTGRES_DB": "postgres",
				"POSTGRES_INITDB_ARGS": "--no-sync",
			},
		},
		addressed: func(port int) {
			addresses.PostgresURL = fmt.Sprintf("postgres://gatecrash:%s@127.0.0.1:%d/postgres?sslmode=disable", password, port)
		},
		query:    func(ctx context.Context) error { return queryPostgres(addresses.PostgresURL)(ctx) },
		prepared: func(ctx context.Context) error { return createSchema(ctx, *addresses, o.RunID) },
	}
}

// redisContainer gives the settings in a file: on the command line the password could be read by all users of the machine.
func redisContainer(o Options, eng *engine, image string, addresses *Addresses) *containerServer {
	const conf = "/etc/gatecrash-redis.conf"
	password := rand.Text()
	set := durableRedis()
	maps.Copy(set, map[string]string{"bind": "0.0.0.0", "port": "6379", "requirepass": password, "dir": "/data"})
	maps.Copy(set, o.RedisSettings)
	return &containerServer{
		name: Redis, engine: eng, options: o, inside: "6379/tcp", signal: "SIGTERM",
		request:   testcontainers.ContainerRequest{Image: image, Cmd: []string{"redis-server", conf}},
		files:     map[string]string{conf: redisConf(set)},
		addressed: func(port int) { addresses.RedisURL = fmt.Sprintf("redis://:%s@127.0.0.1:%d/0", password, port) },
		query:     func(ctx context.Context) error { return queryRedis(addresses.RedisURL)(ctx) },
		prepared:  func(context.Context) error { return nil },
	}
}
