package sample

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gatecrash/sim/result"
)

var (
	rewrite = flag.Bool("rewrite", false, "rewrite the run directories in reports/testdata")
	keep    = flag.String("keep", "", "also write the sample of a whole night to this directory")
)

// The directories in testdata stay as they are when the types of a run directory grow: reports must read older ones.
func TestCasesAreTheSameEachTime(t *testing.T) {
	if *rewrite {
		if err := WriteCases("../../testdata"); err != nil {
			t.Fatal(err)
		}
	}
	first, second := t.TempDir(), t.TempDir()
	for _, folder := range []string{first, second} {
		if err := WriteCases(folder); err != nil {
			t.Fatal(err)
		}
	}
	files := 0
	err := filepath.WalkDir(first, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		one, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		two, err := os.ReadFile(filepath.Join(second, path[len(first):]))
		if err == nil && !bytes.Equal(one, two) {
			t.Errorf("%s differs between two goes with the same seed", path[len(first):])
		}
		return err
	})
	if err != nil || files < 20 {
		t.Errorf("cases: %d files (%v), want at least 20", files, err)
	}
}

func TestNightSellsOut(t *testing.T) {
	dir := t.TempDir()
	if *keep != "" {
		dir = *keep
	}
	if err := Write(dir, Night(), nil); err != nil {
		t.Fatal(err)
	}
	d, err := result.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := result.ReadResult(d)
	if err != nil || r.Sales[0].Free != 0 || r.Sales[0].SoldOutMS < 0 {
		t.Errorf("Night: sales %+v (%v), want it sold out", r, err)
	}
}
