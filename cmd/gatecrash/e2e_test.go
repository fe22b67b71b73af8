//go:build e2e

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrash/sim/result"
)

// These tests run the built program on real servers, one run at a time: `make e2e`. They need the programs of `make deps` and the images of `make images`.

// binary is built once, by TestMain.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gatecrash-e2e-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "gatecrash")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	code := 1
	if build.Run() == nil {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// program is one run of the binary with a state folder and an output folder of its own.
type program struct {
	t          *testing.T
	out, state string
	env        []string
}

func newProgram(t *testing.T) *program {
	t.Helper()
	return &program{t: t, out: filepath.Join(t.TempDir(), "runs"), state: filepath.Join(t.TempDir(), "state")}
}

func (p *program) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(binary, args...)
	cmd.Env = append(append(os.Environ(), "GATECRASH_STATE="+p.state), p.env...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	return cmd, &text
}

// run runs the binary to its end and gives exit code and output.
func (p *program) run(args ...string) (int, string) {
	p.t.Helper()
	cmd, text := p.command(args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), text.String()
}

// dir is the only run directory.
func (p *program) dir() string {
	p.t.Helper()
	path, err := filepath.EvalSymlinks(filepath.Join(p.out, "latest"))
	if err == nil {
		return path
	}
	all, _ := filepath.Glob(filepath.Join(p.out, "2*"))
	if len(all) != 1 {
		p.t.Fatalf("run directories: %v, want one", all)
	}
	return all[0]
}

func (p *program) result() *result.Result {
	p.t.Helper()
	d, err := result.OpenDir(p.dir())
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := result.ReadResult(d)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// nothingLeft checks that no process of the run lives, no container carries a run's label and no private folder stands.
func (p *program) nothingLeft() {
	p.t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	var left []string
	for time.Now().Before(deadline) {
		if left = p.leftovers(); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.t.Errorf("left behind: %v", left)
}

func (p *program) leftovers() (left []string) {
	state := []byte("GATECRASH_STATE=" + p.state)
	envs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range envs {
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, state) {
			left = append(left, path)
		}
	}
	journals, _ := filepath.Glob(filepath.Join(p.state, "*"))
	return append(left, journals...)
}

func TestE2ESmokePassesOnLocalAndDocker(t *testing.T) {
	for _, backend := range []string{"local", "docker"} {
		t.Run(backend, func(t *testing.T) {
			p := newProgram(t)
			code, text := p.run("run", "smoke", "--backend", backend, "--out", p.out, "--retry-invalid", "3")
			if code != 0 {
				t.Fatalf("run smoke: exit %d\n%s", code, text)
			}
			r := p.result()
			for name, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"} {
				if got := r.Environment.Postgres[name]; got != want {
					t.Errorf("%s read back = %q, want %q", name, got, want)
				}
			}
			if got := r.Environment.Redis["appendonly"]; got != "yes" {
				t.Errorf("appendonly read back = %q, want yes", got)
			}
			for _, name := range []string{result.FileReport, result.FileJUnit, result.FileRequests, result.FileSeries, result.FileHistogram, result.DirPlots} {
				if _, err := os.Stat(filepath.Join(p.dir(), name)); err != nil {
					t.Errorf("the run directory lacks %s", name)
				}
			}
			again, text := p.run("check", p.dir(), "--json")
			if again != 0 || !strings.Contains(text, fmt.Sprintf("%q", r.Verdict)) {
				t.Errorf("check of the same directory: exit %d, want 0\n%s", again, text)
			}
			p.nothingLeft()
		})
	}
}

// start starts a run that lasts, and returns when its crowd plays.
func (p *program) start(args ...string) (*exec.Cmd, *bytes.Buffer) {
	p.t.Helper()
	cmd, text := p.command(append([]string{"run", "smoke", "--backend", "local", "--out", p.out}, args...)...)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	deadline := time.Now().Add(60 * time.Second)
	for time.Now().Before(deadline) {
		if all, _ := filepath.Glob(filepath.Join(p.out, "2*", result.FileRecords)); len(all) == 1 {
			if info, err := os.Stat(all[0]); err == nil && info.Size() > 4096 {
				return cmd, text
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.t.Fatal("the crowd did not start within a minute")
	return nil, nil
}

func TestE2EFirstSignalEndsInGoodOrder(t *testing.T) {
	p := newProgram(t)
	cmd, text := p.start()
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit %d after ^C, want %d\n%s", code, exitInterrupted, text)
	}
	if r := p.result(); !r.Interrupted || r.Exit != exitInterrupted {
		t.Errorf("result: interrupted %v, exit %d", r.Interrupted, r.Exit)
	}
	p.nothingLeft()
}

func TestE2ESecondSignalTearsDown(t *testing.T) {
	p := newProgram(t)
	cmd, text := p.start()
	cmd.Process.Signal(syscall.SIGTERM)
	time.Sleep(50 * time.Millisecond)
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit %d after two signals, want %d\n%s", code, exitInterrupted, text)
	}
	p.nothingLeft()
}

func TestE2EKillNineIsCleanedAndTheDirectoryIsReadable(t *testing.T) {
	p, neighbour := newProgram(t), newProgram(t)
	neighbour.state = p.state
	live, liveText := neighbour.start()
	cmd, _ := p.start()
	cmd.Process.Kill()
	cmd.Wait()
	if code, text := p.run("clean"); code != 0 || !strings.Contains(text, "1 live runs left alone") {
		t.Errorf("clean: exit %d, want 0 and the neighbour left alone\n%s", code, text)
	}
	code, text := p.run("check", p.dir())
	if code != exitInvalid || strings.Contains(text, "PASS") {
		t.Errorf("check of a killed run: exit %d, want %d\n%s", code, exitInvalid, text)
	}
	live.Wait()
	if code := live.ProcessState.ExitCode(); code == exitInternal || code == exitUsage {
		t.Errorf("the neighbour ended with exit %d\n%s", code, liveText)
	}
	p.nothingLeft()
}

func TestE2ENothingIsRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("version: 1\nname: bad\nthresold: 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name string
		args []string
		want string
	}{
		{"unknown scenario", []string{"run", "smok"}, `did you mean "smoke"`},
		{"bad scenario", []string{"run", bad}, "thresold"},
		{"out is a file", []string{"run", "smoke", "--out", file}, "--out"},
		{"unknown flag", []string{"run", "smoke", "--sede", "3"}, "sede"},
		{"off loopback", []string{"run", "smoke", "--backend", "external", "--postgres", "postgres://u@192.0.2.1/d", "--redis", "redis://192.0.2.1:6379"}, "--i-own-this-target"},
		{"no command", nil, "command"},
	}
	for _, c := range cases {
		p := newProgram(t)
		code, text := p.run(c.args...)
		if code != exitUsage || !strings.Contains(text, c.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s", c.name, code, exitUsage, c.want, text)
		}
		p.nothingLeft()
	}
}

func TestE2EReplicaThatWillNotStart(t *testing.T) {
	p := newProgram(t)
	p.env = []string{"GATECRASH_BIN=/bin/false"}
	code, text := p.run("run", "smoke", "--backend", "local", "--out", p.out)
	if code != exitInvalid || !strings.Contains(text, "start replica") {
		t.Errorf("exit %d, want %d and the reason\n%s", code, exitInvalid, text)
	}
	p.nothingLeft()
}

func TestE2ECrowdThatNeverLogsInProvesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strangers.yaml")
	text := `version: 1
name: strangers
question: Does a crowd that nobody knows prove anything?
seed: 1
max_duration: 6s
sale: {capacity: 10, per_account: 4}
crowds:
  - name: strangers
    visitors: 60
    arrive: {shape: constant, for: 2s}
    quantity: 1
    patience: 3s
    timeout: 1s
    login: bad
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t)
	code, out := p.run("run", path, "--backend", "local", "--out", p.out, "--json")
	if code != exitInconclusive && code != exitInvalid {
		t.Errorf("exit %d, want %d or %d\n%s", code, exitInconclusive, exitInvalid, out)
	}
	var r result.Result
	if err := json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &r); err != nil || r.Verdict == result.Pass {
		t.Errorf("result on standard output: verdict %q, %v", r.Verdict, err)
	}
	p.nothingLeft()
}
