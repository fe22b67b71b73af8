package backend

import (
	"context"
	"time"
)

// Name of a server that a backend runs.
type Name string

// The servers of a run.
const (
	Postgres Name = "postgres"
	Redis    Name = "redis"
)

// Kind says how the servers are run.
type Kind string

// Kinds of backend. Auto is resolved to one of the others by Open.
const (
	Auto     Kind = "auto"
	Docker   Kind = "docker"
	Local    Kind = "local"
	External Kind = "external"
)

// Verb is one thing a backend can do to a server.
type Verb string

// Verbs of a backend. Kill is SIGKILL; RestartEmpty forgets all data of the server first.
const (
	Start        Verb = "start"
	Stop         Verb = "stop"
	Kill         Verb = "kill"
	Pause        Verb = "pause"
	Resume       Verb = "resume"
	Restart      Verb = "restart"
	RestartEmpty Verb = "restart-empty"
)

// Backend is a Postgres and a Redis for one run.
type Backend interface {
	// Kind is docker, local or external.
	Kind() Kind
	// Can reports whether the verb works on this server; the error says why not.
	Can(server Name, verb Verb) error
	// Do carries the verb out and returns when its effect is there: Start, Resume and Restart when the server answers a query,
	// Kill and Stop when the process is gone. Do is safe for concurrent use on different servers.
	Do(ctx context.Context, server Name, verb Verb) error
	// Addresses never change during a run, also over restarts.
	Addresses() Addresses
	// Identity is the server's own proof of which incarnation runs: Redis run_id, Postgres postmaster start time.
	Identity(ctx context.Context, server Name) (Identity, error)
	// Settings are read back from the live servers, see Servers.
	Settings(ctx context.Context) (Servers, error)
	// Close stops and removes everything this backend started, within 5 s. Keep leaves the servers running.
	Close(ctx context.Context) error
}

// Addresses of the servers.
type Addresses struct {
	// PostgresURL is a postgres:// URL with user, password and database; no schema.
	PostgresURL string
	// RedisURL is a redis:// URL.
	RedisURL string
	// Schema is the Postgres schema of this run; the backend creates it empty and, on external, drops it.
	Schema string
	// Prefix starts every Redis key of this run, for example "gc:r7f3:".
	Prefix string
	// AppName is the application_name of every Postgres session of this run's booking system.
	AppName string
}

// Identity of one incarnation of a server.
type Identity struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	PID     int       `json:"pid"` // 0 when unknown
}

// Servers are the versions and settings read back from the live servers.
type Servers struct {
	Kind     Kind              `json:"kind"`
	Postgres map[string]string `json:"postgres"` // version, fsync, synchronous_commit, full_page_writes, max_connections, ...
	Redis    map[string]string `json:"redis"`    // version, appendonly, appendfsync, maxmemory-policy, ...
}
