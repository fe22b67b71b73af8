package drift

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// system is a gate and a truth told by a test.
type system struct {
	rows     []target.LedgerRow
	view     target.GateView
	gateDown bool
	onView   func() // called while the gate is read
}

func (s *system) View(context.Context, string) (target.GateView, error) {
	if s.onView != nil {
		s.onView()
	}
	if s.gateDown {
		return target.GateView{}, errors.New("down")
	}
	return s.view, nil
}

func (s *system) Since(_ context.Context, sale string, after int64) ([]target.LedgerRow, target.SaleRow, error) {
	row := target.SaleRow{Sale: sale, Capacity: 10, Free: 10}
	var rows []target.LedgerRow
	for _, r := range s.rows {
		row.Version, row.Free = r.Version, row.Free+r.Seats
		if r.Version > after {
			rows = append(rows, r)
		}
	}
	return rows, row, nil
}

func (s *system) Snapshot(context.Context) (target.Snapshot, error) { return target.Snapshot{}, nil }
func (s *system) Sessions(context.Context) (int, error)             { return 0, nil }

func open(t *testing.T, s *system) (*Sampler, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), result.FileDrift)
	sm, err := Open(t.Context(), path, s, s, []string{"main"}, time.Millisecond, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return sm, path
}

func TestSamplesReachTheFile(t *testing.T) {
	s := &system{view: target.GateView{Present: true, Avail: 10}}
	sm, path := open(t, s)
	sm.Sample(t.Context())
	s.rows = []target.LedgerRow{book(1, "a", 3)}
	sm.Sample(t.Context())
	s.gateDown = true
	sm.Sample(t.Context())
	s.gateDown, s.view.Present = false, false
	sm.Sample(t.Context())
	if got := sm.SoldRatio(); got != 0.3 {
		t.Errorf("SoldRatio() = %v, want 0.3", got)
	}
	if err := sm.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []Sample{
		{Sale: "main", Known: true, Avail: 10, FreeLow: 10, FreeHigh: 10},
		{Sale: "main", Known: true, Avail: 10, FreeLow: 7, FreeHigh: 7, Low: 3, High: 3},
		{Sale: "main"}, {Sale: "main"},
	}
	for i := range got {
		got[i].At = 0
	}
	if !slices.Equal(got, want) {
		t.Errorf("Read() = %+v, want %+v", got, want)
	}
}

func TestCommitBetweenTheReadingsWidensTheInterval(t *testing.T) {
	s := &system{view: target.GateView{Present: true, Avail: 10}}
	sm, path := open(t, s)
	s.onView = func() { s.rows = []target.LedgerRow{book(1, "a", 3)} }
	sm.Sample(t.Context())
	sm.Close()
	got, err := Read(path)
	if err != nil || len(got) != 1 || got[0].Low != 0 || got[0].High != 3 {
		t.Errorf("Read() = %+v, %v, want one sample of [0, 3]", got, err)
	}
}

func TestOpenRefusesASaleUnderWay(t *testing.T) {
	s := &system{rows: []target.LedgerRow{book(1, "a", 1)}}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "d.csv"), s, s, []string{"main"}, time.Second, time.Now()); err == nil {
		t.Error("Open of a sale with a booking: got nil, want an error")
	}
}

func TestTornLineIsDroppedAndDamageIsNot(t *testing.T) {
	s := &system{view: target.GateView{Present: true, Avail: 10}}
	sm, path := open(t, s)
	sm.Sample(t.Context())
	sm.Sample(t.Context())
	sm.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(path, text[:len(text)-8], 0o644)
	if got, err := Read(path); err != nil || len(got) != 1 {
		t.Errorf("Read() of a torn file: %d samples, %v, want 1", len(got), err)
	}
	os.WriteFile(path, append(append(slices.Clone(text), "damage\n"...), text[len(text)-20:]...), 0o644)
	if _, err := Read(path); err == nil {
		t.Error("Read() of a damaged file: got nil, want an error")
	}
	os.WriteFile(path, []byte("a,b\n"), 0o644)
	if _, err := Read(path); err == nil {
		t.Error("Read() of another file: got nil, want an error")
	}
}

func TestSummarise(t *testing.T) {
	at := func(ms int, known bool, low, high int64) Sample {
		return Sample{Sale: "main", At: time.Duration(ms) * time.Millisecond, Known: known, Low: low, High: high}
	}
	got := Summarise([]Sample{
		at(0, true, 0, 0), at(100, true, -40, -40), at(200, true, -40, -38), at(300, true, -1, 0),
		at(400, true, 1, 5), at(450, false, 0, 0), at(550, true, -3, -3), at(600, true, 0, 0),
	}, []string{"main"})[0]
	want := result.Drift{
		Sale: "main", Samples: 8, Unknown: 1, MaxSurplus: 1, MaxLeak: 40, SurplusSeconds: 0.05, LeakSeconds: 0.25,
		LongestLeakS: 0.2, LongestSurplus: 0.05, FinalKnown: true,
	}
	if got != want {
		t.Errorf("Summarise() = %+v, want %+v", got, want)
	}
	if d := Summarise([]Sample{at(0, true, 0, 0), at(1, false, 0, 0)}, []string{"main"})[0]; d.FinalKnown {
		t.Error("a last sample that is unknown gives a known final drift")
	}
}

func TestOldestDebitIsOfOneDebitNotOfItsIntent(t *testing.T) {
	lease := time.Now()
	stays, again := debit("a", 1), debit("b", 2)
	stays.Lease, again.Lease = lease, lease
	s := &system{view: target.GateView{Present: true, Avail: 10, Debits: []target.GateDebit{again}}}
	sm, path := open(t, s)
	sm.Sample(t.Context())
	time.Sleep(20 * time.Millisecond)
	s.view.Debits = []target.GateDebit{stays, again} // seen for 20 ms
	sm.Sample(t.Context())
	again.Lease = lease.Add(time.Second) // given back and taken anew
	s.view.Debits = []target.GateDebit{again}
	sm.Sample(t.Context())
	s.gateDown = true // not known is not gone
	sm.Sample(t.Context())
	time.Sleep(30 * time.Millisecond)
	s.gateDown = false
	sm.Sample(t.Context())
	if err := sm.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	if len(got) != 5 || got[0].Oldest != 0 || got[1].Oldest < 20*ms || got[2].Oldest != 0 || got[3].Oldest != 0 || got[4].Oldest < 30*ms {
		t.Errorf("Read() = %+v, want oldest debits of 0, >= 20 ms, 0, 0 (not known), >= 30 ms", got)
	}
	if d := Summarise(got, []string{"main"}); d[0].LongestDebitS != max(got[1].Oldest, got[4].Oldest).Seconds() {
		t.Errorf("Summarise() = %+v, want the longest debit of %+v", d, got)
	}
}
