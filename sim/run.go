package sim

import (
	"context"
	"errors"

	"gatecrash/sim/check"
	"gatecrash/sim/live"
	"gatecrash/sim/result"
)

// Outcome of a run.
type Outcome struct {
	Dir    string // the run directory
	Result *result.Result
}

// Run rehearses one scenario. Cancelling ctx tears everything down at once; closing Options.Stop ends the crowd and lets the rest of the run take its course.
// An error means that there is no verdict: ErrNothingRun, ErrUnwritable, ErrAborted, or something inside Gatecrash.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	r, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	err = r.rehearse(ctx)
	r.stage("tearing down")
	err = errors.Join(err, r.teardown(ctx))
	if errors.Is(err, ErrNothingRun) {
		return nil, errors.Join(err, r.forget())
	}
	if saved := r.save(err); saved != nil {
		return nil, r.unsaved(err, saved)
	}
	if ctx.Err() != nil {
		return &Outcome{Dir: r.dir.Path()}, errors.Join(ErrAborted, context.Cause(ctx))
	}
	return r.judge()
}

// rehearse is the run itself. An error is what broke; what was seen until then is saved and judged all the same.
func (r *run) rehearse(ctx context.Context) error {
	for _, stage := range []struct {
		name string // as the view shows it
		do   func(context.Context) error
	}{
		{"starting servers", r.serversUp},
		{"starting the booking system", r.systemUp},
		{"opening sales", r.openEarly},
		{"getting ready", r.ready},
		{live.Crowd, r.play},
		{"fencing and reconciling", r.end},
		{"asking again for unknown outcomes", r.resume},
	} {
		r.stage(stage.name)
		if err := stage.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// judge reads the directory back and gives the verdict.
func (r *run) judge() (*Outcome, error) {
	r.stage("checking")
	in, err := check.Load(r.dir.Path())
	if err != nil {
		return nil, err
	}
	res := check.Judge(in)
	if err := result.WriteResult(r.dir, res); err != nil {
		return nil, err
	}
	return &Outcome{Dir: r.dir.Path(), Result: res}, nil
}
