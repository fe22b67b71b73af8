package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"gatecrash/sim/check"
	"gatecrash/sim/history"
	"gatecrash/sim/history/truth"
	"gatecrash/sim/measure"
	"gatecrash/sim/result"
)

// save writes the files that stand beside the records. What broke, if anything, is said in run.json; a file that cannot be written is an error of the run.
func (r *run) save(broke error) error {
	if broke != nil {
		r.meta.Broke = broke.Error()
		r.tru.Error = broke.Error()
	}
	r.meta.Ended = true
	r.meta.Interrupted = isClosed(r.o.Stop)
	r.copyOpenings()
	if r.records != nil {
		r.meta.Records = r.records.Written()
	}
	err := errors.Join(
		r.saveDrift(), r.saveTruth(), result.WriteTruth(r.dir, &r.tru), result.WriteFaults(r.dir, r.windows()), result.WriteRun(r.dir, &r.meta),
	)
	if err == nil && r.records != nil {
		err = r.saveRequests()
	}
	// last, once more: it sums the other files up
	if err = errors.Join(err, result.WriteRun(r.dir, &r.meta)); err != nil {
		return fmt.Errorf("write the run directory %s: %w", r.dir.Path(), err)
	}
	return nil
}

// unsaved tells a disk that fills from a fault of Gatecrash. Every file fails then, and the first says it all.
func (r *run) unsaved(broke, saved error) error {
	all := errors.Join(broke, saved)
	var path *fs.PathError
	if !errors.As(all, &path) {
		return all
	}
	return fmt.Errorf("%w: %w; `gatecrash check %s` judges what was written; make room or choose another --out, and run again", ErrUnwritable, path, r.dir.Path())
}

func (r *run) windows() []result.FaultWindow {
	if r.schedule != nil {
		return r.schedule.Windows()
	}
	windows := make([]result.FaultWindow, len(r.o.Scenario.Faults))
	for i, f := range r.o.Scenario.Faults {
		windows[i] = result.FaultWindow{Name: f.Name, Inject: f.Inject, Planned: f.When.String(), Replica: f.Replica}
	}
	return windows
}

func (r *run) saveTruth() error {
	return errors.Join(
		truth.WriteLedger(r.dir.Join(result.FileLedger), r.snaps[0].Ledger, r.snaps[1].Ledger),
		truth.WriteBookings(r.dir.Join(result.FileBookings), r.snaps[0].Bookings, r.snaps[1].Bookings),
	)
}

// saveRequests writes what is made of the records: the Parquet file with the phase of each, the series, and the histogram log. Phases need openings, sold-out
// and recoveries, so the records are judged once before.
func (r *run) saveRequests() error {
	in, err := check.Load(r.dir.Path())
	if err != nil {
		return err
	}
	timeline := measure.TimelineOf(&r.meta, check.Judge(in), r.windows())
	if _, err := history.Convert(r.dir.Join(result.FileRecords), r.dir.Join(result.FileRequests), r.meta.Sales, r.meta.Crowds, timeline.Of); err != nil {
		return err
	}
	series := measure.Series{
		Records: in.Requests, Timeline: timeline, Zero: r.meta.Started, Arrivals: r.arrivals(),
		SeatsLeft: measure.SeatsLeft(r.tru.Sales1, r.snaps[0].Ledger, r.meta.Started),
	}
	return series.WriteFiles(r.dir.Join(result.FileSeries), r.dir.Join(result.FileHistogram))
}

// arrivals are the planned arrivals of those who came.
func (r *run) arrivals() []int64 {
	all := make([]int64, r.meta.Visitors.Started)
	for i := range all {
		all[i] = int64(r.plan.Visitor(i).Arrive)
	}
	return all
}

func (r *run) saveDrift() error {
	if r.sampler == nil {
		return nil
	}
	return r.sampler.Close()
}

// copyOpenings notes when each sale really opened.
func (r *run) copyOpenings() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, at := range r.opened {
		if at >= 0 {
			r.meta.OpenedMS[i] = int64(at / time.Millisecond)
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
