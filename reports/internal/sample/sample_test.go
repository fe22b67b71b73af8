package sample

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"gatecrash/sim/result"
)

var (
	rewrite = flag.Bool("rewrite", false, "rewrite the run directories in reports/testdata")
	keep    = flag.String("keep", "", "also write the sample of a whole night to this directory")
)

func TestCasesAreAsGenerated(t *testing.T) {
	if *rewrite {
		if err := WriteCases("../../testdata"); err != nil {
			t.Fatal(err)
		}
	}
	fresh := t.TempDir()
	if err := WriteCases(fresh); err != nil {
		t.Fatal(err)
	}
	for _, c := range Cases() {
		for _, name := range []string{result.FileRun, result.FileResult, result.FileFaults, result.FileSeries, result.FileDrift} {
			want, errWant := os.ReadFile(filepath.Join(fresh, c.Name, name))
			got, errGot := os.ReadFile(filepath.Join("../../testdata", c.Name, name))
			if string(got) != string(want) || (errGot == nil) != (errWant == nil) {
				t.Errorf("%s/%s in testdata is not what the generator writes", c.Name, name)
			}
		}
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
