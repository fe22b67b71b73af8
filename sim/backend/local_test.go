package backend

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gatecrash/sim/journal"
)

// TestMain lets the test binary be started again as a run that gets killed.
func TestMain(m *testing.M) {
	if kind := os.Getenv("GATECRASH_TEST_VICTIM"); kind != "" {
		victim(Kind(kind))
	}
	os.Exit(m.Run())
}

// victim opens a backend, tells its folder and pids, and waits to be killed.
func victim(kind Kind) {
	ctx := context.Background()
	j, err := journal.Open(os.Getenv("GATECRASH_TEST_RUN"))
	if err != nil {
		fail(err)
	}
	b, err := Open(ctx, Options{Kind: kind, RunID: j.RunID(), Journal: j})
	if err != nil {
		fail(err)
	}
	for _, name := range []Name{Postgres, Redis} {
		id, err := b.Identity(ctx, name)
		if err != nil {
			fail(err)
		}
		fmt.Println("pid", id.PID)
	}
	go busy(b.Addresses().PostgresURL)
	if err := b.Do(ctx, Redis, Pause); err != nil {
		fail(err)
	}
	fmt.Println("ready")
	select {}
}

// busy keeps a backend of Postgres in a query, which outlives the postmaster where it may.
func busy(url string) {
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		fail(err)
	}
	if _, err := conn.Exec(context.Background(), "SELECT count(*) FROM generate_series(1, 100000000000)"); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(3)
}

// startVictim starts the victim and returns the pids of its servers once it is ready.
func startVictim(t *testing.T, kind Kind, runID string) (*exec.Cmd, []journal.Process) {
	t.Helper()
	cmd := exec.CommandContext(testContext(t), os.Args[0])
	cmd.Env = append(os.Environ(), "GATECRASH_TEST_VICTIM="+string(kind), "GATECRASH_TEST_RUN="+runID)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var servers []journal.Process
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "ready" {
			return cmd, servers
		}
		pid, err := strconv.Atoi(strings.TrimPrefix(lines.Text(), "pid "))
		if err != nil {
			t.Fatal(err)
		}
		p, err := journal.Identify(pid)
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, p)
	}
	t.Fatalf("victim did not get ready: %v", cmd.Wait())
	return nil, nil
}

func needs(t *testing.T, kind Kind) {
	t.Helper()
	if _, err := findPrograms(nil); kind == Local && err != nil {
		unavailable(t, err)
	}
	if kind != Docker {
		return
	}
	api, err := reachEngine(testContext(t))
	if err != nil {
		unavailable(t, err)
	}
	defer api.Close()
	if _, err := chooseImages(testContext(t), api); err != nil {
		unavailable(t, err)
	}
}

func TestCleanAfterKillLocal(t *testing.T)  { cleanAfterKill(t, Local) }
func TestCleanAfterKillDocker(t *testing.T) { cleanAfterKill(t, Docker) }

// cleanAfterKill: SIGKILL of a run, then Clean: nothing of it is left, and a live neighbour is not touched.
func cleanAfterKill(t *testing.T, kind Kind) {
	needs(t, kind)
	neighbour := open(t, Options{Kind: Local}) // sets the state folder both share
	write(t, neighbour)
	before := who(t, neighbour, Postgres)
	runID := testRunID(t)
	cmd, servers := startVictim(t, kind, runID)
	if report, err := journal.Clean(testContext(t)); err != nil || report.Live != 2 || len(report.Undone) != 0 {
		t.Fatalf("Clean() beside two live runs = %+v, %v, want both live", report, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // "signal: killed"

	report, err := journal.Clean(testContext(t))
	if err != nil || report.Live != 1 || report.Removed != 1 || len(report.Undone) == 0 {
		t.Errorf("Clean() after the kill = %+v, %v, want one live, one removed", report, err)
	}
	for _, p := range servers {
		if p.Alive() {
			t.Errorf("server process %+v is alive after Clean", p)
		}
	}
	nothingLeft(t, runID, kind)
	if again, err := journal.Clean(testContext(t)); err != nil || len(again.Undone) != 0 || again.Live != 1 {
		t.Errorf("second Clean() = %+v, %v, want nothing to do", again, err)
	}
	if now := who(t, neighbour, Postgres); now != before || !holds(t, neighbour, Postgres) || !holds(t, neighbour, Redis) {
		t.Errorf("neighbour after Clean: %+v, was %+v", now, before)
	}
}

// nothingLeft asserts that no process, folder or container of the run is there.
func nothingLeft(t *testing.T, runID string, kind Kind) {
	t.Helper()
	for _, pid := range processes(t) {
		cwd, _ := os.Readlink(filepath.Join("/proc", pid, "cwd")) // "" for kernel threads and processes that just ended
		if stat, err := journal.ReadStat(atoi(t, pid)); err == nil && stat.State != 'Z' && strings.Contains(cwd, "gatecrash-"+runID) {
			t.Errorf("process %s works in %s", pid, cwd)
		}
	}
	for _, parent := range []string{os.TempDir(), "/var/tmp"} {
		if left, err := filepath.Glob(filepath.Join(parent, "gatecrash-"+runID+"-*")); err != nil || len(left) > 0 {
			t.Errorf("folders left: %v, %v", left, err)
		}
	}
	if kind == Docker {
		out, err := exec.CommandContext(testContext(t), "docker", "ps", "-aq", "--filter", "label="+runLabel+"="+runID).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("containers left: %s, %v", out, err)
		}
	}
}

func processes(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		paths[i] = filepath.Base(path)
	}
	return paths
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCloseLeavesNothingLocal(t *testing.T)  { closeLeavesNothing(t, Local) }
func TestCloseLeavesNothingDocker(t *testing.T) { closeLeavesNothing(t, Docker) }

// closeLeavesNothing closes one backend in each state servers can be in: paused and killed, and one that is starting.
func closeLeavesNothing(t *testing.T, kind Kind) {
	needs(t, kind)
	b := open(t, Options{Kind: kind})
	do(t, b, Postgres, Pause)
	do(t, b, Redis, Kill)
	starting := make(chan error, 1)
	go func() { starting <- b.Do(context.Background(), Redis, RestartEmpty) }()
	if err := b.Close(testContext(t)); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := <-starting; err != nil && !errors.Is(err, ErrClosed) && !errors.Is(err, ErrExited) {
		t.Errorf("verb under way when closed: %v, want none, ErrClosed or ErrExited", err)
	}
	nothingLeft(t, b.runID, kind)
	if err := b.Do(testContext(t), Redis, Start); !errors.Is(err, ErrClosed) {
		t.Errorf("Do after Close = %v, want ErrClosed", err)
	}
	nothingLeft(t, b.runID, kind)
}

func TestOpenIsInterrupted(t *testing.T) {
	needs(t, Local)
	t.Setenv("GATECRASH_STATE", t.TempDir())
	runID := testRunID(t)
	j, err := journal.Open(runID)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ctx, cancel := context.WithTimeout(testContext(t), 100*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, Options{Kind: Local, RunID: runID, Journal: j}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open with a short deadline = %v, want a deadline", err)
	}
	nothingLeft(t, runID, Local)
}

// TestTakenPort lets somebody take the first port of both servers between the choice and the start.
func TestTakenPort(t *testing.T) {
	needs(t, Local)
	taken := make(chan net.Listener, 2)
	steal := func() (*heldPort, error) {
		held, err := holdPort(0)
		if err != nil {
			return nil, err
		}
		thief, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", held.port))
		if err != nil {
			return nil, err
		}
		select {
		case taken <- thief:
		default: // both were robbed once
			err = thief.Close()
		}
		return held, err
	}
	runID := testRunID(t)
	b, err := openLocalOn(testContext(t), Options{Kind: Local, RunID: runID}, steal)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
		nothingLeft(t, runID, Local)
	}()
	close(taken)
	for thief := range taken {
		_, port, _ := net.SplitHostPort(thief.Addr().String())
		if a := b.Addresses(); strings.Contains(a.PostgresURL, ":"+port+"/") || strings.Contains(a.RedisURL, ":"+port+"/") {
			t.Errorf("addresses %+v hold the taken port %s", a, port)
		}
		thief.Close()
	}
	who(t, b, Postgres)
	who(t, b, Redis)
}

func TestNoFreePort(t *testing.T) {
	needs(t, Local)
	want := errors.New("no port")
	runID := testRunID(t)
	_, err := openLocalOn(testContext(t), Options{Kind: Local, RunID: runID}, func() (*heldPort, error) { return nil, want })
	if !errors.Is(err, want) {
		t.Errorf("open without a port = %v, want %v", err, want)
	}
	nothingLeft(t, runID, Local)
}

func TestMissingBinary(t *testing.T) {
	_, err := Open(testContext(t), Options{Kind: Local, RunID: "r1", BinaryDirs: []string{t.TempDir()}})
	if !errors.Is(err, ErrMissingBinary) {
		t.Fatalf("Open without programs = %v, want ErrMissingBinary", err)
	}
	for _, want := range []string{"postgres", "redis-server or valkey-server", "make deps"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %q", err, want)
		}
	}
}

func TestAuto(t *testing.T) {
	needs(t, Local)
	t.Run("no engine", func(t *testing.T) {
		t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
		b := open(t, Options{})
		if b.Kind() != Local {
			t.Errorf("Kind() = %s, want local", b.Kind())
		}
	})
	t.Run("nothing", func(t *testing.T) {
		t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
		_, err := Open(testContext(t), Options{Kind: Auto, RunID: "r1", BinaryDirs: []string{t.TempDir()}})
		for _, want := range []error{ErrNoBackend, ErrNoEngine, ErrMissingBinary} {
			if !errors.Is(err, want) {
				t.Errorf("Open() = %v, want %v", err, want)
			}
		}
	})
	t.Run("engine that does not answer", func(t *testing.T) {
		silent, err := net.Listen("unix", filepath.Join(t.TempDir(), "s.sock"))
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		t.Setenv("DOCKER_HOST", "unix://"+silent.Addr().String())
		if _, err := reachEngine(testContext(t)); !errors.Is(err, ErrNoEngine) {
			t.Errorf("reachEngine() = %v, want ErrNoEngine", err)
		}
	})
	t.Run("engine elsewhere", func(t *testing.T) {
		t.Setenv("DOCKER_HOST", "tcp://192.0.2.1:2375")
		if _, err := reachEngine(testContext(t)); !errors.Is(err, ErrNoEngine) {
			t.Errorf("reachEngine() = %v, want ErrNoEngine", err)
		}
	})
}

// TestLocalDetails looks at one backend from several sides.
func TestLocalDetails(t *testing.T) {
	b := open(t, Options{Kind: Local, PostgresSettings: map[string]string{"max_connections": "33"}, RedisSettings: map[string]string{"maxclients": "77"}})
	t.Run("no secrets in the process list", func(t *testing.T) { noSecrets(t, b) })
	t.Run("settings given", func(t *testing.T) { settingsGiven(t, b) })
	t.Run("logs", func(t *testing.T) { logs(t, b) })
}

// noSecrets reads the command lines of both servers.
func noSecrets(t *testing.T, b opened) {
	for _, name := range []Name{Postgres, Redis} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", who(t, b, name).PID))
		if err != nil {
			t.Fatal(err)
		}
		for _, address := range []string{b.Addresses().PostgresURL, b.Addresses().RedisURL} {
			_, rest, _ := strings.Cut(address, "://")
			_, rest, _ = strings.Cut(rest, ":")
			secret, _, _ := strings.Cut(rest, "@")
			if secret == "" || strings.Contains(string(text), secret) {
				t.Errorf("command line of %s: %q, want no password", name, text)
			}
		}
	}
}

func logs(t *testing.T, b opened) {
	do(t, b, Redis, Restart)
	for name, want := range map[string]string{"postgres.log": "ready to accept connections", "redis.log": "Ready to accept connections"} {
		f, err := os.Open(filepath.Join(b.logs, name))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		f.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q, %v, want %q in it", name, text, err, want)
		}
	}
}

func settingsGiven(t *testing.T, b opened) {
	got, err := b.Settings(testContext(t))
	if err != nil || got.Postgres["max_connections"] != "33" || got.Redis["maxclients"] != "77" || got.Postgres["data_filesystem"] == "" {
		t.Errorf("Settings() = %+v, %v, want max_connections 33, maxclients 77 and a file system", got, err)
	}
}

func TestBadSettingIsToldWithTheLog(t *testing.T) {
	needs(t, Local)
	runID := testRunID(t)
	_, err := Open(testContext(t), Options{Kind: Local, RunID: runID, LogDir: t.TempDir(), PostgresSettings: map[string]string{"no_such_setting": "1"}})
	if !errors.Is(err, ErrExited) || !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("Open with an unknown setting = %v, want ErrExited with the server's own words", err)
	}
	nothingLeft(t, runID, Local)
}

func TestOptionsValidate(t *testing.T) {
	err := Options{Kind: "cloud", RunID: "Bad Id", PostgresURL: "x", Schema: "public"}.Validate()
	for _, want := range []string{"backend", "Bad Id", "unless the backend is external", "public"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q in it", err, want)
		}
	}
	if err := (Options{RunID: "r1"}).Validate(); err != nil {
		t.Errorf("Validate() of the least options = %v, want nil", err)
	}
}

func TestCheck(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
	fixes := map[string]bool{}
	for _, f := range Check(testContext(t), []string{t.TempDir()}) {
		if f.OK != (f.Fix == "") || f.Detail == "" {
			t.Errorf("finding %+v: want a fix exactly when it is not OK", f)
		}
		fixes[f.Fix] = true
	}
	if !fixes["make deps"] {
		t.Errorf("Check() on a bare machine names %v, want make deps", fixes)
	}
	needs(t, Local)
	found := Check(testContext(t), nil)
	if last := found[len(found)-1]; !last.OK || last.Detail != "takes local" {
		t.Errorf("last finding without docker = %+v, want local", last)
	}
}
