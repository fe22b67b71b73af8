package reports

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gatecrash/sim/result"
)

func TestWrite(t *testing.T) {
	for _, name := range []string{"failing", "killed"} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
			t.Fatal(err)
		}
		if err := Write(dir); err != nil {
			t.Fatalf("Write(%s): %v", name, err)
		}
		_, err := os.Stat(filepath.Join(dir, result.FileResult))
		judged := err == nil
		for file, want := range map[string]bool{result.FileReport: true, "plots/crowd.svg": true, result.FileJUnit: judged} {
			if _, err := os.Stat(filepath.Join(dir, file)); (err == nil) != want {
				t.Errorf("Write(%s): %s is there: %v, want %v", name, file, err == nil, want)
			}
		}
	}
}

func TestOneBrokenPartLeavesTheOthers(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/failing")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, result.DirPlots), nil, 0o644); err != nil { // a file where the folder of plots should be
		t.Fatal(err)
	}
	if err := Write(dir); err == nil {
		t.Error("Write without room for plots: got nil, want an error")
	}
	for _, name := range []string{result.FileReport, result.FileJUnit} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("Write without room for plots made no %s: %v", name, err)
		}
	}
}

func TestWriteOfNothing(t *testing.T) {
	if err := Write(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Write(no directory) = %v, want %v", err, fs.ErrNotExist)
	}
}
