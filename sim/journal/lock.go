package journal

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Named errors of this package.
var (
	// ErrExists says that a journal of this run id is there already.
	ErrExists = errors.New("a journal of this run exists")
	// ErrForeignFolder says that the state folder belongs to another user.
	ErrForeignFolder = errors.New("folder belongs to another user")
	// ErrClosed says that the journal was closed before.
	ErrClosed = errors.New("journal is closed")
	// ErrNoReverter says that nobody told Clean how to undo an entry of this kind.
	ErrNoReverter = errors.New("no reverter for this kind")
	// ErrNotOurs says that a thing of that name is there, but it does not carry the mark of the run.
	ErrNotOurs = errors.New("does not carry the mark of this run")
	// ErrBadRunID says that a run id holds letters that cannot be part of a file, schema and key name.
	ErrBadRunID = errors.New("bad run id")
	// ErrTooWide says that an entry names a folder, label or key prefix so wide that undoing it could touch others.
	ErrTooWide = errors.New("too wide to undo")

	// ErrStubborn says that something was removed again and again and is still there.
	ErrStubborn = errors.New("still there after many removals")

	errHeld   = errors.New("held by a live run")
	errEnough = errors.New("enough")
	errGone   = errors.New("removed by another cleaner")
)

// lock takes the exclusive flock without waiting. The file descriptor is close-on-exec (package os opens it so), hence no child
// process keeps the lock alive.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errHeld
	}
	if err != nil {
		return fmt.Errorf("lock %q: %w", f.Name(), err)
	}
	return sameFile(f)
}

// sameFile tells whether the locked file is still the one its path names: between open and lock someone may have removed it.
func sameFile(f *os.File) error {
	mine, err := f.Stat()
	if err != nil {
		return fmt.Errorf("stat journal: %w", err)
	}
	there, err := os.Stat(f.Name())
	if errors.Is(err, os.ErrNotExist) || (err == nil && !os.SameFile(mine, there)) {
		return errGone
	}
	return err
}
