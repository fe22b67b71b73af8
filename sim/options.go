package sim

import (
	"context"
	"errors"
	"time"

	"gatecrash/sim/backend"
	"gatecrash/sim/journal"
	"gatecrash/sim/live"
	"gatecrash/sim/scenario"
	"gatecrash/sim/target"
)

// ErrNothingRun is wrapped by errors of Run after which no run directory is left: wrong options, a missing program, an output that cannot be written.
var ErrNothingRun = errors.New("nothing was run")

// ErrUnwritable is wrapped when the run directory could not be written to its end, as on a full disk. It holds what was written until then.
var ErrUnwritable = errors.New("the run directory could not be written")

// ErrAborted is returned when the run was torn down at once. The run directory holds what was written until then.
var ErrAborted = errors.New("run torn down")

// Options of Run.
type Options struct {
	Scenario *scenario.Scenario // scaled already
	Source   []byte             // the scenario file, copied byte by byte into the run directory
	Seed     uint64             // of the plan and of every draw
	Scale    float64            // what the scenario was scaled by; told in the result
	Out      string             // folder for run directories
	Backend  backend.Options    // RunID, Journal, LogDir and extra server settings are filled in
	System   NewSystem          //
	Command  string             // the command line with secrets masked
	Version  string             // of gatecrash
	Timeout  time.Duration      // ends the crowd earlier than the scenario's max_duration; 0: no
	Stop     <-chan struct{}    // closed: end the crowd now, then heal, drain, check and report
	Watch    func(live.Frame)   // called a few times a second while the run goes on; nil: nobody looks
}

// Setup is what a system under test is started with.
type Setup struct {
	RunID     string
	Scenario  *scenario.Scenario
	Addresses backend.Addresses
	GateURL   string // the gate's Redis: a proxy, or the same as Addresses.RedisURL
	LogDir    string
	Journal   *journal.Journal
	Replicas  int
}

// NewSystem starts a system under test and returns when it answers. On an error it leaves nothing behind.
type NewSystem func(ctx context.Context, s Setup) (target.System, error)
