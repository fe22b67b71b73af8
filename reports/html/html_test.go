package html

import (
	"bytes"
	goflag "flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrash/reports/chart"
	"gatecrash/reports/internal/sample"
	"gatecrash/sim/result"
)

var rewrite = goflag.Bool("rewrite", false, "rewrite the golden pages; read them before a commit")

// cases are run directories kept beside the reports.
const cases = "../testdata"

func rendered(t *testing.T, path string) string {
	t.Helper()
	dir, err := result.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := render(dir)
	if err != nil {
		t.Fatalf("render(%q): %v", path, err)
	}
	return string(got)
}

func TestGolden(t *testing.T) {
	for _, c := range sample.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			got, golden := rendered(t, filepath.Join(cases, c.Name)), filepath.Join("testdata", c.Name+".html")
			if *rewrite {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("render(%q): got %s, want %s", c.Name, firstDifference(got, string(want)), golden)
			}
		})
	}
}

// firstDifference is the first line that is not the same.
func firstDifference(got, want string) string {
	wanted := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wanted) || line != wanted[i] {
			return "at line " + whole(int64(i+1)) + " " + clip(line)
		}
	}
	return "a shorter page"
}

// night writes the sample of a whole sale.
func night(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "night")
	if err := sample.Write(dir, sample.Night(), nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSameDirectorySameBytes(t *testing.T) {
	dir := night(t)
	first := rendered(t, dir)
	t.Chdir(filepath.Dir(dir))
	if second := rendered(t, "night"); second != first {
		t.Errorf("render of the same directory by another way: %s", firstDifference(second, first))
	}
	if err := Write("night"); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, result.FileReport))
	if err != nil || string(written) != first || rendered(t, dir) != first {
		t.Errorf("Write: the page differs from the one rendered before it (%v)", err)
	}
}

func TestPageNeedsNoNetwork(t *testing.T) {
	p := rendered(t, night(t))
	for _, bad := range []string{"http://", "https://", "src=", "@import", "url(", "<link", "fetch("} {
		if strings.Contains(p, bad) {
			t.Errorf("page holds %q, want nothing that loads from elsewhere", bad)
		}
	}
}

func TestTextsAreEscaped(t *testing.T) {
	p := rendered(t, filepath.Join(cases, "failing"))
	for _, bad := range []string{"<script>alert", "<img", "<b>slow", "</script><script"} {
		if strings.Contains(p, bad) {
			t.Errorf("page holds %q as markup", bad)
		}
	}
	for _, want := range []string{"&lt;img src=x", "&lt;b&gt;slow"} {
		if !strings.Contains(p, want) {
			t.Errorf("page lacks %q", want)
		}
	}
}

func TestPageSays(t *testing.T) {
	tests := []struct {
		name, dir string
		want      []string
	}{
		{"why it failed", "failing", []string{`<span class="word">fail</span>`, "42 seats of 40 are sold", "First at: sale main, version 41, intent 1a, attempt 2, at 6.1 s", "version 40: intent 17, 1 seat", "<strong>First violation</strong> of 2 violations", "touched no request"}},
		{"that nothing happened", "empty", []string{"No booking was requested", "No booking was made.", "no booking was requested", "No check was made.", "No setting was read back."}},
		{"what is missing", "killed", []string{"no verdict", "result.json is not there", "<code>drift.csv</code> is not there", "<code>series.csv</code> is torn", "Not drawn: drift.csv is not there.", "never healed"}},
		{"that the drift is not known", "dark", []string{"The gate was out of reach at every sample", "not known", "The run was interrupted", "17 bytes of a torn last record"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := rendered(t, filepath.Join(cases, tt.dir))
			for _, want := range tt.want {
				if !strings.Contains(p, want) {
					t.Errorf("page of %q lacks %q", tt.dir, want)
				}
			}
		})
	}
}

func TestEveryChartNamesWhatItRestsOn(t *testing.T) {
	dir := night(t)
	data, err := chart.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	set, p := data.Charts(), rendered(t, dir)
	for _, c := range set.Charts {
		_, figure, _ := strings.Cut(p, `id="chart-`+c.Name+`"`)
		figure, _, _ = strings.Cut(figure, "</figure>")
		for _, want := range []string{c.Unit, "seed 7", "n = " + c.Count, "1 blackout", "2 crash", "opened", "sold out", `<rect class="fault"`} {
			if !strings.Contains(figure, want) {
				t.Errorf("chart %q lacks %q", c.Name, want)
			}
		}
	}
}

func TestSizeIsBounded(t *testing.T) {
	const limit = 3 << 20
	spec := sample.Night()
	spec.Seconds = 4000
	dir := filepath.Join(t.TempDir(), "long")
	err := sample.Write(dir, spec, func(r *result.Result) {
		long := strings.Repeat("x", 5_000)
		for range 400 {
			r.Checks = append(r.Checks, result.Check{Name: long, Verdict: result.Fail, Evidence: []string{long, long, long, long}})
			r.Findings = append(r.Findings, result.Finding{Text: long[:500]})
			r.Faults = append(r.Faults, result.Fault{Name: "again", Evidence: []string{long[:500]}})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(rendered(t, dir)); got > limit {
		t.Errorf("page of a long run with long texts: got %d bytes, want at most %d", got, limit)
	}
}

func TestOnlyARunHasAReport(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir); err == nil || !strings.Contains(err.Error(), chart.ErrNotRun.Error()) {
		t.Errorf("Write(empty directory) = %v, want %v", err, chart.ErrNotRun)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("Write(empty directory) left %v", left)
	}
}

func TestEveryTagIsClosed(t *testing.T) {
	for _, c := range sample.Cases() {
		p := rendered(t, filepath.Join(cases, c.Name))
		for _, tag := range []string{"main", "section", "figure", "table", "tr", "td", "div", "svg", "ul", "pre", "script", "style", "span", "p"} {
			open, shut := strings.Count(p, "<"+tag+">")+strings.Count(p, "<"+tag+" "), strings.Count(p, "</"+tag+">")
			if open != shut {
				t.Errorf("page of %q: %d <%s>, %d </%s>", c.Name, open, tag, shut, tag)
			}
		}
		if bytes.Contains([]byte(p), []byte("ZgotmplZ")) {
			t.Errorf("page of %q: the template refused a value", c.Name)
		}
	}
}
