//go:build e2e

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrash/sim/backend"
	"gatecrash/sim/fault"
	"gatecrash/sim/result"
)

// TestE2EEveryFaultIsProvenAndUndone injects each kind of fault on servers of both kinds, and reads the proof that it happened and that it is over.
func TestE2EEveryFaultIsProvenAndUndone(t *testing.T) {
	path := filepath.Join("testdata", "every-fault.yaml")
	for _, kind := range []string{"local", "docker"} {
		t.Run(kind, func(t *testing.T) {
			p := newProgram(t)
			code, text := p.run("run", path, "--backend", kind, "--out", p.out, "--retry-invalid", "3")
			if code != 0 {
				t.Errorf("exit %d, want 0\n%s", code, text)
			}
			dir, err := result.OpenDir(p.dir())
			if err != nil {
				t.Fatal(err)
			}
			windows, err := result.ReadFaults(dir)
			if err != nil {
				t.Fatal(err)
			}
			var seen []string
			for _, w := range windows {
				seen = append(seen, w.Inject)
				if !w.Applied || !w.Proven || !w.Healed || !w.Reverted || len(w.Evidence) != 2 || w.Error != "" {
					t.Errorf("fault %s (%s): applied %v, proven %v, healed %v, reverted %v, evidence %q, error %q",
						w.Name, w.Inject, w.Applied, w.Proven, w.Healed, w.Reverted, w.Evidence, w.Error)
				}
				t.Logf("%-10s %-22s %s", w.Name, w.Inject, strings.Join(w.Evidence, "; "))
			}
			for _, f := range p.result().Faults {
				if f.Touched == 0 {
					t.Errorf("fault %s (%s) touched no request", f.Name, f.Inject)
				}
			}
			for _, inject := range fault.Names() {
				if !slices.Contains(seen, inject) {
					t.Errorf("%s is not tried by %s", inject, path)
				}
			}
			p.nothingLeft()
		})
	}
}

// TestE2EServersUnreachableIsInvalid has one server that answers and one that does not, each way round, and none.
func TestE2EServersUnreachableIsInvalid(t *testing.T) {
	for _, dead := range [][]backend.Name{{backend.Redis}, {backend.Postgres}, {backend.Redis, backend.Postgres}} {
		t.Run(string(dead[0])+"+"+string(dead[len(dead)-1]), func(t *testing.T) {
			b, err := backend.Open(t.Context(), backend.Options{Kind: backend.Local, RunID: "e2e_unreachable", Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				if err := b.Close(ctx); err != nil {
					t.Error(err)
				}
			}()
			for _, name := range dead {
				if err := b.Do(t.Context(), name, backend.Kill); err != nil {
					t.Fatal(err)
				}
			}
			p, at := newProgram(t), b.Addresses()
			code, text := p.run("run", "smoke", "--backend", "external", "--postgres", at.PostgresURL, "--redis", at.RedisURL, "--out", p.out)
			if code != exitInvalid || !strings.Contains(text, string(dead[0])) {
				t.Errorf("exit %d, want %d and the name of %s\n%s", code, exitInvalid, dead[0], text)
			}
			if r := p.result(); r.Verdict != result.Invalid || r.Reason == "" {
				t.Errorf("result: %s, %q", r.Verdict, r.Reason)
			}
			p.nothingLeft()
		})
	}
}

// TestE2EDiskThatFills mounts a small disk for the run directory and fills it while the crowd plays.
func TestE2EDiskThatFills(t *testing.T) {
	if os.Getuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("mounting a small disk needs root")
		}
		t.Skip("mounting a small disk needs root")
	}
	disk := t.TempDir()
	if err := syscall.Mount("gatecrash-e2e", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	p := newProgram(t)
	p.out = filepath.Join(disk, "runs")
	cmd, text := p.start()
	fill(t, filepath.Join(disk, "ballast"))
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInvalid || !strings.Contains(text.String(), "no space left on device") {
		t.Errorf("exit %d, want %d and the reason\n%s", code, exitInvalid, text)
	}
	if code, text := p.run("check", p.dir()); code != exitInvalid {
		t.Errorf("check of the run without its end: exit %d, want %d\n%s", code, exitInvalid, text)
	}
	p.nothingLeft()
}

// fill writes until nothing fits any more.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
}

// TestE2EReportThatCannotBeWritten puts a folder where the report goes: the verdict is told all the same, and it is no pass.
func TestE2EReportThatCannotBeWritten(t *testing.T) {
	p := newProgram(t)
	cmd, text := p.start()
	if err := os.MkdirAll(filepath.Join(p.dir(), result.FileReport, "in-the-way"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInvalid || !strings.Contains(text.String(), "PASS") || !strings.Contains(text.String(), "write the report") {
		t.Errorf("exit %d, want %d, the verdict and the reason\n%s", code, exitInvalid, text)
	}
	p.nothingLeft()
}
