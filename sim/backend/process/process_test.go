package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrash/sim/journal"
)

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// family starts a shell with two children, each in a process group of its own as Postgres' backends are, and waits until both are there.
func family(t *testing.T, isolate bool) (*Process, []journal.Process) {
	t.Helper()
	dir := t.TempDir()
	script := `set -m; (echo >a; while :; do sleep 0.01; done) & (echo >b; while :; do sleep 0.01; done) & wait`
	p, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", script}, Dir: dir, Isolate: isolate})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(context.Background()); err != nil {
			t.Error(err)
		}
	})
	ctx := testContext(t)
	for ctx.Err() == nil {
		_, err1 := os.Stat(filepath.Join(dir, "a"))
		_, err2 := os.Stat(filepath.Join(dir, "b"))
		if children := loops(p.ID().PID); err1 == nil && err2 == nil && len(children) == 2 {
			return p, children
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("children did not start")
	return nil, nil
}

// loops are the children that stay; their sleeps come and go.
func loops(pid int) []journal.Process {
	var found []journal.Process
	for _, p := range descendants(pid) {
		if stat, err := journal.ReadStat(p.PID); err == nil && stat.Parent == pid {
			found = append(found, p)
		}
	}
	return found
}

func each(t *testing.T, test func(t *testing.T, isolate bool)) {
	for _, isolate := range []bool{false, true} {
		t.Run("isolate="+strconv.FormatBool(isolate), func(t *testing.T) { test(t, isolate) })
	}
}

func TestKillTakesTheTree(t *testing.T) {
	each(t, func(t *testing.T, isolate bool) {
		p, children := family(t, isolate)
		if err := p.Kill(testContext(t)); err != nil {
			t.Fatal(err)
		}
		for _, child := range append(children, p.ID()) {
			if child.Alive() {
				t.Errorf("process %+v is alive after Kill", child)
			}
		}
		if p.Running() {
			t.Error("Running() after Kill = true, want false")
		}
		if err := p.Kill(testContext(t)); err != nil {
			t.Errorf("second Kill: %v", err)
		}
	})
}

func TestPauseStopsTheTree(t *testing.T) {
	each(t, func(t *testing.T, isolate bool) {
		p, children := family(t, isolate)
		if err := p.Pause(testContext(t)); err != nil {
			t.Fatal(err)
		}
		for _, one := range append(children, p.ID()) {
			if stat, err := journal.ReadStat(one.PID); err != nil || stat.State != 'T' {
				t.Errorf("process %d after Pause: state %c, %v, want T", one.PID, stat.State, err)
			}
		}
		if err := p.Resume(); err != nil {
			t.Fatal(err)
		}
		ctx := testContext(t)
		for _, one := range append(children, p.ID()) {
			for standsStill(one.PID) && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			if standsStill(one.PID) {
				t.Errorf("process %d stands still after Resume", one.PID)
			}
		}
		if err := p.Pause(testContext(t)); err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(testContext(t)); err != nil {
			t.Errorf("Kill of a paused tree: %v", err)
		}
	})
}

func TestStop(t *testing.T) {
	p, err := Start(Spec{Path: "/bin/sleep", Args: []string{"1000"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(testContext(t), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if p.Running() || p.Err() == nil {
		t.Errorf("after Stop: running %t, err %v, want ended by a signal", p.Running(), p.Err())
	}
	if err := p.Stop(testContext(t), syscall.SIGTERM); err != nil {
		t.Errorf("second Stop: %v", err)
	}
}

func TestStopEndsWithTheContext(t *testing.T) {
	dir := t.TempDir()
	p, err := Start(Spec{Path: "/bin/sh", Args: []string{"-c", "trap '' TERM; echo >deaf; while :; do sleep 0.1; done"}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill(context.Background())
	for ctx := testContext(t); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "deaf")); err == nil {
			break
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := p.Stop(ctx, syscall.SIGTERM); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stop of a process that does not listen = %v, want a deadline", err)
	}
}

func TestRun(t *testing.T) {
	if err := Run(testContext(t), Spec{Path: "/bin/true"}); err != nil {
		t.Errorf("Run(true) = %v", err)
	}
	if err := Run(testContext(t), Spec{Path: "/bin/false"}); err == nil {
		t.Error("Run(false) = nil, want an error")
	}
	if err := Run(testContext(t), Spec{Path: "/no/such/program"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Run(missing) = %v, want ErrNotExist", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := Run(ctx, Spec{Path: "/bin/sleep", Args: []string{"1000"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run(sleep) with a deadline = %v, want a deadline", err)
	}
}

// TestOwnGroup: a ^C in a terminal goes to the group of the harness and must not reach its servers.
func TestOwnGroup(t *testing.T) {
	p, _ := family(t, false)
	stat, err := journal.ReadStat(p.ID().PID)
	if err != nil || stat.Group != p.ID().PID {
		t.Errorf("group of the child: %d, %v, want its own pid %d", stat.Group, err, p.ID().PID)
	}
}

func TestLogAndEnvironment(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	err = Run(testContext(t), Spec{Path: "/bin/sh", Args: []string{"-c", "echo $A; echo $B >&2"}, Env: []string{"A=out", "B=err"}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log.Name())
	if err != nil || strings.TrimSpace(string(text)) != "out\nerr" {
		t.Errorf("log: %q, %v, want out and err", text, err)
	}
}
