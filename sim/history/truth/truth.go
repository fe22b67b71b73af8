package truth

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"gatecrash/sim/target"
)

type ledgerRow struct {
	Sale     string    `parquet:"sale,dict"`
	Version  int64     `parquet:"version,delta"`
	Kind     string    `parquet:"kind,dict"`
	Account  string    `parquet:"account,dict"`
	Key      string    `parquet:"key"`
	Booking  int64     `parquet:"booking,delta"`
	Seats    int64     `parquet:"seats,dict"`
	At       time.Time `parquet:"at,timestamp(microsecond)"`
	Snapshot int32     `parquet:"snapshot,dict"`
	Gone     bool      `parquet:"gone"`
}

type bookingRow struct {
	ID       int64     `parquet:"id,delta"`
	Sale     string    `parquet:"sale,dict"`
	Account  string    `parquet:"account,dict"`
	Key      string    `parquet:"key"`
	Quantity int64     `parquet:"quantity,dict"`
	State    string    `parquet:"state,dict"`
	Version  int64     `parquet:"version,delta"`
	At       time.Time `parquet:"at,timestamp(microsecond)"`
	Snapshot int32     `parquet:"snapshot,dict"`
	Gone     bool      `parquet:"gone"`
}

// WriteLedger writes the ledger rows of both snapshots to path. Instants are kept to the microsecond, as the database does.
func WriteLedger(path string, first, second []target.LedgerRow) error {
	return write(path, merge(first, second, func(r target.LedgerRow, snapshot int32, gone bool) ledgerRow {
		return ledgerRow{r.Sale, r.Version, r.Kind, r.Account, r.Key, r.Booking, r.Seats, instant(r.At), snapshot, gone}
	}))
}

// ReadLedger gives back the rows of both snapshots, in order of sale and version.
func ReadLedger(path string) (first, second []target.LedgerRow, err error) {
	rows, err := read[ledgerRow](path)
	for _, r := range rows {
		row := target.LedgerRow{Sale: r.Sale, Version: r.Version, Kind: r.Kind, Account: r.Account, Key: r.Key, Booking: r.Booking, Seats: r.Seats, At: instant(r.At)}
		first, second = split(first, second, row, r.Snapshot, r.Gone)
	}
	order := func(a, b target.LedgerRow) int {
		return cmp.Or(cmp.Compare(a.Sale, b.Sale), cmp.Compare(a.Version, b.Version))
	}
	slices.SortStableFunc(first, order)
	slices.SortStableFunc(second, order)
	return first, second, err
}

// WriteBookings writes the booking rows of both snapshots to path.
func WriteBookings(path string, first, second []target.BookingRow) error {
	return write(path, merge(first, second, func(r target.BookingRow, snapshot int32, gone bool) bookingRow {
		return bookingRow{r.ID, r.Sale, r.Account, r.Key, int64(r.Quantity), r.State, r.Version, instant(r.At), snapshot, gone}
	}))
}

// ReadBookings gives back the rows of both snapshots, in order of sale and version.
func ReadBookings(path string) (first, second []target.BookingRow, err error) {
	rows, err := read[bookingRow](path)
	for _, r := range rows {
		row := target.BookingRow{ID: r.ID, Sale: r.Sale, Account: r.Account, Key: r.Key, Quantity: int(r.Quantity), State: r.State, Version: r.Version, At: instant(r.At)}
		first, second = split(first, second, row, r.Snapshot, r.Gone)
	}
	order := func(a, b target.BookingRow) int {
		return cmp.Or(cmp.Compare(a.Sale, b.Sale), cmp.Compare(a.Version, b.Version), cmp.Compare(a.ID, b.ID))
	}
	slices.SortStableFunc(first, order)
	slices.SortStableFunc(second, order)
	return first, second, err
}

// merge gives every row of either snapshot once, as often as the snapshot that has it most often.
func merge[T any, R comparable](first, second []T, row func(r T, snapshot int32, gone bool) R) []R {
	left := make(map[R]int, len(second))
	for _, r := range second {
		left[row(r, 1, false)]++
	}
	rows := make([]R, 0, len(second))
	for _, r := range first {
		kept := row(r, 1, false)
		if left[kept] == 0 {
			rows = append(rows, row(r, 1, true))
			continue
		}
		left[kept]--
		rows = append(rows, kept)
	}
	for _, r := range second {
		if kept := row(r, 1, false); left[kept] > 0 {
			left[kept]--
			rows = append(rows, row(r, 2, false))
		}
	}
	return rows
}

func split[T any](first, second []T, r T, snapshot int32, gone bool) ([]T, []T) {
	if snapshot == 1 {
		first = append(first, r)
	}
	if !gone {
		second = append(second, r)
	}
	return first, second
}

// instant makes equal instants equal values.
func instant(t time.Time) time.Time { return t.UTC().Round(0).Truncate(time.Microsecond) }

// write replaces path only when everything is written.
func write[R any](path string, rows []R) error {
	tmp := path + ".tmp"
	f, err := os.Create(tmp)
	if err != nil {
		return fmt.Errorf("create truth: %w", err)
	}
	w := parquet.NewGenericWriter[R](f, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}))
	_, err = w.Write(rows)
	err = errors.Join(err, w.Close(), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", path, err), os.Remove(tmp))
	}
	return nil
}

func read[R any](path string) ([]R, error) {
	rows, err := parquet.ReadFile[R](path)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	return rows, nil
}
