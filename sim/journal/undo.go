package journal

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/moby/moby/client"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// RemoveFolder kills the processes of the programs that work inside the folder and removes it.
func RemoveFolder(ctx context.Context, path string, programs []string) error {
	if clean := filepath.Clean(path); !filepath.IsAbs(path) || strings.Count(clean, "/") < 2 {
		return fmt.Errorf("remove folder %q: %w", path, ErrTooWide)
	}
	for range 10 { // a process may fork while it is looked for
		inside := Inside(path, programs)
		if len(inside) == 0 {
			break
		}
		for _, p := range inside {
			if err := p.Kill(ctx); err != nil {
				return err
			}
		}
	}
	faults := []error{removeSegments(path), os.RemoveAll(path)}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("remove folder: %w", err)
	}
	return nil
}

// RemoveContainers removes all docker containers with the label and their anonymous volumes, in whatever state they are.
func RemoveContainers(ctx context.Context, label string) error {
	if key, value, ok := strings.Cut(label, "="); !ok || key == "" || value == "" {
		return fmt.Errorf("remove containers with label %q: %w", label, ErrTooWide)
	}
	api, err := client.New(client.FromEnv)
	if err != nil {
		return fmt.Errorf("reach docker: %w", err)
	}
	defer api.Close()
	for range 50 { // a creation that was cut off may go on in the engine, a removal take its time
		list, err := api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", label)})
		if err != nil {
			return fmt.Errorf("list containers with label %q: %w", label, err)
		}
		if len(list.Items) == 0 {
			return nil
		}
		for _, c := range list.Items {
			_, err := api.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			if err != nil && !gone(err) {
				return fmt.Errorf("remove container %.12s: %w", c.ID, err)
			}
		}
	}
	return fmt.Errorf("remove containers with label %q: %w", label, ErrStubborn)
}

// SchemaComment is the comment that a run puts on its schema, so that nobody else's is dropped.
func SchemaComment(runID string) string { return "gatecrash run " + runID }

// DropSchema drops the schema with all that is in it, if its comment is the run's. Sessions of the run that hold locks in it are ended:
// they are known by their application name. No schema of that name is fine.
func DropSchema(ctx context.Context, url, schema, runID, appName string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("drop schema %q: %w", schema, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var comment *string
	err = conn.QueryRow(ctx, `SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1`, schema).Scan(&comment)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for schema %q: %w", schema, err)
	}
	if comment == nil || *comment != SchemaComment(runID) {
		return fmt.Errorf("drop schema %q: %w", schema, ErrNotOurs)
	}
	return dropSchema(ctx, conn, schema, appName)
}

func dropSchema(ctx context.Context, conn *pgx.Conn, schema, appName string) error {
	_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE application_name = $1 AND pid <> pg_backend_pid() AND usename = current_user`, appName)
	if err != nil {
		return fmt.Errorf("end sessions of %q: %w", appName, err)
	}
	if _, err := conn.Exec(ctx, `SET lock_timeout = '3s'`); err != nil {
		return fmt.Errorf("drop schema %q: %w", schema, err)
	}
	if _, err := conn.Exec(ctx, `DROP SCHEMA `+pgx.Identifier{schema}.Sanitize()+` CASCADE`); err != nil {
		return fmt.Errorf("drop schema %q: %w", schema, err)
	}
	return nil
}

// escapeGlob quotes the letters that mean something in a Redis pattern.
var escapeGlob = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`)

// DropKeys removes every Redis key with the prefix by SCAN and UNLINK: nothing blocks the server and no other key is touched.
func DropKeys(ctx context.Context, url, prefix string) error {
	return eachKey(ctx, url, prefix, func(rdb *redis.Client, keys []string) error {
		if err := rdb.Unlink(ctx, keys...).Err(); err != nil {
			return fmt.Errorf("unlink keys with prefix %q: %w", prefix, err)
		}
		return nil
	})
}

// AnyKey finds one Redis key with the prefix, "" when there is none.
func AnyKey(ctx context.Context, url, prefix string) (string, error) {
	var found string
	err := eachKey(ctx, url, prefix, func(_ *redis.Client, keys []string) error {
		found = keys[0]
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, err
}

// eachKey calls use for every batch of keys with the prefix.
func eachKey(ctx context.Context, address, prefix string, use func(rdb *redis.Client, keys []string) error) error {
	if len(prefix) < 3 {
		return fmt.Errorf("keys with prefix %q: %w", prefix, ErrTooWide)
	}
	opts, err := redis.ParseURL(address)
	if err != nil {
		return fmt.Errorf("keys with prefix %q: parse URL: %w", prefix, withoutURL(err))
	}
	opts.MaxRetries, opts.DialerRetries, opts.ContextTimeoutEnabled = -1, 1, true
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	rdb := redis.NewClient(opts)
	defer rdb.Close()
	for cursor := uint64(0); ; {
		keys, next, err := rdb.Scan(ctx, cursor, escapeGlob.Replace(prefix)+"*", 1000).Result()
		if err != nil {
			return fmt.Errorf("scan keys with prefix %q: %w", prefix, err)
		}
		if len(keys) > 0 {
			if err := use(rdb, keys); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// withoutURL keeps a URL, which may hold a password, out of an error.
func withoutURL(err error) error {
	var fault *url.Error
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}
