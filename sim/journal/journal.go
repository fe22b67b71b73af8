package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

const suffix = ".journal"

// runID is what can be part of a file name, a schema name, a key prefix and a label at once.
var runID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// CheckRunID refuses a run id that cannot be part of file, schema and key names: 1 to 40 of a-z, 0-9, "_" and "-".
func CheckRunID(id string) error {
	if !runID.MatchString(id) {
		return fmt.Errorf("run id %q: want 1 to 40 of a-z, 0-9, _ and -, for example r7f3: %w", id, ErrBadRunID)
	}
	return nil
}

// Journal is the open, locked journal of a live run. Its methods are safe for concurrent use; those on a nil Journal do nothing, for
// tests and callers that need no journal.
type Journal struct {
	mu    sync.Mutex
	file  *os.File
	open  map[Mark]bool
	next  Mark
	kept  bool
	runID string
}

// Open creates and locks the journal of a run.
func Open(runID string) (*Journal, error) {
	if err := CheckRunID(runID); err != nil {
		return nil, err
	}
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	file, err := create(filepath.Join(dir, runID+suffix))
	if err != nil {
		return nil, fmt.Errorf("open journal of run %q: %w", runID, err)
	}
	j := &Journal{file: file, open: map[Mark]bool{}, next: 1, runID: runID}
	self, err := Identify(os.Getpid())
	if err == nil {
		err = j.write(entry{Kind: kindOwner, Run: runID, Process: &self})
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// create makes the file and locks it. A cleaner may remove it in between, taking it for the leftover of a dead run: then again.
func create(path string) (*os.File, error) {
	var lost bool // a cleaner has our file
	for range 1000 {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
		if errors.Is(err, os.ErrExist) && lost {
			time.Sleep(time.Millisecond)
			continue
		}
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("%q: %w", path, ErrExists)
		}
		if err != nil {
			return nil, err
		}
		err = lock(f)
		if err == nil {
			return f, nil
		}
		err = errors.Join(err, f.Close())
		if !errors.Is(err, errGone) && !errors.Is(err, errHeld) {
			return nil, err
		}
		lost = true
	}
	return nil, fmt.Errorf("%q: %w", path, errGone)
}

// RunID is the run this journal belongs to.
func (j *Journal) RunID() string {
	if j == nil {
		return ""
	}
	return j.runID
}

// Path of the journal's file.
func (j *Journal) Path() string {
	if j == nil {
		return ""
	}
	return j.file.Name()
}

// Process records a running process and, if it leads one, its process group.
func (j *Journal) Process(what string, p Process) (Mark, error) {
	return j.add(entry{Kind: kindProcess, What: what, Process: &p})
}

// Folder records a folder that is about to be created. Processes that run one of the programs (real paths) and work inside the folder
// are the run's and are killed with it.
func (j *Journal) Folder(path string, programs ...string) (Mark, error) {
	return j.add(entry{Kind: kindFolder, Path: path, Programs: programs})
}

// Containers records that docker containers with this label ("key=value") are about to be created.
func (j *Journal) Containers(label string) (Mark, error) {
	return j.add(entry{Kind: kindContainer, Label: label})
}

// Schema records a Postgres schema that is about to be created under this URL with the comment SchemaComment gives.
func (j *Journal) Schema(url, schema string) (Mark, error) {
	return j.add(entry{Kind: kindSchema, URL: url, Name: schema})
}

// Keys records a prefix of Redis keys that are about to be written under this URL.
func (j *Journal) Keys(url, prefix string) (Mark, error) {
	return j.add(entry{Kind: kindKeys, URL: url, Name: prefix})
}

// Revert records how to undo a fault that is about to be applied: the kind picks the Reverter given to Clean, which gets the data.
func (j *Journal) Revert(kind string, data json.RawMessage) (Mark, error) {
	return j.add(entry{Kind: kindRevert, What: kind, Data: data})
}

// Done records that the thing is gone. The zero Mark is ignored.
func (j *Journal) Done(m Mark) error {
	if j == nil || m == 0 {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.open[m] {
		return nil
	}
	delete(j.open, m)
	return j.write(entry{Kind: kindDone, ID: m})
}

// Keep records that what is still open is left on purpose: Clean leaves it alone unless WithKept is given.
func (j *Journal) Keep() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.kept = true
	return j.write(entry{Kind: kindKept})
}

// Close unlocks the journal. It removes the file if nothing is open; otherwise the file stays for Clean.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	var err error
	if len(j.open) == 0 {
		err = os.Remove(j.file.Name())
	}
	err = errors.Join(err, j.file.Close())
	j.file = nil
	return err
}

func (j *Journal) add(e entry) (Mark, error) {
	if j == nil {
		return 0, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e.ID = j.next
	if err := j.write(e); err != nil {
		return 0, err
	}
	j.next++
	j.open[e.ID] = true
	return e.ID, nil
}

func (j *Journal) write(e entry) error {
	if j.file == nil {
		return ErrClosed
	}
	return appendTo(j.file, e)
}

func appendTo(f *os.File, e entry) error {
	e.At = time.Now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode journal entry: %w", err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync journal: %w", err)
	}
	return nil
}
