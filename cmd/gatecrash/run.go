package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/cobra"

	"gatecrash/reports"
	"gatecrash/scenarios"
	"gatecrash/sim"
	"gatecrash/sim/backend"
	"gatecrash/sim/check"
	"gatecrash/sim/journal"
	"gatecrash/sim/live"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
	"gatecrash/sim/target/embedded"
)

// runFlags are the flags of run.
type runFlags struct {
	backend      string
	postgres     string
	redis        string
	seed         uint64
	seedSet      bool
	scale        float64
	out          string
	repeat       int
	retryInvalid int
	timeout      time.Duration
	keep         bool
	ownTarget    bool
	json         bool
	quiet        bool

	unreported bool // a report could not be written: never a pass
}

func newRunCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "Rehearse a sale: servers up, crowd in, faults on schedule, verdict out",
		Long: `Run plays each scenario, a file or the name of a shipped one, on a real Postgres and Redis, judges it, and leaves a run directory with the report.

Exit codes: 0 pass (or the scenario's expect_verdict was met), 1 broken invariant or failed objective, 2 nothing was run, 3 inconclusive,
4 invalid (the planned load was not offered, or the environment broke), 70 internal error, 130 interrupted.
The first ^C ends the crowd, heals, drains, checks and reports; the second tears down at once.`,
		Example: `  gatecrash run smoke
  gatecrash run opening-night --backend docker --seed 11
  gatecrash run my-sale.yaml --scale 0.5 --repeat 3 --out /tmp/runs
  gatecrash run smoke --backend external --postgres postgres://user@127.0.0.1/db --redis redis://127.0.0.1:6379/0`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.seedSet = cmd.Flags().Changed("seed")
			redis.SetLogger(silent{})                // the library repeats on standard error what every caller hears as an error
			runtime.GOMAXPROCS(runtime.NumCPU() + 1) // the pacer's thread must not wait for a busy one
			return runScenarios(cmd, f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.backend, "backend", envOr("GATECRASH_BACKEND", "auto"), "auto, docker, local or external (env GATECRASH_BACKEND)")
	fl.StringVar(&f.postgres, "postgres", "", "external: URL of Postgres (env GATECRASH_POSTGRES_URL)")
	fl.StringVar(&f.redis, "redis", "", "external: URL of Redis (env GATECRASH_REDIS_URL)")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the plan and of every draw (default: the scenario's)")
	fl.Float64Var(&f.scale, "scale", 1, "multiply visitors, seats and rates; durations stay")
	fl.StringVar(&f.out, "out", "runs", "folder for run directories")
	fl.IntVar(&f.repeat, "repeat", 1, "play each scenario so often, with seeds counted up from the first")
	fl.IntVar(&f.retryInvalid, "retry-invalid", 0, "play an invalid run again up to so often; every try is kept and reported")
	fl.DurationVar(&f.timeout, "timeout", 0, "end the crowd after this, if the scenario does not end earlier")
	fl.BoolVar(&f.keep, "keep", false, "leave the servers running, or the schema and keys of an external backend")
	fl.BoolVar(&f.ownTarget, "i-own-this-target", false, "external: allow addresses that are not on this machine")
	fl.BoolVar(&f.json, "json", false, "print the results as JSON lines on standard output, everything else on standard error")
	fl.BoolVar(&f.quiet, "quiet", false, "print the verdict only")
	return cmd
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// plannedRun is one scenario with one seed.
type plannedRun struct {
	scenario *scenario.Scenario
	source   []byte
	seed     uint64
}

// runScenarios reads and checks every scenario before the first starts.
func runScenarios(cmd *cobra.Command, f runFlags, names []string) error {
	if err := f.validate(); err != nil {
		return exitWith(exitUsage, err)
	}
	todo, err := f.plan(names)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	stop, abort, release := onSignals(cmd.Context())
	defer release()
	if err := cleanLeftovers(abort, cmd.ErrOrStderr()); err != nil {
		return err
	}
	var worst *result.Result
	for _, one := range todo {
		res, err := f.runOne(abort, cmd, one, stop)
		if err != nil && (worst == nil || worst.Exit != exitFail) {
			return err
		}
		if err != nil { // what an earlier run found stands above that a later one could not be played
			return exitWith(exitFail, err)
		}
		if worst == nil || check.Worse(res, worst) {
			worst = res
		}
		if isDone(stop) || abort.Err() != nil {
			break
		}
	}
	if worst.Exit == exitPass && f.unreported {
		return exitWith(exitInvalid, nil)
	}
	if worst.Exit == exitPass {
		return nil
	}
	return exitWith(worst.Exit, nil)
}

// validate reports every wrong flag at once.
func (f *runFlags) validate() error {
	var all []error
	if f.scale <= 0 || f.scale > 1000 {
		all = append(all, fmt.Errorf("--scale: got %g, want > 0 and <= 1000, for example 0.5", f.scale))
	}
	if f.repeat < 1 {
		all = append(all, fmt.Errorf("--repeat: got %d, want at least 1", f.repeat))
	}
	if f.retryInvalid < 0 {
		all = append(all, fmt.Errorf("--retry-invalid: got %d, want 0 or more", f.retryInvalid))
	}
	if f.timeout < 0 {
		all = append(all, fmt.Errorf("--timeout: got %v, want 0 or more", f.timeout))
	}
	if backend.Kind(f.backend) == backend.External {
		f.postgres, f.redis = firstOf(f.postgres, os.Getenv("GATECRASH_POSTGRES_URL")), firstOf(f.redis, os.Getenv("GATECRASH_REDIS_URL"))
	}
	return errors.Join(all...)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// plan reads the scenarios and lists what is to be played.
func (f *runFlags) plan(names []string) ([]plannedRun, error) {
	var todo []plannedRun
	var all []error
	for _, name := range names {
		file, source, err := scenarios.Resolve(name)
		if err != nil {
			all = append(all, err)
			continue
		}
		sc, err := scenario.Parse(file, source)
		if err != nil {
			all = append(all, err)
			continue
		}
		if f.scale != 1 {
			sc = sc.Scale(f.scale)
		}
		seed := sc.Seed
		if f.seedSet {
			seed = f.seed
		}
		for n := range f.repeat {
			todo = append(todo, plannedRun{scenario: sc, source: source, seed: seed + uint64(n)})
		}
	}
	return todo, errors.Join(all...)
}

// runOne plays one scenario, again if it was invalid and that was asked for, and gives the result of the last try.
func (f *runFlags) runOne(ctx context.Context, cmd *cobra.Command, one plannedRun, stop <-chan struct{}) (*result.Result, error) {
	for try := 0; ; try++ {
		res, err := f.play(ctx, cmd, one, stop)
		if err != nil || res.Exit != exitInvalid || try >= f.retryInvalid || isDone(stop) {
			return res, err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "invalid run kept in %s; try %d of %d follows\n", res.Environment.RunDir, try+1, f.retryInvalid)
	}
}

func (f *runFlags) play(ctx context.Context, cmd *cobra.Command, one plannedRun, stop <-chan struct{}) (*result.Result, error) {
	view := f.view(cmd)
	defer view.Close()
	out, err := sim.Run(ctx, sim.Options{
		Scenario: one.scenario, Source: one.source, Seed: one.seed, Scale: f.scale, Out: f.out,
		Backend: backend.Options{
			Kind: backend.Kind(f.backend), PostgresURL: f.postgres, RedisURL: f.redis, OwnTarget: f.ownTarget, Keep: f.keep,
		},
		System: embedded.Start, Command: commandLine(), Version: version(), Timeout: f.timeout, Stop: stop, Watch: view.Show,
	})
	switch {
	case errors.Is(err, sim.ErrNothingRun):
		return nil, exitWith(exitUsage, err)
	case errors.Is(err, sim.ErrUnwritable):
		return nil, exitWith(exitInvalid, err)
	case errors.Is(err, sim.ErrAborted):
		return nil, exitWith(exitInterrupted, fmt.Errorf("%w; what was written is in %s", err, out.Dir))
	case err != nil:
		return nil, err
	}
	reported := reports.Write(out.Dir)
	if reported != nil {
		f.unreported = true
		fmt.Fprintf(cmd.ErrOrStderr(), "gatecrash: write the report: %v; `gatecrash report %s` tries again\n", reported, out.Dir)
	}
	if err := latest(f.out, out.Dir); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "gatecrash: %v\n", err)
	}
	view.Verdict(out.Result, out.Dir) // also when a report could not be written, as on a full disk
	if f.json {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(out.Result)
	}
	return out.Result, err
}

// view shows the run on a terminal as a block of lines, elsewhere as plain lines. With --json standard output holds the results alone.
func (f *runFlags) view(cmd *cobra.Command) *live.View {
	to := cmd.OutOrStdout()
	if f.json {
		to = cmd.ErrOrStderr()
	}
	return live.New(to, live.Options{Quiet: f.quiet})
}

// latest points the link "latest" at the newest run.
func latest(out, dir string) error {
	link := filepath.Join(out, "latest")
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(filepath.Base(dir), link)
}

// cleanLeftovers undoes what killed runs left behind, before a new one starts.
func cleanLeftovers(ctx context.Context, to io.Writer) error {
	report, err := journal.Clean(ctx)
	for _, item := range report.Undone {
		fmt.Fprintf(to, "left behind by killed run %s, removed: %s\n", item.Run, item.What)
	}
	if err != nil {
		fmt.Fprintf(to, "gatecrash: leftovers of a killed run could not be removed: %v; try `gatecrash clean`\n", err)
	}
	return ctx.Err()
}

// commandLine is the command as typed, with the passwords of URLs masked.
func commandLine() string {
	args := make([]string, len(os.Args))
	for i, a := range os.Args {
		args[i] = mask(a)
	}
	args[0] = filepath.Base(args[0])
	return strings.Join(args, " ")
}

// mask hides the password of a URL, alone or behind "--flag=".
func mask(arg string) string {
	flag, value, given := strings.Cut(arg, "=")
	if !given || !strings.HasPrefix(flag, "--") {
		value = arg
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil || u.Scheme == "" {
		if strings.Contains(value, "password=") {
			return strings.TrimSuffix(arg, value) + "***"
		}
		return arg
	}
	return strings.TrimSuffix(arg, value) + u.Redacted()
}
