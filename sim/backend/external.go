package backend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"gatecrash/sim/journal"
)

// reachTimeout bounds how long Open waits for given servers to answer.
const reachTimeout = 10 * time.Second

// external is a schema and a key prefix on servers somebody else runs.
type external struct {
	options    Options
	addresses  Addresses
	schemaMark journal.Mark
	keysMark   journal.Mark
	ourSchema  bool // claimed, to be dropped
	ourKeys    bool // claimed, to be dropped
	closed     sync.Once
	result     error
}

var _ Backend = (*external)(nil)

// openExternal reaches the given servers and claims a schema and a key prefix on them.
func openExternal(ctx context.Context, o Options) (*external, error) {
	if err := mayUse(ctx, o); err != nil {
		return nil, err
	}
	e := &external{options: o, addresses: o.names()}
	e.addresses.PostgresURL, e.addresses.RedisURL = o.PostgresURL, o.RedisURL
	if err := e.reach(ctx); err != nil {
		return nil, err
	}
	err := e.claimSchema(ctx)
	if err == nil {
		err = e.claimKeys(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, e.release(context.WithoutCancel(ctx)))
	}
	return e, nil
}

// mayUse checks the URLs and where they lead, without a connection.
func mayUse(ctx context.Context, o Options) error {
	if !strings.HasPrefix(o.PostgresURL, "postgres://") && !strings.HasPrefix(o.PostgresURL, "postgresql://") {
		return fmt.Errorf("postgres: want a URL that starts with postgres://: %w", ErrBadOptions)
	}
	postgres, err := pgx.ParseConfig(o.PostgresURL)
	if err != nil {
		return fmt.Errorf("postgres: %w: %w", err, ErrBadOptions) // the library masks the password
	}
	rdb, err := parseRedis(o.RedisURL)
	if err != nil {
		return fmt.Errorf("redis: %w: %w", err, ErrBadOptions)
	}
	if o.OwnTarget {
		return nil
	}
	hosts := []string{postgres.Host, redisHost(rdb)}
	for _, other := range postgres.Fallbacks {
		hosts = append(hosts, other.Host)
	}
	for _, host := range hosts {
		if err := isLoopback(ctx, host); err != nil {
			return err
		}
	}
	return nil
}

func redisHost(o *redis.Options) string {
	if o.Network == "unix" {
		return o.Addr
	}
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return o.Addr
	}
	return host
}

func (e *external) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, reachTimeout, ErrNotReady)
	defer cancel()
	if err := answer(ctx, nil, queryPostgres(e.addresses.PostgresURL)); err != nil {
		return fmt.Errorf("reach postgres: %w", err)
	}
	if err := answer(ctx, nil, queryRedis(e.addresses.RedisURL)); err != nil {
		return fmt.Errorf("reach redis: %w", err)
	}
	return nil
}

// claimSchema refuses a schema that holds anything, then records, creates and marks it. One that is there and empty is taken over.
func (e *external) claimSchema(ctx context.Context) error {
	there, err := e.schemaThere(ctx)
	if err != nil {
		return err
	}
	e.schemaMark, err = e.options.Journal.Schema(e.addresses.PostgresURL, e.addresses.Schema)
	if err != nil {
		return err
	}
	e.ourSchema = true
	if there {
		return markSchema(ctx, e.addresses, e.options.RunID)
	}
	return createSchema(ctx, e.addresses, e.options.RunID)
}

func (e *external) schemaThere(ctx context.Context) (bool, error) {
	var schemas, objects int
	err := withPostgres(ctx, e.addresses.PostgresURL, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT count(*), coalesce(sum(
			(SELECT count(*) FROM pg_class WHERE relnamespace = n.oid) + (SELECT count(*) FROM pg_proc WHERE pronamespace = n.oid) +
			(SELECT count(*) FROM pg_type WHERE typnamespace = n.oid)), 0)::int8 FROM pg_namespace n WHERE nspname = $1`,
			e.addresses.Schema).Scan(&schemas, &objects)
	})
	if err != nil {
		return false, fmt.Errorf("look into schema %q: %w", e.addresses.Schema, err)
	}
	if objects > 0 {
		return false, fmt.Errorf("schema %q holds %d objects: %w", e.addresses.Schema, objects, ErrSchemaNotEmpty)
	}
	return schemas > 0, nil
}

// claimKeys refuses a prefix that has keys. Nothing is written: the prefix is the claim.
func (e *external) claimKeys(ctx context.Context) error {
	found, err := journal.AnyKey(ctx, e.addresses.RedisURL, e.addresses.Prefix)
	if err != nil {
		return err
	}
	if found != "" {
		return fmt.Errorf("key %q: %w", found, ErrKeysNotEmpty)
	}
	e.keysMark, err = e.options.Journal.Keys(e.addresses.RedisURL, e.addresses.Prefix)
	e.ourKeys = err == nil
	return err
}

func (e *external) Kind() Kind { return External }

func (e *external) Addresses() Addresses { return e.addresses }

// Can refuses everything: the processes belong to somebody else.
func (e *external) Can(name Name, verb Verb) error {
	return fmt.Errorf("%s %s: the server is not ours to %s: %w", verb, name, verb, ErrVerbUnsupported)
}

func (e *external) Do(_ context.Context, name Name, verb Verb) error { return e.Can(name, verb) }

func (e *external) Identity(ctx context.Context, name Name) (Identity, error) {
	return identity(ctx, e.addresses, name)
}

func (e *external) Settings(ctx context.Context) (Servers, error) {
	return settings(ctx, External, e.addresses)
}

// Close drops the schema and the keys of the run and nothing else.
func (e *external) Close(ctx context.Context) error {
	e.closed.Do(func() {
		if e.options.Keep {
			e.result = e.options.Journal.Keep()
			return
		}
		e.result = e.release(context.WithoutCancel(ctx))
	})
	return e.result
}

// release gives back what was claimed. What cannot be dropped now stays in the journal.
func (e *external) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	faults := make(chan error)
	go func() { faults <- e.dropSchema(ctx) }()
	go func() { faults <- e.dropKeys(ctx) }()
	return errors.Join(<-faults, <-faults)
}

func (e *external) dropSchema(ctx context.Context) error {
	if !e.ourSchema {
		return nil
	}
	err := journal.DropSchema(ctx, e.addresses.PostgresURL, e.addresses.Schema, e.options.RunID, e.addresses.AppName)
	if errors.Is(err, journal.ErrNotOurs) {
		err = nil // somebody made it between our look and our claim
	}
	if err != nil {
		return err
	}
	return e.options.Journal.Done(e.schemaMark)
}

func (e *external) dropKeys(ctx context.Context) error {
	if !e.ourKeys {
		return nil
	}
	if err := journal.DropKeys(ctx, e.addresses.RedisURL, e.addresses.Prefix); err != nil {
		return err
	}
	return e.options.Journal.Done(e.keysMark)
}
