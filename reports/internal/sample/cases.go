package sample

import (
	"errors"
	"os"
	"path/filepath"

	"gatecrash/sim/result"
)

// Night is a minute of a sale that holds through two faults.
func Night() Spec {
	return Spec{
		Name: "opening-night", Seed: 7, Seconds: 60, OpensAt: 5, Visitors: 12000, Capacity: 1500,
		Faults: []Fault{
			{Name: "blackout", Inject: "redis.kill", At: 10.4, For: 5, Dark: true, Slow: 1.8, Cut: 0.02, Surplus: 37},
			{Name: "crash", Inject: "api.crash", At: 21.7, For: 1.4, Slow: 1.4, Cut: 0.1},
		},
	}
}

// Case is a run directory of a kind that reports must cope with.
type Case struct {
	Name  string
	Write func(dir string) error
}

// Cases are the kinds of runs that the golden files cover.
func Cases() []Case {
	return []Case{{"failing", failing}, {"empty", empty}, {"killed", killed}, {"dark", dark}}
}

// failing sold a seat twice; its texts try to be markup.
func failing(dir string) error {
	spec := Spec{Name: "last-seat-duel", Seed: 3, Seconds: 12, OpensAt: 2, Visitors: 200, Capacity: 40,
		Faults: []Fault{{Name: "<b>slow</b>", Inject: "postgres.slow_commit", At: 4, For: 3, Slow: 2, Surplus: 50}}}
	return Write(dir, spec, func(r *result.Result) {
		r.Verdict, r.Exit, r.Reason = result.Fail, 1, "no_oversell is broken: 42 seats of 40 are sold at version 41."
		r.Question = `Can "</script><script>alert(1)</script>" buy the last seat twice?`
		c := &r.Checks[0]
		c.Verdict, c.Measured, c.Violations = result.Fail, "booked 42 of 40", 2
		c.First = &result.Violation{Sale: "main", Version: 41, Intent: "1a", Attempt: 2, AtMS: 6120}
		c.Evidence = []string{"version 41: intent 1a, 2 seats, free 0 -> -2", "version 40: intent 17, 1 seat, free 1 -> 0", "<img src=x onerror=alert(1)>"}
		c = &r.Checks[12]
		c.Verdict, c.Measured, c.Reason = result.Inconclusive, "0 of 1", "<b>slow</b> touched no request"
		r.Faults[0].Proven, r.Faults[0].Touched, r.Faults[0].RecoveryMS, r.Faults[0].Recovery = false, 0, -1, "nothing-to-measure"
	})
}

// empty is a run to which nobody came.
func empty(dir string) error {
	return Write(dir, Spec{Name: "nobody", Seed: 1, Seconds: 3, OpensAt: 0, Visitors: 0, Capacity: 10}, func(r *result.Result) {
		r.Verdict, r.Exit, r.Reason = result.Inconclusive, 3, "no booking was requested"
		r.Checks, r.Times, r.Goodput, r.Drift, r.Findings, r.Sales[0].SoldOutMS = nil, nil, nil, nil, nil, -1
		r.Balance.Requests, r.Generator, r.Contenders = nil, result.Generator{}, result.Contenders{}
		r.Environment.Postgres, r.Environment.Redis = nil, nil
	})
}

// killed is the directory of a run whose harness was killed: never judged, one file torn, one missing, a fault never healed.
func killed(dir string) error {
	spec := Spec{Name: "redis-blackout", Seed: 9, Seconds: 8, OpensAt: 1, Visitors: 300, Capacity: 2000, Faults: []Fault{{Name: "blackout", Inject: "redis.kill", At: 5, For: 3}}}
	if err := Write(dir, spec, nil); err != nil {
		return err
	}
	d, err := result.OpenDir(dir)
	if err != nil {
		return err
	}
	run, err := result.ReadRun(d)
	if err != nil {
		return err
	}
	run.Ended, run.EndMS, run.Files = false, 0, nil
	open := windows(spec)
	open[0].Healed, open[0].HealedNS, open[0].Reverted = false, 0, false
	return errors.Join(result.WriteRun(d, run), result.WriteFaults(d, open), tear(d.Join(result.FileSeries)), os.Remove(d.Join(result.FileResult)), os.Remove(d.Join(result.FileDrift)))
}

// tear cuts the last few bytes of a file.
func tear(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()-20)
}

// dark is three interrupted seconds in which the gate never answered and nobody could book.
func dark(dir string) error {
	spec := Spec{Name: "dark", Seed: 5, Seconds: 3, OpensAt: 60, Visitors: 500, Capacity: 100, Faults: []Fault{{Name: "gone", Inject: "gate.cut", At: 0, For: 3, Dark: true}}}
	return Write(dir, spec, func(r *result.Result) {
		r.Verdict, r.Exit, r.Reason, r.Interrupted, r.TailLost = result.Invalid, 130, "interrupted before the opening", true, 17
		r.Drift[0] = result.Drift{Sale: "main", Samples: 30, Unknown: 30}
		r.Times, r.Goodput = nil, nil
	})
}

// WriteCases makes the directories of all cases below a folder, each anew.
func WriteCases(folder string) error {
	for _, c := range Cases() {
		dir := filepath.Join(folder, c.Name)
		if err := errors.Join(os.RemoveAll(dir), c.Write(dir)); err != nil {
			return err
		}
	}
	return nil
}
