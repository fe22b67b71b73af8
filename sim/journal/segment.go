package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// removeSegments looks for Postgres clusters one and two levels below the folder.
func removeSegments(folder string) error {
	var faults []error
	for _, below := range []string{"*", "*/*"} {
		files, err := filepath.Glob(filepath.Join(folder, below, "postmaster.pid"))
		faults = append(faults, err)
		for _, file := range files {
			faults = append(faults, RemoveSegment(file))
		}
	}
	return errors.Join(faults...)
}

// RemoveSegment removes the small System V segment that a killed Postgres leaves where it had no IPC namespace of its own. Line 7 of
// postmaster.pid holds its key and id (Postgres, src/include/utils/pidfile.h). An id alone could name another's segment here, when the
// server had a namespace of its own: the key must match, and nobody may be attached.
func RemoveSegment(pidFile string) error {
	text, err := os.ReadFile(pidFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for shared memory: %w", err)
	}
	key, id, ok := segmentIn(string(text))
	if !ok {
		return nil
	}
	var there unix.SysvShmDesc
	_, err = unix.SysvShmCtl(id, unix.IPC_STAT, &there)
	if err != nil || int(there.Perm.Key) != key || there.Nattch > 0 {
		return nil //nolint:nilerr // not there, or not the one
	}
	if _, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil); err != nil {
		return fmt.Errorf("remove shared memory segment %d: %w", id, err)
	}
	return nil
}

// segmentIn reads key and id of line 7 of a postmaster.pid.
func segmentIn(text string) (key, id int, ok bool) {
	lines := strings.Split(text, "\n")
	if len(lines) < 7 {
		return 0, 0, false
	}
	fields := strings.Fields(lines[6])
	if len(fields) != 2 {
		return 0, 0, false
	}
	k, err1 := strconv.ParseInt(fields[0], 10, 64)
	i, err2 := strconv.Atoi(fields[1])
	return int(int32(k)), i, err1 == nil && err2 == nil // the key is printed as an unsigned number
}
