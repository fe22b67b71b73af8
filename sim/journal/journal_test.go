package journal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be started again as an owner of a journal that gets killed.
func TestMain(m *testing.M) {
	if id := os.Getenv("GATECRASH_TEST_OWNER"); id != "" {
		j, err := Open(id)
		if err == nil {
			_, err = j.Folder(os.Getenv("GATECRASH_TEST_FOLDER"))
		}
		if err == nil {
			err = os.Mkdir(os.Getenv("GATECRASH_TEST_FOLDER"), 0o700)
		}
		if err != nil {
			os.Exit(3)
		}
		// A child that outlives its parent must not keep the lock.
		child := exec.Command("/bin/sleep", "1000")
		if err := child.Start(); err != nil {
			os.Exit(3)
		}
		if err := json.NewEncoder(os.Stdout).Encode(child.Process.Pid); err != nil {
			os.Exit(3)
		}
		select {}
	}
	os.Exit(m.Run())
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func state(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("GATECRASH_STATE", dir)
	return dir
}

func openJournal(t *testing.T, id string) *Journal {
	t.Helper()
	j, err := Open(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestLiveIsNotTouched(t *testing.T) {
	dir := state(t)
	j := openJournal(t, "live")
	folder := filepath.Join(dir, "work", "data")
	must[Mark](t)(j.Folder(folder))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	report, err := Clean(testContext(t), WithKept())
	if err != nil || report.Live != 1 || len(report.Undone)+len(report.Failed)+report.Removed != 0 {
		t.Errorf("Clean() beside a live run = %+v, %v, want one live and nothing else", report, err)
	}
	if !exists(folder) || !exists(j.Path()) {
		t.Error("folder or journal of a live run is gone")
	}
	if _, err := Open("live"); !errors.Is(err, ErrExists) {
		t.Errorf("second Open of a live run = %v, want ErrExists", err)
	}
}

func TestCloseRemovesWhatIsDone(t *testing.T) {
	state(t)
	j := openJournal(t, "done")
	m := must[Mark](t)(j.Folder("/tmp/x/y"))
	for range 2 {
		if err := j.Done(m); err != nil {
			t.Fatal(err)
		}
	}
	path := j.Path()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("journal: %v, %v, want mode 0600", info, err)
	}
	for range 2 {
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if exists(path) {
		t.Error("journal without open entries is there after Close")
	}
	if _, err := j.Folder("/tmp/x/y"); !errors.Is(err, ErrClosed) {
		t.Errorf("Folder after Close = %v, want ErrClosed", err)
	}
}

func TestNilJournal(t *testing.T) {
	var j *Journal
	m, err := j.Folder("/x/y")
	if err := errors.Join(err, j.Done(m), j.Keep(), j.Close()); err != nil || m != 0 || j.RunID() != "" || j.Path() != "" {
		t.Errorf("nil journal: mark %d, %v, want nothing", m, err)
	}
}

func TestRunIDs(t *testing.T) {
	state(t)
	for _, id := range []string{"", "A", "../x", "a b", "-a", strings.Repeat("a", 41), "a'b", "a/b"} {
		if _, err := Open(id); !errors.Is(err, ErrBadRunID) {
			t.Errorf("Open(%q) = %v, want ErrBadRunID", id, err)
		}
	}
}

// TestCleanAfterKill kills the owner with SIGKILL while a child of it lives on.
func TestCleanAfterKill(t *testing.T) {
	dir := state(t)
	folder := filepath.Join(dir, "work")
	owner := exec.CommandContext(testContext(t), os.Args[0])
	owner.Env = append(os.Environ(), "GATECRASH_TEST_OWNER=victim", "GATECRASH_TEST_FOLDER="+folder)
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if err := json.NewDecoder(out).Decode(&pid); err != nil {
		t.Fatal(err)
	}
	orphan := must[Process](t)(Identify(pid))
	defer orphan.Kill(context.Background())

	if report, err := Clean(testContext(t)); err != nil || report.Live != 1 {
		t.Fatalf("Clean() beside the live owner = %+v, %v, want live", report, err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // "signal: killed"
	report, err := Clean(testContext(t))
	if err != nil || report.Live != 0 || report.Removed != 1 || len(report.Undone) != 1 {
		t.Errorf("Clean() after the kill = %+v, %v, want the folder undone", report, err)
	}
	if exists(folder) || exists(filepath.Join(dir, "victim.journal")) {
		t.Error("folder or journal is there after Clean")
	}
	if !orphan.Alive() {
		t.Error("a process that no entry names was killed")
	}
}

// leftover writes a journal and drops its lock, as a kill does.
func leftover(t *testing.T, id string, fill func(*Journal)) string {
	t.Helper()
	j := openJournal(t, id)
	fill(j)
	path := j.Path()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func sleeper(t *testing.T) Process {
	t.Helper()
	cmd := exec.Command("/bin/sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return must[Process](t)(Identify(cmd.Process.Pid))
}

func TestProcessesAreKilledByIdentity(t *testing.T) {
	state(t)
	ours, reused, rebooted := sleeper(t), sleeper(t), sleeper(t)
	leftover(t, "procs", func(j *Journal) {
		wrongTicks, wrongBoot := reused, rebooted
		wrongTicks.StartTicks++
		wrongBoot.BootID = "00000000-0000-0000-0000-000000000000"
		for _, p := range []Process{ours, wrongTicks, wrongBoot} {
			must[Mark](t)(j.Process("sleep", p))
		}
	})
	report, err := Clean(testContext(t))
	if err != nil || len(report.Undone) != 3 {
		t.Fatalf("Clean() = %+v, %v, want three entries undone", report, err)
	}
	if ours.Alive() {
		t.Error("the recorded process is alive")
	}
	if !reused.Alive() || !rebooted.Alive() {
		t.Error("a process with another start time or of another boot was killed")
	}
}

func TestGroupIsKilled(t *testing.T) {
	state(t)
	cmd := exec.Command("/bin/sh", "-c", "sleep 1000 & sleep 1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	leader := must[Process](t)(Identify(cmd.Process.Pid))
	ctx := testContext(t)
	var members []Process
	for len(members) < 3 && ctx.Err() == nil {
		members = group(leader.PID)
		time.Sleep(time.Millisecond)
	}
	leftover(t, "group", func(j *Journal) { must[Mark](t)(j.Process("shell", leader)) })
	go cmd.Wait()
	if _, err := Clean(ctx); err != nil {
		t.Fatal(err)
	}
	for _, p := range members {
		if err := p.Gone(ctx); err != nil {
			t.Errorf("member of the group: %v", err)
		}
	}
	if len(members) != 3 {
		t.Errorf("members of the group: %d, want 3", len(members))
	}
}

func group(pid int) []Process {
	var members []Process
	for _, each := range pids() {
		if stat, err := ReadStat(each); err == nil && stat.Group == pid {
			if p, err := Identify(each); err == nil {
				members = append(members, p)
			}
		}
	}
	return members
}

// TestFolderTakesItsPrograms: a named program inside the folder is killed, anyone else inside is not.
func TestFolderTakesItsPrograms(t *testing.T) {
	dir := state(t)
	folder := filepath.Join(dir, "data")
	real := must[string](t)(filepath.EvalSymlinks("/bin/sleep"))
	leftover(t, "folder", func(j *Journal) { must[Mark](t)(j.Folder(folder, real)) })
	inside := func(program string, args ...string) Process {
		cmd := exec.Command(program, args...)
		cmd.Dir = folder
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		return must[Process](t)(Identify(cmd.Process.Pid))
	}
	if err := os.MkdirAll(filepath.Join(folder, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	server, guest := inside("/bin/sleep", "1000"), inside("/usr/bin/tail", "-f", "/dev/null")
	outside := sleeper(t)
	if _, err := Clean(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if server.Alive() || !guest.Alive() || !outside.Alive() || exists(folder) {
		t.Errorf("after Clean: server %t, guest %t, outside %t, folder %t; want only guest and outside", server.Alive(), guest.Alive(), outside.Alive(), exists(folder))
	}
}

func TestKeptStaysUntilAsked(t *testing.T) {
	dir := state(t)
	folder := filepath.Join(dir, "kept")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	leftover(t, "kept", func(j *Journal) {
		must[Mark](t)(j.Folder(folder))
		if err := j.Keep(); err != nil {
			t.Fatal(err)
		}
	})
	if report, err := Clean(testContext(t)); err != nil || report.Kept != 1 || !exists(folder) {
		t.Errorf("Clean() = %+v, %v, folder %t, want it kept", report, err, exists(folder))
	}
	if report, err := Clean(testContext(t), WithKept()); err != nil || report.Removed != 1 || exists(folder) {
		t.Errorf("Clean(WithKept()) = %+v, %v, folder %t, want it removed", report, err, exists(folder))
	}
}

func TestRevert(t *testing.T) {
	state(t)
	path := leftover(t, "revert", func(j *Journal) {
		must[Mark](t)(j.Revert("tc", json.RawMessage(`1`)))
		must[Mark](t)(j.Revert("tc", json.RawMessage(`2`)))
	})
	report, err := Clean(testContext(t))
	if !errors.Is(err, ErrNoReverter) || len(report.Failed) != 2 || !exists(path) {
		t.Errorf("Clean() without a reverter = %+v, %v, want it to fail and the journal to stay", report, err)
	}
	var order []string
	broken := errors.New("broken")
	undo := func(_ context.Context, data json.RawMessage) error {
		order = append(order, string(data))
		if string(data) == "1" && len(order) < 3 {
			return broken
		}
		return nil
	}
	if _, err := Clean(testContext(t), WithReverter("tc", undo)); !errors.Is(err, broken) || !exists(path) {
		t.Errorf("Clean() with a failing reverter = %v, want its error and the journal to stay", err)
	}
	if report, err := Clean(testContext(t), WithReverter("tc", undo)); err != nil || report.Removed != 1 || exists(path) {
		t.Errorf("last Clean() = %+v, %v, want the journal removed", report, err)
	}
	if got := strings.Join(order, " "); got != "2 1 1" {
		t.Errorf("order of reverts: %s, want newest first and the done one only once: 2 1 1", got)
	}
}

func TestTornTail(t *testing.T) {
	dir := state(t)
	folder := filepath.Join(dir, "torn")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := leftover(t, "torn", func(j *Journal) {
		must[Mark](t)(j.Folder(folder))
		must[Mark](t)(j.Revert("tc", nil))
	})
	f := must[*os.File](t)(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
	if _, err := f.WriteString(`{"id":7,"kind":"fol`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := Clean(testContext(t)); !errors.Is(err, ErrNoReverter) || exists(folder) {
		t.Errorf("Clean() of a torn journal = %v, folder %t, want all but the unknown undone", err, exists(folder))
	}
	undo := func(context.Context, json.RawMessage) error { return nil }
	if report, err := Clean(testContext(t), WithReverter("tc", undo)); err != nil || report.Removed != 1 {
		t.Errorf("second Clean() = %+v, %v, want the journal readable and removed", report, err)
	}
}

func TestEmptyAndBrokenJournals(t *testing.T) {
	dir := state(t)
	for name, text := range map[string]string{"empty": "", "half": `{"id"`} {
		if err := os.WriteFile(filepath.Join(dir, name+suffix), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if report, err := Clean(testContext(t)); err != nil || report.Removed != 2 {
		t.Errorf("Clean() of empty journals = %+v, %v, want both removed", report, err)
	}
	broken := filepath.Join(dir, "broken"+suffix)
	if err := os.WriteFile(broken, []byte("not json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if report, err := Clean(testContext(t)); err == nil || report.Removed != 0 || !exists(broken) {
		t.Errorf("Clean() of a broken journal = %+v, %v, want an error and the file to stay", report, err)
	}
}

func TestTooWide(t *testing.T) {
	for _, path := range []string{"", "/", "/tmp", "relative/path/x", "/tmp/.."} {
		if err := RemoveFolder(testContext(t), path, nil); !errors.Is(err, ErrTooWide) {
			t.Errorf("RemoveFolder(%q) = %v, want ErrTooWide", path, err)
		}
	}
	for _, label := range []string{"", "a", "a=", "=b"} {
		if err := RemoveContainers(testContext(t), label); !errors.Is(err, ErrTooWide) {
			t.Errorf("RemoveContainers(%q) = %v, want ErrTooWide", label, err)
		}
	}
	if err := DropKeys(testContext(t), "redis://127.0.0.1:1/0", "g"); !errors.Is(err, ErrTooWide) {
		t.Errorf("DropKeys(g) = %v, want ErrTooWide", err)
	}
}

// TestCleanersAtOnce: every leftover is undone exactly once, however many clean, while new runs open.
func TestCleanersAtOnce(t *testing.T) {
	state(t)
	const runs, cleaners = 20, 8
	for i := range runs {
		leftover(t, "run"+string(rune('a'+i)), func(j *Journal) { must[Mark](t)(j.Revert("count", nil)) })
	}
	var mu sync.Mutex
	undone := 0
	undo := func(context.Context, json.RawMessage) error {
		mu.Lock()
		defer mu.Unlock()
		undone++
		return nil
	}
	var wg sync.WaitGroup
	for range cleaners {
		wg.Go(func() {
			if _, err := Clean(testContext(t), WithReverter("count", undo)); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range cleaners {
		wg.Go(func() {
			j, err := Open("new" + string(rune('a'+i)))
			if err != nil {
				t.Error(err)
				return
			}
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if undone != runs {
		t.Errorf("undone: %d, want each of %d once", undone, runs)
	}
}

func TestNoURLInTheReport(t *testing.T) {
	state(t)
	leftover(t, "secret", func(j *Journal) {
		must[Mark](t)(j.Keys("redis://:sesame@127.0.0.1:port/0", "gc:x:"))
		must[Mark](t)(j.Schema("postgres://u:sesame@127.0.0.1:port/x", "gc_x"))
	})
	report, err := Clean(testContext(t))
	if err == nil || len(report.Failed) != 2 {
		t.Fatalf("Clean() with bad URLs = %+v, %v, want both to fail", report, err)
	}
	text := err.Error()
	for _, item := range report.Failed {
		text += item.What + item.Err.Error()
	}
	if strings.Contains(text, "sesame") {
		t.Errorf("report tells the password: %s", text)
	}
}
