package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrSchema is wrapped when a file has a schema version that this package does not read.
var ErrSchema = errors.New("schema version not known")

// oldest is the earliest schema version that is read: the one before Schema, but there is none before 1.
const oldest = max(1, Schema-1)

// WriteRun writes run.json. With Ended set it first sums up every file that stands beside it, so a run that ended is written last of all.
func WriteRun(d Dir, r *Run) error {
	r.Schema = Schema
	if r.Ended {
		files, err := d.sums()
		if err != nil {
			return err
		}
		r.Files = files
	}
	return writeJSON(d, FileRun, r)
}

// ReadRun reads run.json.
func ReadRun(d Dir) (*Run, error) {
	return readJSON(d, FileRun, func(r *Run) int { return r.Schema })
}

// WriteTruth writes truth.json.
func WriteTruth(d Dir, t *Truth) error {
	t.Schema = Schema
	return writeJSON(d, FileTruth, t)
}

// ReadTruth reads truth.json.
func ReadTruth(d Dir) (*Truth, error) {
	return readJSON(d, FileTruth, func(t *Truth) int { return t.Schema })
}

// faultFile is faults.json.
type faultFile struct {
	Schema int           `json:"schema"`
	Faults []FaultWindow `json:"faults"`
}

// WriteFaults writes faults.json.
func WriteFaults(d Dir, windows []FaultWindow) error {
	return writeJSON(d, FileFaults, &faultFile{Schema: Schema, Faults: append([]FaultWindow{}, windows...)})
}

// ReadFaults reads faults.json.
func ReadFaults(d Dir) ([]FaultWindow, error) {
	f, err := readJSON(d, FileFaults, func(f *faultFile) int { return f.Schema })
	if err != nil {
		return nil, err
	}
	return f.Faults, nil
}

// WriteResult writes result.json.
func WriteResult(d Dir, r *Result) error {
	r.Schema = Schema
	return writeJSON(d, FileResult, r)
}

// ReadResult reads result.json.
func ReadResult(d Dir) (*Result, error) {
	return readJSON(d, FileResult, func(r *Result) int { return r.Schema })
}

func writeJSON(d Dir, name string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return d.WriteFile(name, b.Bytes())
}

func readJSON[T any](d Dir, name string, schema func(*T) int) (*T, error) {
	path := d.Join(name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	v := new(T)
	if err := decode(data, v); err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	if got := schema(v); got < oldest || got > Schema {
		return nil, fmt.Errorf("read %q: got schema %d, want %d to %d: %w", path, got, oldest, Schema, ErrSchema)
	}
	return v, nil
}

// decode takes exactly one JSON value: a file with more after it was not written by this package.
func decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the end of the value")
	}
	return nil
}
