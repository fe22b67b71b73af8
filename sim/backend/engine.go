package backend

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"gatecrash/docker"
)

const (
	engineTimeout = 2 * time.Second // for the engine to answer at all
	pullTimeout   = 5 * time.Second // for an image that is not there; a slower pull is the user's to start
)

// engine is a docker engine on this machine that answered.
type engine struct {
	api      *client.Client
	provider *testcontainers.DockerProvider
}

// reachEngine asks the engine of $DOCKER_HOST, or the usual socket, whether it is there.
func reachEngine(ctx context.Context) (*client.Client, error) {
	api, err := client.New(client.FromEnv)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	if !onThisMachine(api.DaemonHost()) {
		return nil, errors.Join(fmt.Errorf("engine %q is on another machine, its loopback ports cannot be reached: %w", api.DaemonHost(), ErrNoEngine), api.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	if _, err := api.Ping(ctx, client.PingOptions{}); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoEngine, err), api.Close())
	}
	return api, nil
}

func onThisMachine(daemon string) bool {
	u, err := url.Parse(daemon)
	if err != nil {
		return false
	}
	return u.Scheme == "unix" || u.Scheme == "npipe" || isLoopback(context.Background(), u.Hostname()) == nil
}

// openEngine wraps the engine for the library that creates containers, with its reaper switched off (see doc.go). The library reads
// the variable once for each process, before its first container; children that inherit it start none.
func openEngine(ctx context.Context) (*engine, error) {
	api, err := reachEngine(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return nil, errors.Join(err, api.Close())
	}
	log.SetDefault(log.NewNoopLogger()) // it greets on standard error otherwise
	provider, err := testcontainers.NewDockerProvider(testcontainers.Generic2DockerOptions(testcontainers.WithLogger(log.NewNoopLogger()))...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoEngine, err), api.Close())
	}
	provider.SetClient(api)
	return &engine{api: api, provider: provider}, nil
}

// images are the chosen image of each server.
type images struct{ postgres, redis string }

// chooseImages finds an image for each server: the official one, the locally built one, or a pull of the official one within seconds.
// It never builds.
func chooseImages(ctx context.Context, api *client.Client) (images, error) {
	names := docker.Names()
	postgres, err := chooseImage(ctx, api, names.Postgres, names.PostgresLocal)
	if err != nil {
		return images{}, err
	}
	redis, err := chooseImage(ctx, api, names.Redis, names.RedisLocal)
	return images{postgres, redis}, err
}

func chooseImage(ctx context.Context, api *client.Client, official, local string) (string, error) {
	for _, name := range []string{official, local} {
		there, err := imageThere(ctx, api, name)
		if err != nil || there {
			return name, err
		}
	}
	if err := pull(ctx, api, official); err != nil {
		return "", fmt.Errorf("%s: %w (or `docker pull %s`): %w", official, ErrMissingImage, official, err)
	}
	return official, nil
}

func imageThere(ctx context.Context, api *client.Client, name string) (bool, error) {
	_, err := api.ImageInspect(ctx, name)
	if cerrdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for image %q: %w", name, err)
	}
	return true, nil
}

func pull(ctx context.Context, api *client.Client, name string) error {
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	reply, err := api.ImagePull(ctx, name, client.ImagePullOptions{})
	if err != nil {
		return fmt.Errorf("pull within %v: %w", pullTimeout, err)
	}
	defer reply.Close()
	if err := reply.Wait(ctx); err != nil {
		return fmt.Errorf("pull within %v: %w", pullTimeout, err)
	}
	return nil
}
