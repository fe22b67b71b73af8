package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// startRedis serves an empty Redis with the settings the product asks for.
func startRedis() (url string, stop func(), err error) {
	bin, err := redisProgram()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "gatecrash-test-redis-")
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	port, err := freePort()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(context.Background(), bin, "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir, "--daemonize", "no",
		"--save", "", "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction")
	cmd.Dir = dir
	url = fmt.Sprintf("redis://127.0.0.1:%d/0", port)
	stop, err = start(cmd, dir, func(ctx context.Context) error { return pingRedis(ctx, url) })
	return url, stop, err
}

func pingRedis(ctx context.Context, url string) error {
	opt, err := redis.ParseURL(url)
	if err != nil {
		return err
	}
	client := redis.NewClient(opt)
	defer func() { _ = client.Close() }()
	return client.Ping(ctx).Err()
}

func redisProgram() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("redis-server or valkey-server: %w", errMissing)
}
