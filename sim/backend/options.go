package backend

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gatecrash/sim/journal"
)

// Options of Open.
type Options struct {
	Kind        Kind             // zero: Auto
	RunID       string           // names schema, key prefix, labels and folders; see journal.CheckRunID
	Journal     *journal.Journal // where leftovers are recorded; nil records nothing
	LogDir      string           // servers' logs go here; "": into the private folder, gone after Close
	Dir         string           // parent of the private folder of local servers; "": the folder for temporary files
	PostgresURL string           // external only: postgres://
	RedisURL    string           // external only: redis:// or rediss://
	Schema      string           // external only; "": derived from RunID. A schema that holds something is refused
	OwnTarget   bool             // external only: an address off loopback may be used
	Keep        bool             // Close leaves the servers, or on external schema and keys

	PostgresSettings map[string]string // on top of the durable defaults, not on external
	RedisSettings    map[string]string // on top of the durable defaults, not on external

	BinaryDirs []string // where local programs are looked for; nil: PATH and the distributions' usual folders
}

// Validate reports every fault of the options at once.
func (o Options) Validate() error {
	var faults []error
	fault := func(field string, got, want any) {
		faults = append(faults, fmt.Errorf("%s: got %q, want %v: %w", field, got, want, ErrBadOptions))
	}
	if !slices.Contains([]Kind{"", Auto, Docker, Local, External}, o.Kind) {
		fault("backend", o.Kind, "auto, docker, local or external")
	}
	if err := journal.CheckRunID(o.RunID); err != nil {
		faults = append(faults, fmt.Errorf("%w: %w", err, ErrBadOptions))
	}
	if o.Kind == External && o.PostgresURL == "" {
		fault("postgres", "", "a URL, for example postgres://user:password@127.0.0.1:5432/database")
	}
	if o.Kind == External && o.RedisURL == "" {
		fault("redis", "", "a URL, for example redis://127.0.0.1:6379/0")
	}
	if o.Kind != External && (o.PostgresURL != "" || o.RedisURL != "") {
		fault("postgres, redis", "a URL", "none unless the backend is external")
	}
	if strings.HasPrefix(o.Schema, "pg_") || slices.Contains([]string{"public", "information_schema"}, o.Schema) {
		fault("schema", o.Schema, "a schema of the run's own: it is dropped at the end")
	}
	return errors.Join(faults...)
}

// names derives what carries the run's id.
func (o Options) names() Addresses {
	schema := o.Schema
	if schema == "" {
		schema = "gc_" + o.RunID
	}
	return Addresses{Schema: schema, Prefix: "gc:" + o.RunID + ":", AppName: journal.AppName(o.RunID)}
}
