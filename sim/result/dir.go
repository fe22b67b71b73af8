package result

import (
	"fmt"
	"os"
	"path/filepath"
)

// Dir is a run directory.
type Dir struct{ path string }

// OpenDir gives the run directory at path, which must exist.
func OpenDir(path string) (Dir, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Dir{}, fmt.Errorf("open run directory: %w", err)
	}
	if !info.IsDir() {
		return Dir{}, fmt.Errorf("open run directory %q: not a directory", path)
	}
	return Dir{path: path}, nil
}

// Path of the directory, as it was given.
func (d Dir) Path() string { return d.path }

// Join gives the path of a file in the directory.
func (d Dir) Join(name string) string { return filepath.Join(d.path, name) }

// Has reports whether the directory holds a file of that name.
func (d Dir) Has(name string) bool {
	_, err := os.Stat(d.Join(name))
	return err == nil
}

// WriteFile replaces a file of the directory, whole or not at all.
func (d Dir) WriteFile(name string, data []byte) error {
	return replace(d.Join(name), data)
}

// replace writes to a temporary name beside path, syncs and renames.
func replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %q: %w", path, err)
			os.Remove(f.Name()) //nolint:errcheck // the first error is the one to tell
		}
	}()
	_, err = f.Write(data)
	for _, then := range []func() error{f.Sync, func() error { return f.Chmod(0o644) }} {
		if err == nil {
			err = then()
		}
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
