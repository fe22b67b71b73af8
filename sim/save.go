package sim

import (
	"errors"
	"fmt"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/history/truth"
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
	all := []error{
		r.saveDrift(), r.saveRequests(), r.saveTruth(),
		result.WriteTruth(r.dir, &r.tru), result.WriteFaults(r.dir, r.windows()),
	}
	all = append(all, result.WriteRun(r.dir, &r.meta)) // last: it sums the others up
	if err := errors.Join(all...); err != nil {
		return fmt.Errorf("write the run directory %s: %w", r.dir.Path(), err)
	}
	return nil
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

func (r *run) saveRequests() error {
	if r.records == nil {
		return nil
	}
	_, err := history.Convert(r.dir.Join(result.FileRecords), r.dir.Join(result.FileRequests), r.meta.Sales, r.meta.Crowds, nil)
	return err
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
