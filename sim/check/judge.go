package check

import (
	"fmt"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// Judge gives the verdict on a run, and every figure of result.json, from its rows alone. Same input, same result.
func Judge(in *Input) *result.Result {
	f := newFacts(in)
	all := make([]result.Check, 0, len(checks))
	for i := range checks {
		all = append(all, checks[i].run(f))
	}
	all = append(all, f.objectives()...)
	r, verdict := f.result(), f.rule(all)
	r.Verdict, r.Exit, r.Reason = verdict.verdict, verdict.exit, verdict.reason
	for i := range all {
		if all[i].Verdict == result.Fail {
			all[i].Evidence = append(all[i].Evidence, f.again())
		}
	}
	r.Checks = all
	return r
}

// again says how a reader reruns what failed.
func (f *facts) again() string {
	run := &f.in.Run
	scale := ""
	if run.Scale != 0 && run.Scale != 1 {
		scale = fmt.Sprintf(" --scale %g", run.Scale)
	}
	return fmt.Sprintf("run again: gatecrash run %s --seed %d%s; judge again: gatecrash check %s", run.Scenario, run.Seed, scale, f.in.Dir)
}

// result is result.json without checks and verdict.
func (f *facts) result() *result.Result {
	run, sc := &f.in.Run, f.in.Scenario
	r := &result.Result{
		Schema: result.Schema, RunID: run.RunID, Interrupted: run.Interrupted, Scenario: run.Scenario, Question: sc.Question,
		Expected: expected(sc.Verdict), Seed: run.Seed, Scale: run.Scale, PlanHash: run.PlanHash, Started: run.Started, DurationMS: run.EndMS,
		Environment: result.Environment{
			Version: run.Version, GoVersion: run.GoVersion, OS: run.OS, Cores: run.Cores, Backend: run.Backend, Replicas: run.Replicas,
			Postgres: run.Postgres, Redis: run.Redis, Command: run.Command, RunDir: f.in.Dir, CommitMode: sc.System.Commit.Mode,
		},
		Balance: result.Balance{Visitors: run.Visitors, Requests: []result.Requests{}},
		Times:   f.times(), Goodput: f.goodput(), Sales: f.sold, Drift: f.drifts, Faults: f.told,
		Generator: run.Generator, Contenders: f.contenders(), Findings: f.findings(), TailLost: f.in.TailLost,
	}
	for _, op := range operations() {
		if c := f.tallies[op]; c != nil {
			r.Balance.Requests = append(r.Balance.Requests, c.Requests)
		}
	}
	return r
}

func (f *facts) contenders() result.Contenders {
	c := f.of(history.OpBook)
	var sold int64
	for _, s := range f.sales {
		sold += s.one.Capacity - s.one.Free
	}
	return result.Contenders{DatabaseRefusals: c.database, GateRefusals: c.gate, PerSeatSold: share(c.database, sold), LockWaitMeanUS: f.in.Run.LockWaitUS}
}

func (f *facts) saleResults() []result.Sale {
	all := []result.Sale{}
	wanted := f.leastWanted()
	for i, s := range f.sales {
		one, two := s.at(s.one.Version), s.at(never)
		r := result.Sale{
			Name: s.name, Capacity: s.two.Capacity, SeatsSold: one.booked, SeatsResumed: two.booked - one.booked, Free: s.two.Free,
			Bookings: int64(len(s.bookings)), Version: s.two.Version, SoldOutMS: -1, WronglyRefused: f.drifts[i].WronglyRefused,
		}
		for _, k := range s.bookings {
			if f.bookings[k].row.State == cancelled {
				r.Cancelled++
			}
		}
		if at := s.knownBelow(wanted[i]); at != never {
			r.SoldOutMS = at / 1e6
		}
		all = append(all, r)
	}
	return all
}
