package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Dir returns the state folder, creating it with mode 0700: $GATECRASH_STATE, else $XDG_STATE_HOME/gatecrash, else
// ~/.local/state/gatecrash, else a folder of this user in the folder for temporary files. A folder given by $GATECRASH_STATE has no
// substitute: if it cannot be used, that is an error.
func Dir() (string, error) {
	if dir := os.Getenv("GATECRASH_STATE"); dir != "" {
		return dir, usable(dir)
	}
	var faults []error
	for _, dir := range candidates() {
		err := usable(dir)
		if err == nil {
			return dir, nil
		}
		faults = append(faults, err)
	}
	return "", fmt.Errorf("find a state folder: %w", errors.Join(faults...))
}

func candidates() []string {
	var dirs []string
	if xdg := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(xdg) {
		dirs = append(dirs, filepath.Join(xdg, "gatecrash"))
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		dirs = append(dirs, filepath.Join(home, ".local", "state", "gatecrash"))
	}
	return append(dirs, filepath.Join(os.TempDir(), "gatecrash-"+strconv.Itoa(os.Getuid())))
}

// usable creates the folder and tries to write into it. A folder that belongs to another user is refused: in a shared folder for
// temporary files anyone may have put it there.
func usable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create state folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("read state folder: %w", err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return fmt.Errorf("state folder %q: %w", dir, ErrForeignFolder)
	}
	probe, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return fmt.Errorf("write to state folder: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
