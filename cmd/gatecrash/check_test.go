package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/history/truth"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

const onePerson = `version: 1
name: one-person
question: Does one visitor get one seat?
seed: 1
max_duration: 10s
sale: {capacity: 1, per_account: 1}
crowds:
  - name: fans
    visitors: 1
    arrive: {shape: constant, for: 1s}
    quantity: 1
    patience: 5s
    timeout: 1s
`

// oneSeat writes the run directory of a sale of one seat; with twice, the seat was sold a second time.
func oneSeat(t *testing.T, twice bool) string {
	t.Helper()
	d, err := result.OpenDir(t.TempDir())
	ok(t, err)
	zero := time.Date(2024, 5, 1, 18, 0, 0, 0, time.UTC)
	run := result.Run{RunID: "r", Scenario: "one-person", Seed: 1, Scale: 1, Started: zero, Sales: []string{"main"}, Crowds: []string{"fans"}, Planned: 1,
		OpensMS: []int64{0}, OpenedMS: []int64{0}, KeyPrefix: "g", Ended: true, EndMS: 2000, Records: 2, Visitors: result.Visitors{Planned: 1, Started: 1, Booked: 1}}
	const msec = int64(time.Millisecond)
	requests := []history.Record{
		{Intended: 0, Sent: msec, Done: 2 * msec, Version: -1, Attempt: 1, Op: history.OpLogin, Outcome: history.Ok, Replica: 1},
		{Intended: 3 * msec, Sent: 3 * msec, Done: 9 * msec, Intent: 1, Booking: 1, Version: 1, Quantity: 1, Answered: 1, Attempt: 1, Op: history.OpBook, Outcome: history.Ok, Path: history.PathDB, Replica: 1},
	}
	bookings := []target.BookingRow{{ID: 1, Sale: "main", Account: "a0", Key: "g-1", Quantity: 1, State: "live", Version: 1, At: zero}}
	ledger := []target.LedgerRow{{Sale: "main", Version: 1, Kind: "book", Account: "a0", Key: "g-1", Booking: 1, Seats: -1, At: zero}}
	sale := result.SaleRow{Sale: "main", Capacity: 1, Free: 0, Version: 1, PerAccount: 1, State: "open"}
	if twice {
		bookings = append(bookings, target.BookingRow{ID: 2, Sale: "main", Account: "a9", Key: "g-9", Quantity: 1, State: "live", Version: 2, At: zero})
		ledger = append(ledger, target.LedgerRow{Sale: "main", Version: 2, Kind: "book", Account: "a9", Key: "g-9", Booking: 2, Seats: -1, At: zero})
		sale.Version = 2
	}
	names := history.Names{Header: history.Header{RunID: "r", Zero: zero}, Sales: run.Sales, Crowds: run.Crowds}
	ok(t, d.WriteFile(result.FileScenario, []byte(onePerson)))
	ok(t, history.WriteParquet(d.Join(result.FileRequests), names, history.Slice(requests)))
	ok(t, truth.WriteLedger(d.Join(result.FileLedger), ledger, ledger))
	ok(t, truth.WriteBookings(d.Join(result.FileBookings), bookings, bookings))
	ok(t, result.WriteTruth(d, &result.Truth{Complete: true, Fenced: true, Sales1: []result.SaleRow{sale}, Sales2: []result.SaleRow{sale},
		Reconciled: []result.ReconcileRow{{Pass: 2, Sale: "main", Known: true}}}))
	ok(t, result.WriteFaults(d, nil))
	ok(t, d.WriteFile(result.FileDrift, []byte(strings.Join(result.DriftColumns(), ",")+"\n10,main,1,0,0,0,0,0,0,0\n")))
	ok(t, result.WriteRun(d, &run))
	return d.Path()
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	ok(t, err)
	return all
}

func TestCheckRepeatsTheVerdict(t *testing.T) {
	good, bad, empty := oneSeat(t, false), oneSeat(t, true), t.TempDir()
	tests := []struct {
		name   string
		args   []string
		code   int
		stdout string // begins with
	}{
		{"good", []string{good}, 0, "pass (exit 0): "},
		{"bad", []string{bad}, 1, "fail (exit 1): no_oversell is broken: ledger: 2 seats booked at version 2, capacity 1"},
		{"the worst counts", []string{bad, good}, 1, "fail"},
		{"no run directory", []string{empty}, 2, ""},
		{"one of them is none", []string{good, empty}, 2, "pass"},
		{"none given", nil, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			before := files(t, good)
			code := run(context.Background(), append([]string{"check"}, tt.args...), &out, &errs)
			if code != tt.code || !strings.HasPrefix(out.String(), tt.stdout) {
				t.Errorf("check %q = %d, %q, %q; want %d, %q", tt.args, code, out.String(), errs.String(), tt.code, tt.stdout)
			}
			if after := files(t, good); !slices.Equal(before, after) {
				t.Errorf("check changed the directory: %q, was %q", after, before)
			}
		})
	}
}

func TestCheckWritesWhenAsked(t *testing.T) {
	dir := oneSeat(t, false)
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"check", dir, "--write", "--json"}, &out, &errs); code != 0 {
		t.Fatalf("check --write: got %d, %s", code, errs.String())
	}
	var printed result.Result
	ok(t, json.Unmarshal(out.Bytes(), &printed))
	d, err := result.OpenDir(dir)
	ok(t, err)
	written, err := result.ReadResult(d)
	ok(t, err)
	if printed.Verdict != result.Pass || written.Verdict != result.Pass || !d.Has(result.FileJUnit) {
		t.Errorf("check --write --json: got %s printed, %s written, junit %v; want pass twice and a file", printed.Verdict, written.Verdict, d.Has(result.FileJUnit))
	}
	if code := run(context.Background(), []string{"check", dir}, &out, &errs); code != 0 {
		t.Errorf("check after --write: got %d, want 0", code)
	}
	ok(t, os.Remove(d.Join(result.FileLedger)))
	if code := run(context.Background(), []string{"check", dir}, &out, &errs); code != 4 {
		t.Errorf("check without a ledger: got %d, want 4", code)
	}
}
