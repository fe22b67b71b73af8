package chart

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"gatecrash/sim/result"
)

// ErrNotRun is returned for a directory without run.json and result.json.
var ErrNotRun = errors.New("not a run directory")

// Data is everything the reports know of a run. What could not be read is zero and named in Missing.
type Data struct {
	Run       result.Run
	Result    result.Result
	Faults    []result.FaultWindow
	HasRun    bool // run.json was read
	HasResult bool // result.json was read
	Missing   []Missing

	series table
	drift  table
}

// Missing is a file that could not be read, or not to its end.
type Missing struct {
	File string
	Why  string // a clause: "is not there", "line 7: wrong number of fields"
}

// Load reads a run directory. Only a directory that holds no run at all is an error.
func Load(path string) (Data, error) {
	dir, err := result.OpenDir(path)
	if err != nil {
		return Data{}, err
	}
	if !dir.Has(result.FileRun) && !dir.Has(result.FileResult) {
		return Data{}, fmt.Errorf("read %q: %w", path, ErrNotRun)
	}
	var d Data
	if run, err := result.ReadRun(dir); d.read(dir, result.FileRun, err) {
		d.Run, d.HasRun = *run, true
	}
	if res, err := result.ReadResult(dir); d.read(dir, result.FileResult, err) {
		d.Result, d.HasResult = *res, true
	}
	faults, err := result.ReadFaults(dir)
	d.read(dir, result.FileFaults, err)
	d.Faults = faults
	d.series = d.readTable(dir, result.FileSeries, result.SeriesColumns())
	d.drift = d.readTable(dir, result.FileDrift, result.DriftColumns())
	return d, nil
}

// read tells whether a file was read, and notes why if not. The path is left out: a report must not depend on the way to its directory.
func (d *Data) read(dir result.Dir, name string, err error) bool {
	if err == nil {
		return true
	}
	why := strings.ReplaceAll(err.Error(), strconv.Quote(dir.Join(name)), name)
	why = "cannot be read: " + strings.TrimPrefix(why, "read "+name+": ")
	if errors.Is(err, fs.ErrNotExist) {
		why = "is not there"
	}
	d.Missing = append(d.Missing, Missing{File: name, Why: why})
	return false
}

// missing gives the reason a file's charts are empty, or "".
func (d *Data) missing(name string) string {
	for _, m := range d.Missing {
		if m.File == name {
			return name + " " + m.Why
		}
	}
	return ""
}

// Seed of the run, from whichever file has it.
func (d *Data) Seed() uint64 {
	if d.HasResult {
		return d.Result.Seed
	}
	return d.Run.Seed
}

// Sales of the run by name, in the order of the scenario.
func (d *Data) Sales() []string {
	if len(d.Run.Sales) > 0 {
		return d.Run.Sales
	}
	var names []string
	for _, s := range d.Result.Sales {
		names = append(names, s.Name)
	}
	return names
}
