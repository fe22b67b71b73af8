package junit

import (
	"bytes"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatecrash/sim/result"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

func sample() *result.Result {
	return &result.Result{
		RunID: "20240501T180000-duel-1a2b", Scenario: "last-seat-duel", Seed: 3, PlanHash: "sha256:ab", Started: time.Date(2024, 5, 1, 18, 0, 0, 0, time.UTC),
		DurationMS: 12345, Verdict: result.Fail, Exit: 1, Expected: "pass", Reason: "no_oversell is broken: 2 seats booked at version 2, capacity 1",
		Environment: result.Environment{RunDir: "runs/x"},
		Checks: []result.Check{
			{Name: "no_oversell", Kind: result.Invariant, Verdict: result.Fail, Expected: "0 <= booked <= capacity", Measured: "at most 1 above capacity", Unit: "seats",
				Samples: 2, MinSamples: 1, Decides: true, Evidence: []string{`ledger version 2: key "g1-<&>"`, "run again: gatecrash run last-seat-duel --seed 3"}},
			{Name: "versions_dense", Kind: result.Invariant, Verdict: result.Pass, Measured: "2 ledger rows", Samples: 2, MinSamples: 1, Decides: true},
			{Name: "limiter_closed", Kind: result.Invariant, Verdict: result.Inconclusive, Reason: "nothing to check: 0 samples, at least 1 are needed", MinSamples: 1},
			{Name: "faults_bit", Kind: result.Health, Verdict: result.Inconclusive, Reason: `fault "inflated": no request met it`, Samples: 1, MinSamples: 1, Decides: true},
			{Name: "load_offered", Kind: result.Health, Verdict: result.Invalid, Reason: "9 of 100 requests were sent more than 100 ms late", Samples: 100, MinSamples: 1, Decides: true},
		},
	}
}

func TestGolden(t *testing.T) {
	met := sample()
	met.Exit, met.Expected = 0, "fail:no_oversell"
	stopped := sample()
	stopped.Exit, stopped.Interrupted, stopped.Verdict, stopped.Reason, stopped.Checks = 130, true, result.Pass, "interrupted; of what was seen: all held", stopped.Checks[1:2]
	for name, r := range map[string]*result.Result{"fail": sample(), "expected-failure": met, "interrupted": stopped} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, r); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".xml")
			if *rewrite {
				if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("Write: got\n%s\nwant\n%s", b.Bytes(), want)
			}
		})
	}
}

// A run that does not end 0 must never be green, whatever its checks say.
func TestNeverGreenUnlessExitIsZero(t *testing.T) {
	for _, v := range []result.Verdict{result.Pass, result.Fail, result.Inconclusive, result.Invalid} {
		for _, exit := range []int{0, 1, 3, 4, 130} {
			var b bytes.Buffer
			r := &result.Result{Verdict: v, Exit: exit, Interrupted: exit == 130}
			if err := Write(&b, r); err != nil {
				t.Fatal(err)
			}
			var got suites
			if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if red := got.Failures+got.Errors > 0; red != (exit != 0) {
				t.Errorf("verdict %s, exit %d: got %d failures and %d errors", v, exit, got.Failures, got.Errors)
			}
		}
	}
}

func TestWriteFile(t *testing.T) {
	d, err := result.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(d, sample()); err != nil || !d.Has(result.FileJUnit) {
		t.Errorf("WriteFile: got %v, want %s there", err, result.FileJUnit)
	}
}
