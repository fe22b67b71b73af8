package sim

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"gatecrash/sim/backend"
	"gatecrash/sim/crowd"
	"gatecrash/sim/drift"
	"gatecrash/sim/fault"
	"gatecrash/sim/history"
	"gatecrash/sim/journal"
	"gatecrash/sim/loadgen"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// run is the state of one run. Its stages run one after the other in the goroutine of Run; what they share with others is locked.
type run struct {
	o    Options
	id   string
	dir  result.Dir
	plan *crowd.Plan
	meta result.Run
	tru  result.Truth

	journal  *journal.Journal
	servers  backend.Backend
	admin    *admin
	proxy    *fault.Proxy
	system   target.System
	schedule *fault.Schedule
	records  *history.Writer
	engine   *loadgen.Engine
	sampler  *drift.Sampler
	zero     time.Time // with monotonic clock
	appended int64     // records of the crowd

	mu     sync.Mutex
	opened []time.Duration // by sale, since zero; -1: not yet
	snaps  [2]target.Snapshot
}

// prepare checks what can be checked before anything starts, and makes the run directory.
func prepare(ctx context.Context, o Options) (*run, error) {
	plan, err := crowd.NewPlan(o.Scenario, o.Seed)
	if err != nil {
		return nil, errors.Join(ErrNothingRun, err)
	}
	id, err := newID(o.Scenario.Name)
	if err != nil {
		return nil, err
	}
	r := &run{o: o, id: id, plan: plan, opened: make([]time.Duration, len(o.Scenario.Sales))}
	for i := range r.opened {
		r.opened[i] = -1
	}
	if r.dir, err = makeDir(o.Out, id); err != nil {
		return nil, errors.Join(ErrNothingRun, err)
	}
	if r.journal, err = journal.Open(id); err != nil {
		return nil, errors.Join(ErrNothingRun, err, r.forget())
	}
	r.describe()
	if err := r.firstFiles(); err != nil {
		return nil, errors.Join(ErrNothingRun, err, r.journal.Close(), r.forget())
	}
	return r, nil
}

// newID names a run: when, which scenario, and four random letters so that two at once stay apart. It can be part of a schema name.
func newID(name string) (string, error) {
	var b [2]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	short := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, strings.ToLower(name))
	if len(short) > 16 {
		short = strings.TrimRight(short[:16], "_")
	}
	return time.Now().UTC().Format("20060102t150405") + "_" + strings.Trim(short+"_"+hex.EncodeToString(b[:]), "_"), nil
}

// makeDir makes the run directory and proves that it can be written.
func makeDir(out, id string) (result.Dir, error) {
	path := filepath.Join(out, id)
	if err := os.MkdirAll(filepath.Join(path, result.DirLogs), 0o755); err != nil {
		return result.Dir{}, fmt.Errorf("make the run directory: %w; choose another with --out", err)
	}
	return result.OpenDir(path)
}

// describe fills in what is known before the start.
func (r *run) describe() {
	sc := r.o.Scenario
	r.meta = result.Run{
		Schema: result.Schema, RunID: r.id, Scenario: sc.Name, Seed: r.o.Seed, Scale: r.o.Scale, PlanHash: r.plan.Hash(),
		Version: r.o.Version, GoVersion: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH, Command: r.o.Command, Cores: runtime.NumCPU(),
		Replicas: sc.System.Replicas, Planned: int64(r.plan.Len()), KeyPrefix: r.plan.KeyPrefix(),
	}
	for _, s := range sc.Sales {
		r.meta.Sales = append(r.meta.Sales, s.Name)
		r.meta.OpensMS = append(r.meta.OpensMS, s.OpensAfter.Milliseconds())
		r.meta.OpenedMS = append(r.meta.OpenedMS, -1)
	}
	for _, c := range sc.Crowds {
		r.meta.Crowds = append(r.meta.Crowds, c.Name)
	}
}

// firstFiles writes what a reader needs of a run that is killed in its first second.
func (r *run) firstFiles() error {
	if err := os.WriteFile(r.dir.Join(result.FileScenario), r.o.Source, 0o644); err != nil {
		return err
	}
	return result.WriteRun(r.dir, &r.meta)
}

// forget removes the directory of a run that never was.
func (r *run) forget() error {
	return os.RemoveAll(r.dir.Path())
}

// teardownTimeout bounds the end of everything that a run started.
const teardownTimeout = 5 * time.Second

// teardown ends everything that the run started, in the order opposite to the start. It does its work also when ctx is cancelled.
// The journal stays only where something may be left behind, for the next start to undo.
func (r *run) teardown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), teardownTimeout)
	defer cancel()
	var recorded error
	if r.records != nil {
		recorded = r.records.Close()
	}
	var all []error
	if r.system != nil {
		all = append(all, r.system.Close(ctx))
	}
	if r.proxy != nil {
		all = append(all, r.proxy.Close())
	}
	r.admin.close()
	if r.servers != nil {
		all = append(all, r.servers.Close(ctx))
	}
	if err := errors.Join(all...); err != nil {
		return errors.Join(recorded, fmt.Errorf("tear down: %w", err))
	}
	return errors.Join(recorded, r.journal.Close())
}
