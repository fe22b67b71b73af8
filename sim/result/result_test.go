package result

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func open(t *testing.T) Dir {
	t.Helper()
	d, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatalf("OpenDir: %v", err)
	}
	return d
}

func TestFilesComeBackAsTheyWereWritten(t *testing.T) {
	d := open(t)
	run := &Run{RunID: "r1", Scenario: "s <&>", Sales: []string{"main"}, Planned: 7}
	truth := &Truth{Complete: true, Sales1: []SaleRow{{Sale: "main", Capacity: 5}}}
	faults := []FaultWindow{{Name: "f", Evidence: []string{"e"}}}
	res := &Result{RunID: "r1", Verdict: Pass, Checks: []Check{{Name: "no_oversell"}}}
	for _, err := range []error{WriteRun(d, run), WriteTruth(d, truth), WriteFaults(d, faults), WriteResult(d, res)} {
		if err != nil {
			t.Fatalf("write: %v", err)
		}
	}
	gotRun, err1 := ReadRun(d)
	gotTruth, err2 := ReadTruth(d)
	gotFaults, err3 := ReadFaults(d)
	gotRes, err4 := ReadResult(d)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatalf("read: %v", err)
	}
	for _, c := range [][2]any{{gotRun, run}, {gotTruth, truth}, {gotFaults, faults}, {gotRes, res}} {
		if !reflect.DeepEqual(c[0], c[1]) {
			t.Errorf("got %+v, want %+v", c[0], c[1])
		}
	}
	left, err := filepath.Glob(d.Join("*.tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"nothing", "", "EOF"},
		{"cut", `{"schema": 1, "run_id": "x"`, "unexpected EOF"},
		{"more after it", `{"schema": 1} {"schema": 1}`, "follows the end"},
		{"no schema", `{"run_id": "x"}`, "got schema 0"},
		{"a later schema", `{"schema": 99}`, "got schema 99"},
		{"another type", `{"schema": 1, "run_id": 5}`, "cannot unmarshal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t)
			if err := os.WriteFile(d.Join(FileRun), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadRun(d)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ReadRun of %q: got error %v, want one with %q", tt.text, err, tt.want)
			}
		})
	}
}

func TestReadOfAnUnknownSchemaIsNamed(t *testing.T) {
	d := open(t)
	if err := os.WriteFile(d.Join(FileTruth), []byte(`{"schema": 77}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTruth(d); !errors.Is(err, ErrSchema) {
		t.Errorf("ReadTruth: got %v, want ErrSchema", err)
	}
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	d := open(t)
	if err := WriteRun(d, &Run{RunID: "old"}); err != nil {
		t.Fatal(err)
	}
	gone := Dir{path: filepath.Join(d.Path(), "none")}
	if err := WriteRun(gone, &Run{RunID: "new"}); err == nil {
		t.Error("WriteRun into a folder that is not there: got no error")
	}
	if r, err := ReadRun(d); err != nil || r.RunID != "old" {
		t.Errorf("ReadRun: got %v, %v; want the old file", r, err)
	}
}

func TestSealTellsForeignFiles(t *testing.T) {
	write := func(d Dir, name, text string) {
		if err := os.WriteFile(d.Join(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		tamper func(d Dir)
		want   []Odd
	}{
		{"untouched", func(Dir) {}, nil},
		{"cut", func(d Dir) { write(d, FileLedger, "ledge") }, []Odd{{FileLedger, "it has 5 bytes, run.json says 6"}}},
		{"exchanged", func(d Dir) { write(d, FileLedger, "regdel") }, []Odd{{FileLedger, "it is not the file that run.json was written with"}}},
		{"removed", func(d Dir) { os.Remove(d.Join(FileTruth)) }, []Odd{{FileTruth, "it is missing"}}},
		{"added", func(d Dir) { write(d, FileDrift, "x") }, []Odd{{FileDrift, "it is not among the files that run.json names"}}},
		{"a result is no part of it", func(d Dir) { write(d, FileResult, "x") }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t)
			write(d, FileLedger, "ledger")
			write(d, FileTruth, "truth")
			if err := WriteRun(d, &Run{Ended: true}); err != nil {
				t.Fatal(err)
			}
			tt.tamper(d)
			run, err := ReadRun(d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Unsealed(d, run)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Unsealed: got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}
