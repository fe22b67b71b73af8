package measure

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

const ms = int64(time.Millisecond)

func TestTimelineOfAResult(t *testing.T) {
	window := result.FaultWindow{Name: "x", Applied: true, AppliedNS: 2000 * ms, Healed: true, HealedNS: 3000 * ms}
	unhealed := window
	unhealed.Healed = false
	tests := []struct {
		name   string
		run    result.Run
		sales  []result.Sale
		window result.FaultWindow
		fault  result.Fault
		want   Timeline
	}{
		{
			"recovered", result.Run{OpensMS: []int64{500, 900}, OpenedMS: []int64{600, -1}}, []result.Sale{{SoldOutMS: 9000}, {SoldOutMS: 8000}},
			window, result.Fault{Name: "x", RecoveryMS: 250, Recovery: "recovered"},
			NewTimeline(600*ms, 9000*ms, []Window{{2000 * ms, 3000 * ms, 3250 * ms}}),
		},
		{
			"metastable, a sale with seats left", result.Run{OpensMS: []int64{0}}, []result.Sale{{SoldOutMS: -1}},
			window, result.Fault{Name: "x", RecoveryMS: -1, Recovery: "metastable"},
			NewTimeline(0, Never, []Window{{2000 * ms, 3000 * ms, Never}}),
		},
		{
			"nothing to measure", result.Run{OpensMS: []int64{0}}, nil,
			window, result.Fault{Name: "x", RecoveryMS: -1, Recovery: "nothing-to-measure"},
			NewTimeline(0, Never, []Window{{2000 * ms, 3000 * ms, 3000 * ms}}),
		},
		{
			"never healed", result.Run{OpensMS: []int64{0}}, nil,
			unhealed, result.Fault{Name: "x", RecoveryMS: -1},
			NewTimeline(0, Never, []Window{{2000 * ms, Never, Never}}),
		},
		{
			"never applied", result.Run{OpensMS: []int64{0}}, nil,
			result.FaultWindow{Name: "x"}, result.Fault{Name: "x", RecoveryMS: -1},
			NewTimeline(0, Never, nil),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := TimelineOf(&tt.run, &result.Result{Sales: tt.sales, Faults: []result.Fault{tt.fault}}, []result.FaultWindow{tt.window})
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSeatsLeft(t *testing.T) {
	zero := time.Unix(1700000000, 0)
	rows := []target.LedgerRow{
		{Version: 2, Seats: -3, At: zero.Add(2 * time.Second)}, {Version: 1, Seats: -2, At: zero.Add(time.Second)}, {Version: 3, Seats: 2, At: zero.Add(4 * time.Second)},
	}
	left := SeatsLeft([]result.SaleRow{{Free: 7}}, rows, zero)
	for at, want := range map[time.Duration]int64{-time.Second: 10, 0: 10, time.Second: 8, 1500 * time.Millisecond: 8, 3 * time.Second: 5, time.Hour: 7} {
		if got, known := left(int64(at)); got != want || !known {
			t.Errorf("seats left at %v: got %d, %v; want %d", at, got, known, want)
		}
	}
	if _, known := SeatsLeft(nil, nil, zero)(0); known {
		t.Error("seats left of no sale: got known")
	}
}

func TestWriteFiles(t *testing.T) {
	dir := t.TempDir()
	table, log := filepath.Join(dir, "series.csv"), filepath.Join(dir, "response.hlog")
	good := Series{Records: []history.Record{{Op: history.OpLook, Outcome: history.Ok}}, Timeline: NewTimeline(0, Never, nil)}
	if err := good.WriteFiles(table, log); err != nil {
		t.Fatalf("WriteFiles: %v", err)
	}
	bad := Series{Records: []history.Record{{Op: history.OpLook, Outcome: history.Ok, Done: 1 << 62}}}
	if err := bad.WriteFiles(table, log); err == nil {
		t.Error("WriteFiles of a record from another world: got no error")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("left: got %v, %v; want the two files only", left, err)
	}
	if err := good.WriteFiles(filepath.Join(dir, "no", "x"), log); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("WriteFiles into a missing folder: got %v, want %v", err, os.ErrNotExist)
	}
}
