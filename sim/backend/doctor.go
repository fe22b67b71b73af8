package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/moby/moby/client"

	"gatecrash/docker"
)

// Finding is one line of what can run on this machine.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`        // what is there: a version, a path, an image; or why not
	Fix    string `json:"fix,omitempty"` // how to get it, when not OK
}

// Check finds out which backends can run here, without starting or pulling anything. dirs as in Options.BinaryDirs.
func Check(ctx context.Context, dirs []string) []Finding {
	containers, dockerWorks := checkDocker(ctx)
	local, localWorks := checkLocal(ctx, dirs)
	found := append(containers, local...)
	auto := Finding{Name: "backend auto", OK: true, Detail: "takes " + string(Docker)}
	switch {
	case !dockerWorks && localWorks:
		auto.Detail = "takes " + string(Local)
	case !dockerWorks:
		auto = Finding{Name: auto.Name, Detail: "finds nothing to run", Fix: "make deps"}
	}
	return append(found, auto)
}

func checkDocker(ctx context.Context) ([]Finding, bool) {
	api, err := reachEngine(ctx)
	if err != nil {
		return []Finding{{Name: "docker engine", Detail: err.Error(), Fix: "start a docker engine, or use --backend local"}}, false
	}
	defer api.Close()
	engine := Finding{Name: "docker engine", OK: true, Detail: Unknown}
	if version, err := api.ServerVersion(ctx, client.ServerVersionOptions{}); err == nil {
		engine.Detail = fmt.Sprintf("version %s, API %s", version.Version, version.APIVersion)
	}
	names := docker.Names()
	postgres := checkImage(ctx, api, "postgres image", names.Postgres, names.PostgresLocal)
	redis := checkImage(ctx, api, "redis image", names.Redis, names.RedisLocal)
	return []Finding{engine, postgres, redis}, postgres.OK && redis.OK
}

func checkImage(ctx context.Context, api *client.Client, finding, official, local string) Finding {
	for _, name := range []string{official, local} {
		there, err := imageThere(ctx, api, name)
		if err != nil {
			return Finding{Name: finding, Detail: err.Error(), Fix: "make images"}
		}
		if there {
			return Finding{Name: finding, OK: true, Detail: name}
		}
	}
	return Finding{Name: finding, Detail: fmt.Sprintf("neither %s nor %s is there", official, local), Fix: "make images, or docker pull " + official}
}

func checkLocal(ctx context.Context, dirs []string) ([]Finding, bool) {
	found, err := findPrograms(dirs)
	works := err == nil
	lines := []Finding{
		checkProgram(ctx, "postgres program", found.initdb, found.postgres),
		checkProgram(ctx, "redis program", found.redis, found.redis),
	}
	user := Finding{Name: "servers' user", OK: true, Detail: "this user"}
	credential, err := serverUser()
	if credential != nil {
		user.Detail = fmt.Sprintf("uid %d, since this user is root", credential.Uid)
	}
	folder, err2 := parentFolder("")
	if err := errors.Join(err, err2); err != nil {
		works, user = false, Finding{Name: user.Name, Detail: err.Error(), Fix: "make deps"}
	} else {
		user.Detail += fmt.Sprintf(", data in %s (%s)", folder, filesystem(folder))
	}
	return append(lines, user), works
}

// checkProgram reports a program by its version; all of need must be there.
func checkProgram(ctx context.Context, finding, need, path string) Finding {
	if need == "" || path == "" {
		return Finding{Name: finding, Detail: "not found on PATH or in the distribution's folders", Fix: "make deps"}
	}
	version, err := versionOf(ctx, path)
	if err != nil {
		return Finding{Name: finding, Detail: err.Error(), Fix: "make deps"}
	}
	return Finding{Name: finding, OK: true, Detail: version + ", " + path}
}
