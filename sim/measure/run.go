package measure

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"time"

	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// TimelineOf cuts a run into phases by what its result says: openings, when the last sale was sold out, and the recovery of each fault. windows are those of
// faults.json, for the exact instants.
func TimelineOf(run *result.Run, res *result.Result, windows []result.FaultWindow) Timeline {
	var faults []Window
	for _, w := range windows {
		if w.Applied {
			faults = append(faults, windowOf(w, res.Faults))
		}
	}
	return NewTimeline(openedAt(run), soldOutAt(res.Sales), faults)
}

func windowOf(w result.FaultWindow, faults []result.Fault) Window {
	if !w.Healed {
		return Window{w.AppliedNS, Never, Never}
	}
	i := slices.IndexFunc(faults, func(f result.Fault) bool { return f.Name == w.Name })
	switch {
	case i >= 0 && faults[i].RecoveryMS >= 0:
		return Window{w.AppliedNS, w.HealedNS, w.HealedNS + faults[i].RecoveryMS*int64(time.Millisecond)}
	case i >= 0 && faults[i].Recovery == "metastable":
		return Window{w.AppliedNS, w.HealedNS, Never}
	default:
		return Window{w.AppliedNS, w.HealedNS, w.HealedNS}
	}
}

// openedAt is when the first sale opened, else when the first one should have.
func openedAt(run *result.Run) int64 {
	at := Never
	for i, planned := range run.OpensMS {
		ms := planned
		if i < len(run.OpenedMS) && run.OpenedMS[i] >= 0 {
			ms = run.OpenedMS[i]
		}
		at = min(at, ms*int64(time.Millisecond))
	}
	return at
}

// soldOutAt is when the last sale was sold out; Never while one was not.
func soldOutAt(sales []result.Sale) int64 {
	at := Never
	for i, s := range sales {
		if s.SoldOutMS < 0 {
			return Never
		}
		if ns := s.SoldOutMS * int64(time.Millisecond); i == 0 || ns > at {
			at = ns
		}
	}
	return at
}

// SeatsLeft gives the free seats of all sales at an instant by the ledger's rows, whose instants are the database's wall clock. ends are the sales' rows at the
// same snapshot as the ledger. Without a sale nothing is known.
func SeatsLeft(ends []result.SaleRow, rows []target.LedgerRow, zero time.Time) func(at int64) (int64, bool) {
	free := int64(0)
	for _, s := range ends {
		free += s.Free
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b target.LedgerRow) int { return a.At.Compare(b.At) })
	after := make([]int64, len(rows)+1) // free seats after the first n rows
	after[len(rows)] = free
	for i := len(rows); i > 0; i-- {
		after[i-1] = after[i] - rows[i-1].Seats
	}
	return func(at int64) (int64, bool) {
		instant := zero.Add(time.Duration(at))
		n := sort.Search(len(rows), func(i int) bool { return rows[i].At.After(instant) })
		return after[n], len(ends) > 0
	}
}

// WriteFiles writes series.csv and response.hlog, each whole or not at all.
func (s Series) WriteFiles(table, log string) (err error) {
	t, err := os.Create(table + ".tmp")
	if err != nil {
		return fmt.Errorf("create series: %w", err)
	}
	l, err := os.Create(log + ".tmp")
	if err != nil {
		return errors.Join(fmt.Errorf("create histogram log: %w", err), t.Close(), os.Remove(t.Name()))
	}
	if err := errors.Join(s.Write(t, l), t.Close(), l.Close()); err != nil {
		return errors.Join(err, os.Remove(t.Name()), os.Remove(l.Name()))
	}
	return errors.Join(os.Rename(t.Name(), table), os.Rename(l.Name(), log))
}
