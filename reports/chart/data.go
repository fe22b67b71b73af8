package chart

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
func Load(dir string) (Data, error) {
	var d Data
	d.HasRun = d.readJSON(dir, result.FileRun, &d.Run)
	d.HasResult = d.readJSON(dir, result.FileResult, &d.Result)
	if !exists(dir, result.FileRun) && !exists(dir, result.FileResult) {
		return Data{}, fmt.Errorf("read %q: %w", dir, ErrNotRun)
	}
	d.readJSON(dir, result.FileFaults, &d.Faults)
	d.series = d.readTable(dir, result.FileSeries, result.SeriesColumns())
	d.drift = d.readTable(dir, result.FileDrift, result.DriftColumns())
	return d, nil
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// readJSON fills into and tells whether it did.
func (d *Data) readJSON(dir, name string, into any) bool {
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		d.miss(name, err)
	}
	return err == nil
}

func (d *Data) miss(name string, err error) {
	why := err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		why = "is not there"
	}
	d.Missing = append(d.Missing, Missing{File: name, Why: why})
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
