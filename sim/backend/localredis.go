package backend

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// localRedis runs a redis-server or valkey-server in a private folder.
type localRedis struct {
	localServer
	password string
}

var _ runner = (*localRedis)(nil)

func newLocalRedis(l *local) *localRedis {
	r := &localRedis{password: rand.Text()}
	r.localServer = localServer{
		local: l, name: Redis, dir: filepath.Join(l.folder, "redis"), logFile: filepath.Join(l.options.LogDir, "redis.log"),
		stopBy: syscall.SIGTERM,
	}
	r.query = func(ctx context.Context) error { return queryRedis(r.addresses.RedisURL)(ctx) }
	return r
}

func (r *localRedis) start(ctx context.Context) error {
	if r.port == nil {
		return r.firstStart(ctx, r.create, r.serve)
	}
	return r.serve()
}

// serve names the configuration file: a password on the command line could be read by all users of the machine.
func (r *localRedis) serve() error {
	return r.launch(r.programs.redis, filepath.Join(r.dir, "redis.conf"))
}

func (r *localRedis) create() error {
	r.addresses.RedisURL = fmt.Sprintf("redis://:%s@127.0.0.1:%d/0", r.password, r.port.port)
	if err := os.RemoveAll(r.dir); err != nil {
		return fmt.Errorf("remove old data: %w", err)
	}
	if err := makePrivate(r.dir, r.user); err != nil {
		return err
	}
	set := durableRedis()
	maps.Copy(set, map[string]string{
		"port": strconv.Itoa(r.port.port), "bind": "127.0.0.1", "protected-mode": "yes", "requirepass": r.password,
		"dir": strconv.Quote(r.dir), "daemonize": "no", "logfile": `""`,
	})
	maps.Copy(set, r.options.RedisSettings)
	return writePrivate(filepath.Join(r.dir, "redis.conf"), redisConf(set), r.user)
}

func redisConf(set map[string]string) string {
	var text strings.Builder
	for _, key := range sortedKeys(set) {
		fmt.Fprintf(&text, "%s %s\n", key, set[key])
	}
	return text.String()
}

func (r *localRedis) wipe(context.Context) error { return r.create() }

func (r *localRedis) prepare(context.Context) error { return nil }
