package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// killedRun is the directory of a run that was killed, with two request records of which the second is torn.
func killedRun(t *testing.T) result.Dir {
	t.Helper()
	path := t.TempDir()
	ok(t, os.CopyFS(path, os.DirFS("../../reports/testdata/killed")))
	dir, err := result.OpenDir(path)
	ok(t, err)
	w, err := history.Create(dir.Join(result.FileRecords), history.Header{RunID: "killed", Zero: time.Unix(0, 0)}, 1)
	ok(t, err)
	for _, intended := range []int64{2e9, 6e9, 7e9} {
		w.Append(0, &history.Record{Intended: intended, Sent: intended, Done: intended + 1e6, Op: history.OpBook, Outcome: history.Refused, Version: -1})
	}
	ok(t, w.Close())
	info, err := os.Stat(dir.Join(result.FileRecords))
	ok(t, err)
	ok(t, os.Truncate(dir.Join(result.FileRecords), info.Size()-5))
	return dir
}

func reported(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), append([]string{"report"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestReportOfAKilledRun(t *testing.T) {
	dir := killedRun(t)
	code, out, errs := reported(t, dir.Path())
	if want := dir.Join(result.FileReport) + "\n"; code != exitPass || out != want || errs != "" {
		t.Fatalf("report: got %d, %q, %q; want 0 and %q", code, out, errs, want)
	}
	for _, name := range []string{result.FileReport, "plots/drift.svg", "plots/response.png"} {
		if !dir.Has(name) {
			t.Errorf("report made no %s", name)
		}
	}
	_, records, err := history.ReadAllParquet(dir.Join(result.FileRequests))
	ok(t, err)
	if len(records) != 2 || records[0].Phase != history.Steady || records[1].Phase != history.Fault {
		t.Errorf("requests.parquet: got %d records %+v, want the two whole ones, steady and in the fault", len(records), records)
	}
}

func TestReportTwiceIsTheSame(t *testing.T) {
	dir := killedRun(t)
	reported(t, dir.Path())
	first, err := os.ReadFile(dir.Join(result.FileReport))
	ok(t, err)
	reported(t, dir.Path())
	second, err := os.ReadFile(dir.Join(result.FileReport))
	ok(t, err)
	if !bytes.Equal(first, second) {
		t.Errorf("report of the same directory twice: %d and %d bytes that differ", len(first), len(second))
	}
}

// A run that ended has sealed its files: a file added later would make it invalid.
func TestReportAddsNothingToASealedRun(t *testing.T) {
	dir := killedRun(t)
	r, err := result.ReadRun(dir)
	ok(t, err)
	r.Ended = true
	ok(t, result.WriteRun(dir, r))
	if code, _, errs := reported(t, dir.Path()); code != exitPass || dir.Has(result.FileRequests) {
		t.Errorf("report of a run that ended: got %d, %q, requests.parquet made: %v", code, errs, dir.Has(result.FileRequests))
	}
}

func TestReportOfNoRun(t *testing.T) {
	empty := t.TempDir()
	file := filepath.Join(empty, "a-file")
	ok(t, os.WriteFile(file, nil, 0o644))
	good := killedRun(t).Path()
	for _, tt := range []struct {
		name string
		args []string
		says string
	}{
		{"nothing given", nil, "requires at least 1 arg"},
		{"a directory without a run", []string{empty}, "no run"},
		{"a file", []string{file}, "not a directory"},
		{"nothing there", []string{filepath.Join(empty, "gone")}, "no such file"},
		{"one run of two", []string{empty, good}, "no run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs := reported(t, tt.args...)
			if code != exitUsage || !strings.Contains(errs, tt.says) {
				t.Errorf("report %q: got %d, %q; want %d and %q", tt.args, code, errs, exitUsage, tt.says)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(good, result.FileReport)); err != nil {
		t.Errorf("a run beside a bad directory got no report: %v", err)
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) != 1 {
		t.Errorf("report of no run left %v (%v)", left, err)
	}
}
