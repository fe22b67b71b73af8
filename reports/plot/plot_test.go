package plot

import (
	"bytes"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrash/reports/internal/sample"
	"gatecrash/sim/result"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden pictures; look at them before a commit")

// drawn copies a case and plots it.
func drawn(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("../testdata", name))); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir); err != nil {
		t.Fatalf("Write(%q): %v", name, err)
	}
	return filepath.Join(dir, result.DirPlots)
}

func names() []string { return []string{"crowd", "outcomes", "goodput", "seats", "drift", "response"} }

func TestGolden(t *testing.T) {
	dir := drawn(t, "failing")
	for _, name := range names() {
		got, err := os.ReadFile(filepath.Join(dir, name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".svg")
		if *rewrite {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s.svg of the failing run differs from %s", name, golden)
		}
	}
}

func TestEveryKindOfRunIsDrawn(t *testing.T) {
	for _, c := range sample.Cases() {
		dir := drawn(t, c.Name)
		for _, name := range names() {
			svg, err := os.ReadFile(filepath.Join(dir, name+".svg"))
			if err != nil || !strings.Contains(string(svg), "seed ") || !strings.Contains(string(svg), "n = ") {
				t.Errorf("%s of %s: want a picture with seed and sample count (%v)", name, c.Name, err)
			}
			f, err := os.Open(filepath.Join(dir, name+".png"))
			if err != nil {
				t.Fatal(err)
			}
			config, err := png.DecodeConfig(f)
			if f.Close(); err != nil || config.Width < 900 {
				t.Errorf("%s.png of %s: got %d pixels wide (%v), want at least 900", name, c.Name, config.Width, err)
			}
		}
	}
}

func TestEmptyPictureSaysWhy(t *testing.T) {
	svg, err := os.ReadFile(filepath.Join(drawn(t, "killed"), "drift.svg"))
	if err != nil || !strings.Contains(string(svg), "drift.csv is not there") {
		t.Errorf("drift of a run without drift.csv does not say so (%v)", err)
	}
}

func TestOnlyARunIsDrawn(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir); err == nil {
		t.Errorf("Write(empty directory) = nil, want an error")
	}
}
