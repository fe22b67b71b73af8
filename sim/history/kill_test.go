package history

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const killedWriter = "GATECRASH_TEST_KILLED_WRITER"

// A Writer whose process is killed leaves a file that can be read up to the last write.
func TestKilledWriter(t *testing.T) {
	if path := os.Getenv(killedWriter); path != "" {
		writeUntilKilled(path)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.rec")
	cmd := exec.Command(self, "-test.run=^TestKilledWriter$")
	cmd.Env = append(os.Environ(), killedWriter+"="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForSize(t, path, HeaderSize+3*slabBytes)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	h, records, lost, err := ReadAll(path)
	if err != nil || h != testHeader || lost >= RecordSize {
		t.Fatalf("ReadAll: got %v, lost %d, %v; want a readable file", h, lost, err)
	}
	for i, r := range records {
		if r.Intended != int64(i) {
			t.Fatalf("record %d: got %d, want them without a gap", i, r.Intended)
		}
	}
	if len(records) < 3*slabRecords {
		t.Errorf("got %d records, want at least the %d that were seen on disk", len(records), 3*slabRecords)
	}
}

// writeUntilKilled appends for at most a minute, in case nobody kills it.
func writeUntilKilled(path string) {
	w, err := Create(path, testHeader, 1)
	if err != nil {
		panic(err)
	}
	end := time.Now().Add(time.Minute)
	for i := int64(0); time.Now().Before(end) && w.Written() < 10_000_000; i++ {
		w.Append(0, &Record{Intended: i, Op: OpBook, Outcome: Ok})
	}
	os.Exit(1)
}

func waitForSize(t *testing.T, path string, size int64) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); <-tick.C {
		if info, err := os.Stat(path); err == nil && info.Size() >= size {
			return
		}
	}
	t.Fatalf("%q did not reach %d bytes", path, size)
}
