package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process names one incarnation of a process: a pid alone is taken again sooner or later.
type Process struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"` // since boot, in clock ticks: field 22 of /proc/PID/stat
	BootID     string `json:"boot_id"`
}

// Stat is what /proc/PID/stat says about a process.
type Stat struct {
	State      byte // R, S, D, T (stopped), Z (zombie), X, ...
	Parent     int
	Group      int
	StartTicks uint64
}

// ReadStat reads /proc/PID/stat; fields by proc(5).
func ReadStat(pid int) (Stat, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return Stat{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	return parseStat(string(text))
}

// parseStat reads the fields behind the program's name, which is in parentheses and may hold spaces and parentheses itself.
func parseStat(text string) (Stat, error) {
	_, rest, ok := cutLast(text, ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return Stat{}, fmt.Errorf("parse process status %q: want 22 fields", text)
	}
	parent, err1 := strconv.Atoi(fields[1])
	group, err2 := strconv.Atoi(fields[2])
	start, err3 := strconv.ParseUint(fields[19], 10, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return Stat{}, fmt.Errorf("parse process status: %w", err)
	}
	return Stat{State: fields[0][0], Parent: parent, Group: group, StartTicks: start}, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// Identify reads who runs under this pid now.
func Identify(pid int) (Process, error) {
	stat, err := ReadStat(pid)
	if err != nil {
		return Process{}, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Process{}, fmt.Errorf("read boot id: %w", err)
	}
	return Process{PID: pid, StartTicks: stat.StartTicks, BootID: strings.TrimSpace(string(boot))}, nil
}

// Alive reports whether this very process still runs. A zombie does not.
func (p Process) Alive() bool {
	stat, err := ReadStat(p.PID)
	if err != nil || stat.State == 'Z' || stat.State == 'X' {
		return false
	}
	now, err := Identify(p.PID)
	return err == nil && now == p
}

// Kill ends the process and, if it leads one, its process group with SIGKILL and waits until it is gone. A pid that now names another
// process is left alone.
func (p Process) Kill(ctx context.Context) error {
	// The handle is taken before the identity is checked: it stays with that process, so a pid taken again in between is not hit.
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return nil
	}
	defer handle.Release()
	if !p.Alive() {
		return nil
	}
	stat, err := ReadStat(p.PID)
	if err == nil && stat.Group == p.PID && stat.StartTicks == p.StartTicks {
		err = syscall.Kill(-p.PID, syscall.SIGKILL)
	} else {
		err = handle.Signal(syscall.SIGKILL)
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill process %d: %w", p.PID, err)
	}
	return p.Gone(ctx)
}

// Gone waits until the process has ended.
func (p Process) Gone(ctx context.Context) error {
	for p.Alive() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the end of process %d: %w", p.PID, context.Cause(ctx))
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil
}

// Inside lists the processes that run one of the programs (real paths) and have their working folder at or below dir.
func Inside(dir string, programs []string) []Process {
	var found []Process
	for _, pid := range pids() {
		proc := filepath.Join("/proc", strconv.Itoa(pid))
		cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
		if err != nil || !within(dir, cwd) {
			continue
		}
		exe, err := os.Readlink(filepath.Join(proc, "exe"))
		if err != nil || !slices.Contains(programs, strings.TrimSuffix(exe, " (deleted)")) {
			continue
		}
		if p, err := Identify(pid); err == nil && p.Alive() {
			found = append(found, p)
		}
	}
	return found
}

func within(dir, path string) bool {
	path = strings.TrimSuffix(path, " (deleted)")
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// pids lists the processes of this machine; none where there is no /proc.
func pids() []int {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var list []int
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			list = append(list, pid)
		}
	}
	return list
}
