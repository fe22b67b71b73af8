package docker

import (
	_ "embed" // the image names are part of the binary
	"strings"
)

//go:embed versions.env
var versions string

// Image names of versions.env.
type Images struct {
	Postgres, Redis           string // official, with exact versions
	PostgresLocal, RedisLocal string // built by images.sh, never pulled
}

// Names reads the image names that were built into this binary.
func Names() Images {
	value := parse(versions)
	return Images{
		Postgres: value["GATECRASH_POSTGRES_IMAGE"], Redis: value["GATECRASH_REDIS_IMAGE"],
		PostgresLocal: value["GATECRASH_POSTGRES_LOCAL_IMAGE"], RedisLocal: value["GATECRASH_REDIS_LOCAL_IMAGE"],
	}
}

// parse reads NAME=VALUE lines; lines that start with # and empty ones are skipped.
func parse(text string) map[string]string {
	value := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, rest, ok := strings.Cut(line, "=")
		if ok && !strings.HasPrefix(line, "#") {
			value[name] = rest
		}
	}
	return value
}
