package check

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"gatecrash/sim/drift"
	"gatecrash/sim/history"
	"gatecrash/sim/history/truth"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

// Load reads a run directory. Only a directory without a readable run.json is an error; everything else that is wrong with it becomes Damage.
func Load(path string) (*Input, error) {
	dir, err := result.OpenDir(path)
	if err != nil {
		return nil, err
	}
	run, err := result.ReadRun(dir)
	if err != nil {
		return nil, fmt.Errorf("%q is no run directory: %w", path, err)
	}
	in := &Input{Dir: path, Run: *run, Scenario: &scenario.Scenario{}, ParseKey: keyParser(run.KeyPrefix), ParseAccount: parseAccount}
	if !run.Ended {
		in.Lacks |= Counts
	} else if err := in.unseal(dir); err != nil {
		return nil, err
	}
	in.loadScenario(dir)
	in.loadRequests(dir)
	in.loadTruth(dir)
	in.loadFaults(dir)
	in.loadDrift(dir)
	return in, nil
}

// keyParser reads the keys of a plan: its prefix, a dash, the intent's number in hexadecimal.
func keyParser(prefix string) func(string) (uint64, bool) {
	return func(key string) (uint64, bool) {
		text, ok := strings.CutPrefix(key, prefix+"-")
		n, err := strconv.ParseUint(text, 16, 64)
		return n, ok && err == nil && n > 0
	}
}

// parseAccount reads the account names of a plan: an "a" and the account's number.
func parseAccount(name string) (uint32, bool) {
	text, ok := strings.CutPrefix(name, "a")
	n, err := strconv.ParseUint(text, 10, 32)
	return uint32(n), ok && err == nil
}

// damage notes what is wrong with a file and which source is lost with it.
func (in *Input) damage(file string, lost Source, format string, args ...any) {
	in.Damage = append(in.Damage, file+": "+fmt.Sprintf(format, args...))
	in.Lacks |= lost
}

// source of the rows in a file.
func source(file string) Source {
	switch file {
	case result.FileRequests:
		return Requests
	case result.FileLedger, result.FileBookings, result.FileTruth:
		return Rows
	case result.FileFaults:
		return Windows
	case result.FileDrift:
		return Samples
	}
	return 0
}

func (in *Input) unseal(dir result.Dir) error {
	odd, err := result.Unsealed(dir, &in.Run)
	for _, o := range odd {
		in.damage(o.File, source(o.File), "%s", o.Why)
	}
	return err
}

func (in *Input) loadScenario(dir result.Dir) {
	text, err := os.ReadFile(dir.Join(result.FileScenario))
	if err != nil {
		in.damage(result.FileScenario, 0, "%v", err)
		return
	}
	sc, err := scenario.Parse(dir.Join(result.FileScenario), text)
	if err != nil {
		in.damage(result.FileScenario, 0, "%v", err)
		return
	}
	names := make([]string, len(sc.Sales))
	for i, s := range sc.Sales {
		names[i] = s.Name
	}
	if sc.Name != in.Run.Scenario || !slices.Equal(names, in.Run.Sales) || len(sc.Crowds) != len(in.Run.Crowds) {
		in.damage(result.FileScenario, 0, "it is %s with sales %q, the run was of %s with sales %q", sc.Name, names, in.Run.Scenario, in.Run.Sales)
		return
	}
	if in.Run.Scale > 0 && in.Run.Scale != 1 {
		sc = sc.Scale(in.Run.Scale)
	}
	in.Scenario = sc
}

// loadRequests takes the Parquet file of a run that ended, and the records of one that did not.
func (in *Input) loadRequests(dir result.Dir) {
	if in.Lacks&Requests != 0 {
		return
	}
	file, read := result.FileRequests, in.readParquet
	if !in.Run.Ended && dir.Has(result.FileRecords) || !dir.Has(result.FileRequests) {
		file, read = result.FileRecords, in.readRecords
	}
	id, err := read(dir.Join(file))
	switch {
	case err != nil:
		in.unread(file, Requests, err)
	case id != in.Run.RunID:
		in.damage(file, Requests, "it is of run %s", id)
	case in.Run.Ended && in.Run.Records > 0 && in.Run.Records != int64(len(in.Requests)):
		in.damage(file, Requests, "it holds %d requests, run.json says %d", len(in.Requests), in.Run.Records)
	}
	if in.Lacks&Requests != 0 {
		in.Requests = nil
	}
}

func (in *Input) readParquet(path string) (string, error) {
	names, records, err := history.ReadAllParquet(path)
	in.Requests = records
	if err == nil && (!slices.Equal(names.Sales, in.Run.Sales) || !slices.Equal(names.Crowds, in.Run.Crowds)) {
		err = fmt.Errorf("it is of sales %q and crowds %q", names.Sales, names.Crowds)
	}
	return names.RunID, err
}

func (in *Input) readRecords(path string) (string, error) {
	head, records, lost, err := history.ReadAll(path)
	in.Requests, in.TailLost = records, lost
	return head.RunID, err
}

func (in *Input) loadTruth(dir result.Dir) {
	t, err := result.ReadTruth(dir)
	if err != nil {
		in.unread(result.FileTruth, Rows, err)
		return
	}
	in.Truth = *t
	if !t.Complete {
		in.Lacks |= Rows
	}
	if in.Lacks&Rows != 0 {
		return
	}
	var err1, err2 error
	in.Ledger1, in.Ledger2, err1 = truth.ReadLedger(dir.Join(result.FileLedger))
	in.Bookings1, in.Bookings2, err2 = truth.ReadBookings(dir.Join(result.FileBookings))
	if err := errors.Join(err1, err2); err != nil {
		in.unread("ledger and bookings", Rows, err)
		return
	}
	in.sameSales()
}

// sameSales holds the sales of the truth against those of the run.
func (in *Input) sameSales() {
	for _, name := range in.Run.Sales {
		_, one := saleRow(in.Truth.Sales1, name)
		_, two := saleRow(in.Truth.Sales2, name)
		if !one || !two {
			in.damage(result.FileTruth, Rows, "it has no rows of sale %s in both snapshots", name)
		}
	}
	for i := range in.Ledger2 {
		if s := in.Ledger2[i].Sale; !slices.Contains(in.Run.Sales, s) {
			in.damage(result.FileLedger, Rows, "it has rows of sale %s, which the run does not have", s)
			return
		}
	}
	for i := range in.Bookings2 {
		if s := in.Bookings2[i].Sale; !slices.Contains(in.Run.Sales, s) {
			in.damage(result.FileBookings, Rows, "it has rows of sale %s, which the run does not have", s)
			return
		}
	}
}

func (in *Input) loadFaults(dir result.Dir) {
	if in.Lacks&Windows != 0 {
		return
	}
	windows, err := result.ReadFaults(dir)
	if err != nil {
		in.unread(result.FileFaults, Windows, err)
		return
	}
	in.Faults = windows
}

func (in *Input) loadDrift(dir result.Dir) {
	if in.Lacks&Samples != 0 {
		return
	}
	samples, err := drift.Read(dir.Join(result.FileDrift))
	if err != nil {
		in.unread(result.FileDrift, Samples, err)
		return
	}
	in.Drift = samples
}

// unread notes a file that could not be read. That it is not there is no damage by itself: a run that was killed or broke may not have come as far as
// writing it, and run.json names the files that a complete run has.
func (in *Input) unread(file string, lost Source, err error) {
	if errors.Is(err, os.ErrNotExist) {
		in.Lacks |= lost
		return
	}
	in.damage(file, lost, "%v", err)
}
