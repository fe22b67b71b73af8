package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// startPostgres makes a database cluster in a folder of its own and serves it with durable settings.
func startPostgres() (url string, stop func(), err error) {
	bin, err := postgresFolder()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "gatecrash-test-postgres-")
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	attr, err := unprivileged(dir)
	if err != nil {
		return "", nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(context.Background(), filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = attr, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(context.Background(), filepath.Join(bin, "postgres"), "-D", data, "-p", strconv.Itoa(port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "max_connections=300", "-c", "dynamic_shared_memory_type=mmap")
	cmd.SysProcAttr, cmd.Dir = attr, dir
	url = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
	stop, err = start(cmd, dir, func(ctx context.Context) error { return pingPostgres(ctx, url) })
	return url, stop, err
}

func pingPostgres(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// postgresFolder finds the folder that holds both postgres and initdb: the one on PATH, else the distribution's newest.
func postgresFolder() (string, error) {
	var found []string
	if p, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			found = append(found, filepath.Dir(real))
		}
	}
	packaged, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	for i := len(packaged) - 1; i >= 0; i-- {
		found = append(found, packaged[i])
	}
	for _, dir := range found {
		if runnable(filepath.Join(dir, "postgres")) && runnable(filepath.Join(dir, "initdb")) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("postgres and initdb: %w", errMissing)
}

func runnable(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}
