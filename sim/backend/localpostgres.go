package backend

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"gatecrash/sim/backend/process"
	"gatecrash/sim/journal"
)

// localPostgres runs a postgres in a private folder.
type localPostgres struct {
	localServer
	password string
	data     string
}

var _ runner = (*localPostgres)(nil)

func newLocalPostgres(l *local) *localPostgres {
	p := &localPostgres{password: rand.Text()}
	p.localServer = localServer{
		local: l, name: Postgres, dir: filepath.Join(l.folder, "postgres"), logFile: filepath.Join(l.options.LogDir, "postgres.log"),
		stopBy: syscall.SIGINT, // fast shutdown
	}
	p.data = filepath.Join(p.dir, "data")
	p.query = func(ctx context.Context) error { return queryPostgres(p.addresses.PostgresURL)(ctx) }
	return p
}

func (p *localPostgres) start(ctx context.Context) error {
	if p.port == nil {
		return p.firstStart(ctx, func() error { return p.create(ctx) }, p.serve)
	}
	return p.serve()
}

func (p *localPostgres) serve() error { return p.launch(p.programs.postgres, "-D", p.data) }

// create makes an empty cluster for the held port. A second try with another port makes it again: nothing is in it yet.
func (p *localPostgres) create(ctx context.Context) error {
	p.addresses.PostgresURL = fmt.Sprintf("postgres://gatecrash:%s@127.0.0.1:%d/postgres?sslmode=disable", p.password, p.port.port)
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove old cluster: %w", err)
	}
	if err := makePrivate(p.dir, p.user); err != nil {
		return err
	}
	secret := filepath.Join(p.dir, "password")
	if err := writePrivate(secret, p.password+"\n", p.user); err != nil {
		return err
	}
	if err := p.initdb(ctx, secret); err != nil {
		return err
	}
	if err := os.Remove(secret); err != nil {
		return fmt.Errorf("remove password file: %w", err)
	}
	return p.configure()
}

// initdb runs without its own sync: the servers' fsync is what a run measures, and a crash of the machine ends the run anyway.
func (p *localPostgres) initdb(ctx context.Context, secret string) error {
	log, err := os.OpenFile(p.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer log.Close()
	spec := p.spec(log, p.programs.initdb, "-D", p.data, "-U", "gatecrash", "--pwfile="+secret, "--auth=scram-sha-256",
		"--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	spec.Isolate, spec.Outlive = false, false
	if err := process.Run(ctx, spec); err != nil {
		return fmt.Errorf("make database cluster: %w; the end of %s:\n%s", err, p.logFile, tail(p.logFile))
	}
	return nil
}

// configure appends to postgresql.conf; the last value of a setting counts. Dynamic shared memory lies in the data folder, since
// segments in /dev/shm would outlive a kill.
func (p *localPostgres) configure() error {
	set := durablePostgres()
	maps.Copy(set, map[string]string{
		"listen_addresses": "127.0.0.1", "port": strconv.Itoa(p.port.port), "unix_socket_directories": "",
		"dynamic_shared_memory_type": "mmap", "logging_collector": "off", "log_destination": "stderr",
	})
	maps.Copy(set, p.options.PostgresSettings)
	var text strings.Builder
	for _, key := range sortedKeys(set) {
		fmt.Fprintf(&text, "%s = '%s'\n", key, strings.ReplaceAll(set[key], "'", "''"))
	}
	f, err := os.OpenFile(filepath.Join(p.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("configure postgres: %w", err)
	}
	_, err = f.WriteString("\n" + text.String())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("configure postgres: %w", err)
	}
	return nil
}

func (p *localPostgres) wipe(ctx context.Context) error {
	if err := journal.RemoveSegment(filepath.Join(p.data, "postmaster.pid")); err != nil {
		return err
	}
	return p.create(ctx)
}

func (p *localPostgres) prepare(ctx context.Context) error {
	return createSchema(ctx, *p.addresses, p.options.RunID)
}
