package chart

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	made "gatecrash/reports/internal/sample"
	"gatecrash/sim/result"
)

// data makes a Data of the rows of both tables, written without their header.
func data(t *testing.T, series, drift string) *Data {
	t.Helper()
	d := &Data{Run: result.Run{Sales: []string{"main"}}}
	for _, f := range []struct {
		to   *table
		head []string
		rows string
	}{{&d.series, result.SeriesColumns(), series}, {&d.drift, result.DriftColumns(), drift}} {
		got, err := parseTable(strings.NewReader(strings.Join(f.head, ",")+"\n"+f.rows), f.head)
		if err != nil {
			t.Fatal(err)
		}
		*f.to = got
	}
	return d
}

// second is a row of series.csv: bookings per second, p99 in microseconds ("" for none) and seats left.
func second(at int, op string, sent, ok, refused int, p99 string, left string) string {
	return fmt.Sprintf("%d,%s,%d,%d,%d,%d,%d,0,0,0,%d,0,0,%s,%s,%s,%s,%s,steady\n", at, op, sent, sent, sent, ok, refused, ok, p99, p99, p99, p99, left)
}

func find(t *testing.T, s Set, name string) Chart {
	t.Helper()
	i := slices.IndexFunc(s.Charts, func(c Chart) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no chart %q", name)
	}
	return s.Charts[i]
}

// values writes known points as low..high and gaps as a dash.
func values(points []Point) string {
	var all []string
	for _, p := range points {
		switch {
		case !p.Known:
			all = append(all, "-")
		case p.Low == p.High:
			all = append(all, fmt.Sprint(p.High))
		default:
			all = append(all, fmt.Sprintf("%g..%g", p.Low, p.High))
		}
	}
	return strings.Join(all, " ")
}

func TestSeconds(t *testing.T) {
	d := data(t, second(-1, "all", 4, 1, 3, "", "")+second(0, "all", 9, 2, 7, "900", "")+second(2, "all", 6, 6, 0, "", "")+second(0, "book", 5, 2, 3, "2500", "")+second(2, "book", 1, 1, 0, "", ""), "")
	s := d.Charts()
	tests := []struct{ chart, series, want string }{
		{"crowd", "requests", "4 9 - 6"},
		{"goodput", "bookings", "1 2 - 6"},
		{"outcomes", "ok", "0..1 0..2 - 0..6"},
		{"outcomes", "refused", "1..4 2..9 - 6"},
		{"response", "response99", "- 2.5 - -"},
	}
	for _, tt := range tests {
		c := find(t, s, tt.chart)
		i := slices.IndexFunc(c.Series, func(s Series) bool { return s.Key == tt.series })
		if got := values(c.Series[i].Points); got != tt.want {
			t.Errorf("%s of %s: got %q, want %q", tt.series, tt.chart, got, tt.want)
		}
	}
	if s.From != -1 || s.To != 3 {
		t.Errorf("time axis: got %g to %g, want -1 to 3", s.From, s.To)
	}
	if got := find(t, s, "response").Count; got != "6 booking requests done" {
		t.Errorf("count of the response chart: got %q, want that of bookings only", got)
	}
}

func TestLongRunsAreFolded(t *testing.T) {
	var rows strings.Builder
	for i := range 6000 {
		rows.WriteString(second(i, "all", 10, 10, 0, "1000", ""))
		rows.WriteString(second(i, "book", 10, 10, 0, fmt.Sprint(1000*(1+i%10)), ""))
	}
	d := data(t, rows.String(), "")
	s := d.Charts()
	sent, p99 := find(t, s, "crowd").Series[0].Points, find(t, s, "response").Series[0].Points
	if len(sent) != MaxPoints || sent[17].High != 10 || sent[17].Width != 10 {
		t.Errorf("requests: got %d points like %+v, want %d of 10 seconds with a mean of 10", len(sent), sent[17], MaxPoints)
	}
	if p99[17].High != 10 {
		t.Errorf("p99 of a bucket: got %g ms, want the worst second's 10", p99[17].High)
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "10 seconds") {
		t.Errorf("notes: got %q, want the width of a bucket", s.Notes)
	}
}

func TestUnknownDriftIsAGap(t *testing.T) {
	d := data(t, "", "0,main,1,10,0,10,10,0,0,0\n100,main,1,12,0,9,10,2,3,0\n200,main,0,,,,,,,\n300,main,0,,,,,,,\n400,main,1,10,0,10,10,-1,0,0\n400,other,1,99,0,9,9,90,90,0\n")
	s := d.Charts()
	c := find(t, s, "drift")
	distinct := slices.CompactFunc(slices.Clone(c.Series[0].Points), func(a, b Point) bool { return a.Low == b.Low && a.High == b.High && a.Known == b.Known })
	if got := values(distinct); got != "0 2..3 - -1..0" {
		t.Errorf("drift: got %q, want an interval, a gap where it is not known, and nothing of another sale", got)
	}
	if want := []Gap{{0.2, 0.4}}; !slices.Equal(c.Gaps, want) {
		t.Errorf("gaps: got %v, want %v", c.Gaps, want)
	}
	if !strings.Contains(c.Count, "5 samples (2 with the gate out of reach)") {
		t.Errorf("count: got %q, want those not known named", c.Count)
	}
}

func TestTruthIsShownWhileTheGateIsNot(t *testing.T) {
	d := data(t, second(0, "all", 1, 0, 0, "", "50")+second(1, "all", 1, 0, 0, "", "40")+second(2, "all", 1, 0, 0, "", "30"),
		"0,main,1,50,0,50,50,0,0,0\n1000,main,0,,,,,,,\n2000,main,1,30,0,30,30,0,0,0\n")
	s := d.Charts()
	c := find(t, s, "seats")
	at := func(series int, x float64) Point {
		for _, p := range c.Series[series].Points {
			if p.X <= x && x < p.X+p.Width {
				return p
			}
		}
		return Point{}
	}
	if p := at(0, 1.7); c.Series[0].Key != "truth" || !p.Known || p.High != 40 {
		t.Errorf("free seats around the end of the second second: got %s %+v, want 40", c.Series[0].Key, p)
	}
	for _, i := range []int{1, 2} {
		if p := at(i, 1.5); p.Known {
			t.Errorf("%s at 1.5 s: got %+v, want a gap", c.Series[i].Name, p)
		}
	}
}

func TestWindowsAndMarks(t *testing.T) {
	d := data(t, second(0, "all", 1, 1, 0, "", ""), "")
	d.Run.OpenedMS, d.Result.Sales = []int64{1500}, []result.Sale{{Name: "main", SoldOutMS: 4200}, {Name: "other", SoldOutMS: -1}}
	d.Faults = []result.FaultWindow{{Name: "never"}, {Name: "healed", Applied: true, AppliedNS: 2e9, Healed: true, HealedNS: 3e9}, {Name: "open", Applied: true, AppliedNS: 5e9}}
	d.Run.EndMS = 9000
	s := d.Charts()
	if len(s.Windows) != 2 || s.Windows[0].Number != 2 || s.Windows[0].To != 3 || !s.Windows[1].Open || s.Windows[1].To != 9 {
		t.Errorf("windows: got %+v, want the healed one to 3 s and the open one to the end", s.Windows)
	}
	if len(s.Marks) != 2 || s.Marks[0].At != 1.5 || s.Marks[1].At != 4.2 {
		t.Errorf("marks: got %+v, want the opening at 1.5 s and sold out at 4.2 s", s.Marks)
	}
}

func TestAxis(t *testing.T) {
	point := func(low, high float64) []Series {
		return []Series{{Points: []Point{{Low: low, High: high, Known: true, Width: 1}}}}
	}
	tests := []struct {
		name      string
		chart     Chart
		low, high float64
		ticks     int
	}{
		{"nothing", Chart{}, 0, 1, 3},
		{"counts", Chart{Series: point(0, 437)}, 0, 600, 4},
		{"drift at rest", Chart{Zero: true, Series: point(0, 0)}, -1, 1, 5},
		{"below zero", Chart{Zero: true, Series: point(-37, 4)}, -40, 20, 4},
		{"times", Chart{Log: true, Series: point(3, 1234)}, 1, 10000, 5},
		{"times of nothing", Chart{Log: true}, 1, 10, 2},
		{"many decades", Chart{Log: true, Series: append(point(0.0001, 0.0001), point(1e5, 1e5)...)}, 1e-4, 1e5, 5},
	}
	for _, tt := range tests {
		a := tt.chart.Axis()
		if math.Abs(a.Low/tt.low-1) > 1e-9 && a.Low != tt.low || math.Abs(a.High/tt.high-1) > 1e-9 || len(a.Ticks()) != tt.ticks {
			t.Errorf("%s: got %g to %g with ticks %v, want %g to %g with %d", tt.name, a.Low, a.High, a.Ticks(), tt.low, tt.high, tt.ticks)
		}
	}
}

func TestTimeTicksAreFew(t *testing.T) {
	for _, span := range []float64{1, 3, 60, 61, 600, 86400, 5e6} {
		got := Set{From: 0, To: span}.TimeTicks()
		if len(got) < 2 || len(got) > 10 {
			t.Errorf("time axis of %g s: got ticks %v, want 2 to 10", span, got)
		}
	}
}

func TestLoadNamesWhatIsWrong(t *testing.T) {
	tests := []struct {
		name, file, content string // content "": removed
		want                string
	}{
		{"missing", result.FileDrift, "", "is not there"},
		{"torn JSON", result.FileResult, `{"schema": 1, "verd`, "unexpected EOF"},
		{"foreign schema", result.FileResult, `{"schema": 99}`, "schema"},
		{"empty table", result.FileSeries, "\n", "is empty"},
		{"foreign table", result.FileSeries, "a,b\n1,2\n", "has no column"},
		{"torn table", result.FileDrift, strings.Join(result.DriftColumns(), ",") + "\n0,main,1,1,1,1,1,0,0,0\n100,ma", "is torn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := made.Write(dir, made.Spec{Name: "x", Seconds: 2, Capacity: 5}, nil); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, tt.file)
			err := os.Remove(path)
			if tt.content != "" {
				err = os.WriteFile(path, []byte(tt.content), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			d, err := Load(dir)
			if err != nil || len(d.Missing) != 1 || d.Missing[0].File != tt.file || !strings.Contains(d.Missing[0].Why, tt.want) || strings.Contains(d.Missing[0].Why, dir) {
				t.Errorf("Load: got %+v (%v), want %s named with %q and without the path", d.Missing, err, tt.file, tt.want)
			}
		})
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, ErrNotRun) {
		t.Errorf("Load(empty directory) = %v, want %v", err, ErrNotRun)
	}
}

func TestManySales(t *testing.T) {
	d := data(t, "", "0,e,1,5,0,5,5,0,0,0\n")
	d.Run.Sales = []string{"a", "b", "c", "d", "e"}
	s := d.Charts()
	var names []string
	for _, c := range s.Charts {
		names = append(names, c.Name)
	}
	want := "crowd outcomes goodput seats drift seats-2 drift-2 seats-3 drift-3 seats-4 drift-4 response"
	if got := strings.Join(names, " "); got != want || len(s.Notes) != 1 {
		t.Errorf("charts of five sales: got %q, notes %q; want %q and a note on the fifth", got, s.Notes, want)
	}
}
