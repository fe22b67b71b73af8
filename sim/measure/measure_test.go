package measure

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

const second = int64(time.Second)

func TestTally(t *testing.T) {
	tests := []struct {
		name   string
		values []time.Duration
		want   result.Percentiles
	}{
		{"nothing", nil, result.Percentiles{}},
		{"zero", []time.Duration{0}, result.Percentiles{N: 1}},
		{"a clock that stepped back", []time.Duration{-time.Second}, result.Percentiles{N: 1}},
		{"one", []time.Duration{1234567}, result.Percentiles{N: 1, Mean: 1234.567, P50: 1234, P90: 1234, P95: 1234, P99: 1234, P999: 1234, Max: 1234}},
		{
			"two hours are clamped, counted and shown", []time.Duration{2 * time.Hour},
			result.Percentiles{N: 1, Mean: 7.2e9, P50: 7_200_000_000, P90: 7_200_000_000, P95: 7_200_000_000, P99: 7_200_000_000, P999: 7_200_000_000, Max: 7_200_000_000, Clamped: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tally := newTally(digitsTotal)
			for _, v := range tt.values {
				tally.add(int64(v), false)
			}
			if got := tally.percentiles(); got != tt.want {
				t.Errorf("percentiles:\n got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestTallyIsWithinItsDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, highest), 1, 300).Draw(t, "values")
		tally := newTally(digitsTotal)
		for _, v := range values {
			tally.add(v, false)
		}
		slices.Sort(values)
		for _, p := range []float64{0.1, 50, 90, 99, 99.9, 100} {
			want := values[max(int(math.Ceil(p/100*float64(len(values))-1e-9)), 1)-1]
			if got := tally.at(p); math.Abs(float64(got-want)) > float64(want)/1000+float64(lowest) {
				t.Errorf("p%v of %v: got %d, want %d", p, values, got, want)
			}
		}
	})
}

func TestTimesCensorTheUnanswered(t *testing.T) {
	records := []history.Record{
		{Op: history.OpBook, Phase: history.Steady, Outcome: history.Ok, Intended: 0, Sent: 2e6, Done: 10e6},
		{Op: history.OpBook, Phase: history.Fault, Outcome: history.Unfinished, Intended: 1e9, Sent: 2e9, Done: 9e9},
		{Op: history.OpLogin, Phase: history.Steady, Outcome: history.Ok, Intended: 0, Sent: 0, Done: 1e6},
	}
	got := TimesOf(records)
	var keys []string
	for _, row := range got {
		keys = append(keys, row.Op+"/"+row.Phase)
	}
	if want := []string{"login/all", "login/steady", "book/all", "book/steady", "book/fault"}; !slices.Equal(keys, want) {
		t.Fatalf("rows: got %v, want %v", keys, want)
	}
	all := got[2]
	if all.Response.N != 2 || all.Response.Censored != 1 || all.Response.Max != 8_000_000 || all.Service.Max != 7_000_000 {
		t.Errorf("book: got %+v, want the unfinished one at its age", all)
	}
	if steady := got[3]; steady.Response.P50 != 10_000 || steady.Service.P50 != 8_000 || steady.Response.Censored != 0 {
		t.Errorf("book in steady: got %+v", steady)
	}
}

func TestTimeline(t *testing.T) {
	spans := func(line Timeline) string {
		var b strings.Builder
		for _, s := range line {
			b.WriteString(s.Phase.String())
			if s.Until != Never {
				b.WriteString("|" + strconv.FormatInt(s.Until, 10) + "|")
			}
		}
		return b.String()
	}
	tests := []struct {
		name            string
		opened, soldOut int64
		faults          []Window
		want            string
	}{
		{"nothing but a sale", 2, Never, nil, "warm-up|2|steady"},
		{"never opened", Never, Never, nil, "warm-up"},
		{"sold out", 2, 9, nil, "warm-up|2|steady|9|sold-out"},
		{"a fault and its recovery", 2, Never, []Window{{4, 6, 8}}, "warm-up|2|steady|4|fault|6|recovery|8|steady"},
		{"never recovered", 2, Never, []Window{{4, 6, Never}}, "warm-up|2|steady|4|fault|6|recovery"},
		{"nothing to recover", 2, Never, []Window{{4, 6, 6}}, "warm-up|2|steady|4|fault|6|steady"},
		{"never healed", 2, Never, []Window{{4, Never, Never}}, "warm-up|2|steady|4|fault"},
		{"a fault in the recovery of another", 2, Never, []Window{{4, 6, 9}, {7, 8, 8}}, "warm-up|2|steady|4|fault|6|recovery|7|fault|8|recovery|9|steady"},
		{"sold out within a fault", 2, 5, []Window{{4, 6, 6}}, "warm-up|2|steady|4|fault|5|sold-out"},
		{"a fault before the opening", 5, Never, []Window{{1, 3, 3}}, "warm-up|5|steady"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := spans(NewTimeline(tt.opened, tt.soldOut, tt.faults)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFillTakesTheIntendedInstant(t *testing.T) {
	line := NewTimeline(10, Never, []Window{{20, 30, 30}})
	records := []history.Record{
		{Op: history.OpBook, Intended: -5, Done: 50}, {Op: history.OpBook, Intended: 19, Done: 25}, {Op: history.OpBook, Intended: 20, Done: 99},
		{Op: history.OpResumeBook, Intended: 20, Done: 99},
	}
	line.Fill(records)
	want := []history.Phase{history.Warmup, history.Steady, history.Fault, history.AfterEnd}
	for i := range records {
		if records[i].Phase != want[i] {
			t.Errorf("record %d: got %v, want %v", i, records[i].Phase, want[i])
		}
	}
}

// crowd draws records of requests up to 15 s long with late stragglers.
func crowd() *rapid.Generator[[]history.Record] {
	kinds := ops()
	one := rapid.Custom(func(t *rapid.T) history.Record {
		at := rapid.Int64Range(-2*second, 20*second).Draw(t, "intended")
		late := rapid.Int64Range(0, 3*second).Draw(t, "lateness")
		took := rapid.Int64Range(0, 15*second).Draw(t, "service")
		return history.Record{
			Op: rapid.SampledFrom(kinds[:]).Draw(t, "op"), Outcome: history.Outcome(rapid.IntRange(1, 5).Draw(t, "outcome")),
			Intended: at, Sent: at + late, Done: at + late + took, Attempt: rapid.Uint8Range(1, 3).Draw(t, "attempt"),
			Intent: rapid.Uint64Range(1, 9).Draw(t, "intent"), Visitor: rapid.Uint32Range(0, 9).Draw(t, "visitor"),
		}
	})
	return rapid.SliceOfN(one, 0, 60)
}

// The sum over the seconds is the total of the records, in every column, in all and in each operation; and so are the lines of the histogram log.
func TestSeriesSumsToTheRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := crowd().Draw(t, "records")
		var table, log bytes.Buffer
		s := Series{Records: records, Timeline: NewTimeline(0, Never, nil), Zero: time.Unix(1700000000, 123e6)}
		if err := s.Write(&table, &log); err != nil {
			t.Fatalf("Write: %v", err)
		}
		sums := sumColumns(t, &table)
		want := map[string]map[string]int64{"all": {}}
		tagged := map[string]int64{}
		visitors, intents := map[uint32]bool{}, map[uint64]bool{}
		for _, r := range records {
			op := r.Op.String()
			if want[op] == nil {
				want[op] = map[string]int64{}
			}
			for _, to := range []map[string]int64{want["all"], want[op]} {
				to["intended"]++
				to["sent"]++
				to[r.Outcome.String()]++
				if r.Op == history.OpBook && r.Attempt > 1 {
					to["retries"]++
				}
				if r.Op == history.OpBook && r.Outcome == history.Ok && !intents[r.Intent] {
					to["bookings"]++
				}
			}
			if r.Op == history.OpBook && r.Outcome == history.Ok {
				intents[r.Intent] = true
			}
			if !visitors[r.Visitor] {
				visitors[r.Visitor] = true
				want["all"]["arrivals"]++
			}
			tagged[op+"-response"]++
			tagged[op+"-service"]++
		}
		for op, columns := range sums {
			for column, got := range columns {
				if got != want[op][column] {
					t.Errorf("%s of %s: got %d, want %d", column, op, got, want[op][column])
				}
			}
		}
		if got := readLog(t, &log); !reflect.DeepEqual(got, tagged) {
			t.Errorf("histogram log: got %v, want %v", got, tagged)
		}
	})
}

// sumColumns sums the counting columns by operation, and holds that nothing is under way at the end.
func sumColumns(t *rapid.T, in io.Reader) map[string]map[string]int64 {
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatalf("read series: %v", err)
	}
	if !slices.Equal(rows[0], result.SeriesColumns()) {
		t.Fatalf("header: got %v", rows[0])
	}
	sums := map[string]map[string]int64{}
	last := map[string]string{}
	for _, row := range rows[1:] {
		if sums[row[1]] == nil {
			sums[row[1]] = map[string]int64{}
		}
		for i, column := range rows[0][:12] {
			if i < 2 {
				continue
			}
			n, err := strconv.ParseInt(row[i], 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", column, err)
			}
			sums[row[1]][column] += n
		}
		last[row[1]] = row[12]
	}
	for op, n := range last {
		if n != "0" {
			t.Errorf("in flight of %s after the last second: got %s, want 0", op, n)
		}
	}
	return sums
}

func readLog(t *rapid.T, in io.Reader) map[string]int64 {
	reader := hdrhistogram.NewHistogramLogReader(in)
	counts := map[string]int64{}
	for {
		h, err := reader.NextIntervalHistogram()
		if errors.Is(err, io.EOF) || (err == nil && h == nil) {
			return counts
		}
		if err != nil {
			t.Fatalf("read log: %v", err)
		}
		counts[h.Tag()] += h.TotalCount()
	}
}

func TestSeriesOfAFreeze(t *testing.T) {
	records := []history.Record{
		{Op: history.OpBook, Outcome: history.Ok, Intent: 1, Visitor: 1, Attempt: 1, Intended: 0.5e9, Sent: 0.5e9, Done: 0.6e9},
		{Op: history.OpBook, Outcome: history.Ok, Intent: 2, Visitor: 2, Attempt: 1, Intended: 1.5e9, Sent: 1.6e9, Done: 3.5e9},
	}
	var table, log bytes.Buffer
	s := Series{
		Records: records, Timeline: NewTimeline(0, Never, []Window{{1 * second, 3 * second, 3 * second}}), Zero: time.Unix(1700000000, 0),
		Arrivals:  []int64{0, 0, second},
		SeatsLeft: func(at int64) (int64, bool) { return 100 - at/second, at < 3*second },
	}
	if err := s.Write(&table, &log); err != nil {
		t.Fatalf("Write: %v", err)
	}
	want := strings.Join(result.SeriesColumns(), ",") + `
0,all,2,1,1,1,0,0,0,0,1,0,0,100000,100000,100000,100000,99,steady
0,book,0,1,1,1,0,0,0,0,1,0,0,100000,100000,100000,100000,99,steady
1,all,1,1,1,0,0,0,0,0,0,0,1,,,,,98,fault
1,book,0,1,1,0,0,0,0,0,0,0,1,,,,,98,fault
2,all,0,0,0,0,0,0,0,0,0,0,1,,,,,,fault
2,book,0,0,0,0,0,0,0,0,0,0,1,,,,,,fault
3,all,0,0,0,1,0,0,0,0,1,0,0,2000000,2000000,1900000,1900000,,steady
3,book,0,0,0,1,0,0,0,0,1,0,0,2000000,2000000,1900000,1900000,,steady
`
	if got := table.String(); got != want {
		t.Errorf("series.csv:\n got\n%s\nwant\n%s", got, want)
	}
	if head := "#[Histogram log format version 1.3]\n"; !strings.HasPrefix(log.String(), head) {
		t.Errorf("response.hlog: got %q, want it to begin with %q", log.String(), head)
	}
}

func TestSeriesRefusesARecordFromAnotherWorld(t *testing.T) {
	err := Series{Records: []history.Record{{Op: history.OpBook, Outcome: history.Ok, Done: math.MaxInt64}}}.Write(io.Discard, io.Discard)
	if err == nil {
		t.Error("Write of a record 292 years from zero: got no error")
	}
}

func TestFullDiskIsSeen(t *testing.T) {
	full := failing{}
	if err := (Series{Timeline: NewTimeline(0, Never, nil)}).Write(full, io.Discard); !errors.Is(err, errFull) {
		t.Errorf("Write: got %v, want %v", err, errFull)
	}
}

var errFull = errors.New("no space left on device")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
