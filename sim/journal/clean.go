package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	cerrdefs "github.com/containerd/errdefs"
)

// undoTimeout bounds the undoing of one entry.
const undoTimeout = 10 * time.Second

// Report of one Clean.
type Report struct {
	Undone  []Item // leftovers that are gone now
	Failed  []Item // leftovers that are still there; their journal stays for the next Clean
	Live    int    // journals of live runs, not touched
	Kept    int    // journals of what a run left on purpose, not touched
	Removed int    // journals removed
}

// Item is one leftover.
type Item struct {
	Run  string
	What string
	Err  error
}

// Option of Clean.
type Option func(*cleaner)

// WithKept also undoes what runs left on purpose (see Journal.Keep).
func WithKept() Option { return func(c *cleaner) { c.kept = true } }

// WithReverter tells how to undo the entries that Journal.Revert recorded under this kind.
func WithReverter(kind string, undo func(ctx context.Context, data json.RawMessage) error) Option {
	return func(c *cleaner) { c.reverters[kind] = undo }
}

type cleaner struct {
	kept      bool
	reverters map[string]func(context.Context, json.RawMessage) error
	report    Report
}

// Clean undoes the leftovers of all journals in the state folder that no live process holds, newest entry first, and removes those
// journals. It may run beside live runs and beside other cleaners. The error joins the failures; the report is valid with it.
func Clean(ctx context.Context, options ...Option) (Report, error) {
	c := &cleaner{reverters: map[string]func(context.Context, json.RawMessage) error{}}
	for _, option := range options {
		option(c)
	}
	dir, err := Dir()
	if err != nil {
		return c.report, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return c.report, fmt.Errorf("list journals: %w", err)
	}
	var faults []error
	for _, path := range paths {
		faults = append(faults, c.journal(ctx, path))
	}
	return c.report, errors.Join(faults...)
}

// journal undoes one journal under its lock. A journal that a live run or another cleaner holds is none of ours.
func (c *cleaner) journal(ctx context.Context, path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	defer f.Close()
	switch err := lock(f); {
	case errors.Is(err, errHeld):
		c.report.Live++
		return nil
	case errors.Is(err, errGone):
		return nil
	case err != nil:
		return err
	}
	was, err := read(f)
	if err != nil {
		return fmt.Errorf("clean %q: %w", path, err)
	}
	if was.kept && !c.kept {
		c.report.Kept++
		return nil
	}
	return c.undoAll(ctx, f, was)
}

func (c *cleaner) undoAll(ctx context.Context, f *os.File, was contents) error {
	if err := mend(f); err != nil {
		return err
	}
	var faults []error
	slices.Reverse(was.open)
	for _, e := range was.open {
		item := Item{Run: was.owner.Run, What: e.String(), Err: c.undo(ctx, was.owner.Run, e)}
		if item.Err != nil {
			c.report.Failed = append(c.report.Failed, item)
			faults = append(faults, fmt.Errorf("undo %s of run %q: %w", item.What, item.Run, item.Err))
			continue
		}
		c.report.Undone = append(c.report.Undone, item)
		faults = append(faults, appendTo(f, entry{Kind: kindDone, ID: e.ID}))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	c.report.Removed++
	return os.Remove(f.Name())
}

// mend cuts a torn last line off, so that what is appended next starts a line of its own.
func mend(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("mend journal: %w", err)
	}
	text := make([]byte, info.Size())
	if _, err := f.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("mend journal: %w", err)
	}
	end := len(text)
	for end > 0 && text[end-1] != '\n' {
		end--
	}
	return f.Truncate(int64(end))
}

func (c *cleaner) undo(ctx context.Context, runID string, e entry) error {
	ctx, cancel := context.WithTimeout(ctx, undoTimeout)
	defer cancel()
	switch e.Kind {
	case kindProcess:
		return e.Process.Kill(ctx)
	case kindFolder:
		return RemoveFolder(ctx, e.Path, e.Programs)
	case kindContainer:
		return RemoveContainers(ctx, e.Label)
	case kindSchema:
		return DropSchema(ctx, e.URL, e.Name, runID, AppName(runID))
	case kindKeys:
		return DropKeys(ctx, e.URL, e.Name)
	case kindRevert:
		if undo, ok := c.reverters[e.What]; ok {
			return undo(ctx, e.Data)
		}
	}
	return fmt.Errorf("%s %q: %w", e.Kind, e.What, ErrNoReverter)
}

// AppName is the application_name of a run's Postgres sessions.
func AppName(runID string) string { return "gatecrash-" + runID }

// String names the leftover for people; it never holds a URL.
func (e entry) String() string {
	switch e.Kind {
	case kindProcess:
		return fmt.Sprintf("process %d (%s)", e.Process.PID, e.What)
	case kindFolder:
		return fmt.Sprintf("folder %s", e.Path)
	case kindContainer:
		return fmt.Sprintf("containers labelled %s", e.Label)
	case kindSchema:
		return fmt.Sprintf("schema %s", e.Name)
	case kindKeys:
		return fmt.Sprintf("keys %s*", e.Name)
	}
	return fmt.Sprintf("%s %s", e.Kind, e.What)
}

// gone reports whether docker says that the container is not there or is being removed already.
func gone(err error) bool { return cerrdefs.IsNotFound(err) || cerrdefs.IsConflict(err) }
