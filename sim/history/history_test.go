package history

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

var testHeader = Header{RunID: "20240501-200000-x7", Zero: time.Date(2024, 5, 1, 20, 0, 0, 5, time.UTC)}

func record() *rapid.Generator[Record] {
	return rapid.Custom(func(t *rapid.T) Record {
		enum := func(last uint8) uint8 { return rapid.Uint8Range(0, last).Draw(t, "enum") }
		return Record{
			Intended: rapid.Int64().Draw(t, "intended"), Sent: rapid.Int64().Draw(t, "sent"), Done: rapid.Int64().Draw(t, "done"),
			Booking: rapid.Int64().Draw(t, "booking"), Version: rapid.Int64Min(-1).Draw(t, "version"), Intent: rapid.Uint64().Draw(t, "intent"),
			Visitor: rapid.Uint32().Draw(t, "visitor"), Account: rapid.Uint32().Draw(t, "account"),
			Sale: rapid.Uint16().Draw(t, "sale"), Crowd: rapid.Uint16().Draw(t, "crowd"), Status: rapid.Uint16().Draw(t, "status"),
			Quantity: rapid.Uint16().Draw(t, "quantity"), Answered: rapid.Uint16().Draw(t, "answered"),
			Attempt: rapid.Uint8().Draw(t, "attempt"), Replica: rapid.Uint8().Draw(t, "replica"),
			Op: Op(enum(uint8(OpResumeCancel))), Outcome: Outcome(enum(uint8(Unfinished))), Problem: Problem(enum(uint8(BadProof))),
			Error: ErrorClass(enum(uint8(ErrDial))), Path: Path(enum(uint8(PathReplay))), Phase: Phase(enum(uint8(AfterEnd))),
		}
	})
}

func writeAll(t testing.TB, path string, records []Record) {
	t.Helper()
	w, err := Create(path, testHeader, 3)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	for i := range records {
		w.Append(0, &records[i])
	}
	if err := w.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

func TestRecordsThroughParquetAreTheSame(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		want := rapid.SliceOfN(record(), 0, 50).Draw(rt, "records")
		rec, pq := filepath.Join(dir, "r.rec"), filepath.Join(dir, "r.parquet")
		_ = os.Remove(rec)
		writeAll(t, rec, want)
		r, err := Open(rec)
		if err != nil {
			rt.Fatalf("Open: %v", err)
		}
		defer r.Close()
		names := Names{Header: r.Header(), Sales: []string{"main", "second"}, Crowds: []string{"fans"}}
		if err := WriteParquet(pq, names, r.Records()); err != nil {
			rt.Fatalf("WriteParquet: %v", err)
		}
		got, records, err := ReadAllParquet(pq)
		if err != nil {
			rt.Fatalf("ReadAllParquet: %v", err)
		}
		if !reflect.DeepEqual(got, names) {
			rt.Errorf("names: got %+v, want %+v", got, names)
		}
		if len(records) != len(want) || (len(want) > 0 && !reflect.DeepEqual(records, want)) {
			rt.Errorf("records: got %+v, want %+v", records, want)
		}
	})
}

func TestParquetOfManyRowGroups(t *testing.T) {
	want := make([]Record, 2*rowsPerGroup+7)
	for i := range want {
		want[i] = Record{Intended: int64(i), Sent: int64(i) + 5, Version: -1, Visitor: uint32(i), Op: OpBook, Outcome: Ok + Outcome(i%3), Status: uint16(200 + i%5)}
	}
	path := filepath.Join(t.TempDir(), "r.parquet")
	if err := WriteParquet(path, Names{Header: testHeader}, Slice(want)); err != nil {
		t.Fatalf("WriteParquet: %v", err)
	}
	_, got, err := ReadAllParquet(path)
	if err != nil {
		t.Fatalf("ReadAllParquet: %v", err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("record %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestConvertFillsInThePhase(t *testing.T) {
	dir := t.TempDir()
	rec, pq := filepath.Join(dir, "r.rec"), filepath.Join(dir, "r.parquet")
	writeAll(t, rec, []Record{{Visitor: 1}, {Visitor: 2}})
	if err := os.WriteFile(rec, append(must(os.ReadFile(rec)), 1, 2, 3), 0o644); err != nil {
		t.Fatal(err)
	}
	lost, err := Convert(rec, pq, []string{"main"}, []string{"fans"}, func(r *Record) Phase { return Phase(r.Visitor) })
	if err != nil || lost != 3 {
		t.Fatalf("Convert: got %d lost, %v; want 3", lost, err)
	}
	n, got, err := ReadAllParquet(pq)
	if want := []Record{{Visitor: 1, Phase: Warmup}, {Visitor: 2, Phase: Steady}}; err != nil || !reflect.DeepEqual(got, want) || n.Header != testHeader {
		t.Errorf("ReadAllParquet: got %+v of %+v, %v; want %+v", got, n, err, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestParquetIsNotWrittenHalf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.parquet")
	broken := errors.New("broken")
	err := WriteParquet(path, Names{Header: testHeader}, func(yield func(*Record, error) bool) { yield(nil, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("WriteParquet: got %v, want %v", err, broken)
	}
	if left, _ := filepath.Glob(path + "*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

func TestTornTailIsCutAtEveryByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.rec")
	want := make([]Record, 5)
	for i := range want {
		want[i] = Record{Intended: int64(i), Visitor: uint32(i), Op: OpBook, Outcome: Ok}
	}
	writeAll(t, path, want)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut <= 2*RecordSize; cut++ {
		size := len(whole) - cut
		r, err := NewReader(bytes.NewReader(whole[:size]))
		if err != nil {
			t.Fatalf("NewReader of %d bytes: %v", size, err)
		}
		got, err := r.all(0)
		n := (size - HeaderSize) / RecordSize
		if lost := int64((size - HeaderSize) % RecordSize); err != nil || r.TailLost() != lost || !reflect.DeepEqual(got, want[:n]) {
			t.Errorf("cut %d: got %d records, lost %d, %v; want %d, lost %d", cut, len(got), r.TailLost(), err, n, lost)
		}
	}
}

func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.rec")
	writeAll(t, path, make([]Record, 4))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		records int // bytes of these records are set to 0, from this one on
		until   int
		extra   int
		read    int
		lost    int64
		err     error
	}{
		{"last record is zeros", 3, 4, 0, 3, RecordSize, nil},
		{"two records and a part", 2, 4, 5, 2, 2*RecordSize + 5, nil},
		{"in the middle", 1, 2, 0, 1, 0, ErrCorrupt},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := append(bytes.Clone(whole), make([]byte, tt.extra)...)
			clear(b[HeaderSize+tt.records*RecordSize : HeaderSize+tt.until*RecordSize])
			r, err := NewReader(bytes.NewReader(b))
			if err != nil {
				t.Fatalf("NewReader: %v", err)
			}
			got, err := r.all(0)
			if len(got) != tt.read || r.TailLost() != tt.lost || !errors.Is(err, tt.err) {
				t.Errorf("got %d records, lost %d, %v; want %d, %d, %v", len(got), r.TailLost(), err, tt.read, tt.lost, tt.err)
			}
		})
	}
}

func TestNotAHistory(t *testing.T) {
	head, err := AppendHeader(nil, testHeader)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(head)
	damaged[30] ^= 1
	for name, b := range map[string][]byte{"empty": nil, "short": head[:50], "other": make([]byte, 200), "damaged": damaged} {
		if _, err := NewReader(bytes.NewReader(b)); !errors.Is(err, ErrNotHistory) {
			t.Errorf("NewReader of %s: got %v, want %v", name, err, ErrNotHistory)
		}
	}
	if _, err := AppendHeader(nil, Header{RunID: string(make([]byte, 65))}); err == nil {
		t.Error("AppendHeader with a long run id: got no error")
	}
}

func TestNamesAreParsedBack(t *testing.T) {
	back := map[string]func(uint8) (string, uint8, error){
		"op":      func(v uint8) (string, uint8, error) { return parsedBack(Op(v), ParseOp) },
		"outcome": func(v uint8) (string, uint8, error) { return parsedBack(Outcome(v), ParseOutcome) },
		"problem": func(v uint8) (string, uint8, error) { return parsedBack(Problem(v), ParseProblem) },
		"error":   func(v uint8) (string, uint8, error) { return parsedBack(ErrorClass(v), ParseErrorClass) },
		"path":    func(v uint8) (string, uint8, error) { return parsedBack(Path(v), ParsePath) },
		"phase":   func(v uint8) (string, uint8, error) { return parsedBack(Phase(v), ParsePhase) },
	}
	known := map[string]uint8{"op": 7, "outcome": 6, "problem": 20, "error": 8, "path": 3, "phase": 7}
	for what, f := range back {
		seen := map[string]bool{}
		for v := range known[what] {
			name, got, err := f(v)
			if err != nil || got != v || seen[name] {
				t.Errorf("%s %d: got name %q, parsed back %d, %v", what, v, name, got, err)
			}
			seen[name] = true
		}
		if name, _, err := f(known[what]); err == nil || name != unnamed(known[what]) {
			t.Errorf("%s %d: got name %q, %v; want no name", what, known[what], name, err)
		}
	}
}

func parsedBack[T named](v T, parse func(string) (T, error)) (string, uint8, error) {
	got, err := parse(v.String())
	return v.String(), uint8(got), err
}

// disk is a file in memory that is full after room bytes.
type disk struct {
	mu     sync.Mutex
	data   []byte
	room   int
	synced bool
}

var errFull = errors.New("no space left on device")

func (d *disk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(p), d.room-len(d.data))
	d.data = append(d.data, p[:n]...)
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (d *disk) Sync() error  { d.synced = true; return nil }
func (d *disk) Close() error { return nil }

func (d *disk) bytes() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes.Clone(d.data)
}

func TestFullDiskIsAnErrorOfTheRun(t *testing.T) {
	d := &disk{room: HeaderSize + 3*RecordSize + 7}
	w, err := newWriter(d, testHeader, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		w.Append(0, &Record{Op: OpBook})
	}
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close: got %v, want %v", err, errFull)
	}
	if !errors.Is(w.Err(), errFull) || w.Written() != 3 || w.Lost() != 7 {
		t.Errorf("got written %d, lost %d, %v; want 3, 7, %v", w.Written(), w.Lost(), w.Err(), errFull)
	}
	r, err := NewReader(bytes.NewReader(d.data))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.all(0); len(got) != 3 || r.TailLost() != 7 || err != nil {
		t.Errorf("read: got %d records, lost %d, %v; want 3, 7", len(got), r.TailLost(), err)
	}
}

func TestAppendAfterCloseIsCounted(t *testing.T) {
	w, err := newWriter(&disk{room: 1 << 20}, testHeader, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Append(0, &Record{})
	if !errors.Is(w.Err(), ErrClosed) || w.Lost() != 1 {
		t.Errorf("got %v, lost %d; want %v, lost 1", w.Err(), w.Lost(), ErrClosed)
	}
}

func TestRecordsReachTheFileInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{room: 1 << 20}
		w, err := newWriter(d, testHeader, 4)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			w.Append(i, &Record{Visitor: uint32(i)})
		}
		time.Sleep(FlushEvery + time.Millisecond)
		synctest.Wait()
		if got, want := len(d.bytes()), HeaderSize+4*RecordSize; got != want {
			t.Errorf("bytes on disk after one period: got %d, want %d", got, want)
		}
		if err := w.Close(); err != nil || !d.synced {
			t.Errorf("Close: got %v, synced %v", err, d.synced)
		}
	})
}

func TestManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.rec")
	w, err := Create(path, testHeader, 4)
	if err != nil {
		t.Fatal(err)
	}
	const each, workers = 3000, 8
	var wg sync.WaitGroup
	for g := range workers {
		wg.Go(func() {
			for i := range each {
				w.Append(g, &Record{Visitor: uint32(g), Intended: int64(i)})
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h, records, lost, err := ReadAll(path)
	if err != nil || lost != 0 || h != testHeader || len(records) != each*workers || w.Written() != each*workers {
		t.Fatalf("ReadAll: got %d records, lost %d, header %v, %v", len(records), lost, h, err)
	}
	var sum [workers]int64
	for _, r := range records {
		sum[r.Visitor] += r.Intended
	}
	for g, s := range sum {
		if want := int64(each * (each - 1) / 2); s != want {
			t.Errorf("worker %d: got sum %d, want %d", g, s, want)
		}
	}
}

func FuzzReader(f *testing.F) {
	head, err := AppendHeader(nil, testHeader)
	if err != nil {
		f.Fatal(err)
	}
	rec := make([]byte, RecordSize)
	encode(rec, &Record{Op: OpBook, Outcome: Ok})
	f.Add(append(bytes.Clone(head), rec...))
	f.Add(append(append(bytes.Clone(head), make([]byte, 100)...), rec...))
	f.Add(head[:10])
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		var rec Record
		n := int64(0)
		for err = r.Next(&rec); err == nil; err = r.Next(&rec) {
			n++
		}
		if errors.Is(err, io.EOF) && HeaderSize+n*RecordSize+r.TailLost() != int64(len(b)) {
			t.Errorf("%d records and %d lost do not add up to %d bytes", n, r.TailLost(), len(b))
		}
	})
}
