package truth

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"gatecrash/sim/target"
)

var at = time.Date(2024, 5, 1, 20, 0, 0, 123456000, time.UTC)

func ledger(version int64, key string) target.LedgerRow {
	return target.LedgerRow{Sale: "main", Version: version, Kind: "book", Account: "a", Key: key, Booking: version, Seats: -2, At: at.Add(time.Duration(version) * time.Second)}
}

func TestLedgerKeepsBothSnapshots(t *testing.T) {
	tests := []struct {
		name          string
		first, second []target.LedgerRow
	}{
		{"nothing", nil, nil},
		{"second adds", []target.LedgerRow{ledger(1, "k1")}, []target.LedgerRow{ledger(1, "k1"), ledger(2, "k2")}},
		{"second lost a row", []target.LedgerRow{ledger(1, "k1"), ledger(2, "k2")}, []target.LedgerRow{ledger(2, "k2")}},
		{"equal rows are counted", []target.LedgerRow{ledger(1, "k1"), ledger(1, "k1")}, []target.LedgerRow{ledger(1, "k1"), ledger(1, "k1"), ledger(1, "k1")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger.parquet")
			if err := WriteLedger(path, tt.first, tt.second); err != nil {
				t.Fatalf("WriteLedger: %v", err)
			}
			first, second, err := ReadLedger(path)
			if err != nil {
				t.Fatalf("ReadLedger: %v", err)
			}
			if !reflect.DeepEqual(first, tt.first) || !reflect.DeepEqual(second, tt.second) {
				t.Errorf("ReadLedger:\n got %v\n and %v\nwant %v\n and %v", first, second, tt.first, tt.second)
			}
		})
	}
}

func TestBookingsKeepAStateThatChanged(t *testing.T) {
	live := target.BookingRow{ID: 7, Sale: "main", Account: "a", Key: "k", Quantity: 2, State: "live", Version: 3, At: at}
	cancelled := live
	cancelled.State = "cancelled"
	other := target.BookingRow{ID: 8, Sale: "main", Account: "b", Key: "k", Quantity: 1, State: "live", Version: 4, At: at}
	path := filepath.Join(t.TempDir(), "bookings.parquet")
	if err := WriteBookings(path, []target.BookingRow{live}, []target.BookingRow{cancelled, other}); err != nil {
		t.Fatalf("WriteBookings: %v", err)
	}
	first, second, err := ReadBookings(path)
	if err != nil {
		t.Fatalf("ReadBookings: %v", err)
	}
	if want := []target.BookingRow{live}; !reflect.DeepEqual(first, want) {
		t.Errorf("first: got %v, want %v", first, want)
	}
	if want := []target.BookingRow{cancelled, other}; !reflect.DeepEqual(second, want) {
		t.Errorf("second: got %v, want %v", second, want)
	}
}

func TestReadOfAMissingFileFails(t *testing.T) {
	if _, _, err := ReadLedger(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("ReadLedger of a missing file: got no error")
	}
}
