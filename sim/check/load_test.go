package check

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrash/sim/crowd"
	"gatecrash/sim/drift"
	"gatecrash/sim/history"
	"gatecrash/sim/history/truth"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

const worldFile = `version: 1
name: world
question: Does a small world come out right?
seed: 1
max_duration: 60s
sales: [{name: sale0, capacity: 900, per_account: 4}]
system: {replicas: 2}
crowds:
  - name: fans
    visitors: 250
    arrive: {shape: constant, for: 12s}
    quantity: {1: 50%, 2: 50%}
    patience: 60s
    timeout: 2s
expect:
  - {response_time: {of: book, p50: 10s}}
`

// written writes an input as a run directory, as a run does it: run.json last.
func written(t *testing.T, in *Input) string {
	t.Helper()
	sc, err := scenario.Parse("world", []byte(worldFile))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	in.Scenario = sc
	path := t.TempDir()
	in.Dir = path
	dir, err := result.OpenDir(path)
	must(t, err)
	must(t, dir.WriteFile(result.FileScenario, []byte(worldFile)))
	names := history.Names{Header: history.Header{RunID: in.Run.RunID, Zero: in.Run.Started}, Sales: in.Run.Sales, Crowds: in.Run.Crowds}
	w, err := history.Create(dir.Join(result.FileRecords), names.Header, 1)
	must(t, err)
	for i := range in.Requests {
		w.Append(0, &in.Requests[i])
	}
	must(t, w.Close())
	must(t, history.WriteParquet(dir.Join(result.FileRequests), names, history.Slice(in.Requests)))
	must(t, truth.WriteLedger(dir.Join(result.FileLedger), in.Ledger1, in.Ledger2))
	must(t, truth.WriteBookings(dir.Join(result.FileBookings), in.Bookings1, in.Bookings2))
	must(t, result.WriteTruth(dir, &in.Truth))
	must(t, result.WriteFaults(dir, in.Faults))
	must(t, dir.WriteFile(result.FileDrift, driftCSV(in.Drift)))
	must(t, result.WriteRun(dir, &in.Run))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func driftCSV(samples []drift.Sample) []byte {
	var b bytes.Buffer
	b.WriteString(strings.Join(result.DriftColumns(), ",") + "\n")
	for _, s := range samples {
		line, _ := json.Marshal([]any{s.At.Milliseconds(), s.Sale, 1, s.Avail, s.Debits, s.FreeLow, s.FreeHigh, s.Low, s.High, s.Oldest.Milliseconds()})
		b.WriteString(strings.ReplaceAll(strings.Trim(string(line), "[]"), `"`, "") + "\n")
	}
	return b.Bytes()
}

func loaded(t *testing.T, path string) *Input {
	t.Helper()
	in, err := Load(path)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return in
}

func TestVerdictIsRepeatedFromTheFiles(t *testing.T) {
	in := calm()
	path := written(t, in)
	want, got := Judge(in), Judge(loaded(t, path))
	a, err1 := json.Marshal(want)
	b, err2 := json.Marshal(got)
	must(t, err1)
	must(t, err2)
	if want.Verdict != result.Pass || string(a) != string(b) {
		t.Errorf("Judge(Load): got\n%s\nwant\n%s\n%s", b, a, explain(got))
	}
}

func TestKeysOfAPlanAreReadBack(t *testing.T) {
	sc, err := scenario.Parse("world", []byte(worldFile))
	must(t, err)
	plan, err := crowd.NewPlan(sc, 5)
	must(t, err)
	parse := keyParser(plan.KeyPrefix())
	for _, want := range []uint64{crowd.Intent(0, 1), crowd.Intent(249, 255), crowd.Intent(17, 3)} {
		if got, ok := parse(plan.Key(want)); !ok || got != want {
			t.Errorf("parse(%q): got %d, %v; want %d", plan.Key(want), got, ok, want)
		}
	}
	for _, want := range []uint32{0, 7, 249} {
		if got, ok := parseAccount(plan.AccountName(want)); !ok || got != want {
			t.Errorf("parseAccount(%q): got %d, %v; want %d", plan.AccountName(want), got, ok, want)
		}
	}
	for _, bad := range []string{"", "other-1", plan.KeyPrefix(), plan.KeyPrefix() + "-", plan.KeyPrefix() + "-xyz", plan.KeyPrefix() + "-0"} {
		if got, ok := parse(bad); ok {
			t.Errorf("parse(%q): got %d, want none", bad, got)
		}
	}
	for _, bad := range []string{"", "a", "7", "a-1", "a99999999999"} {
		if got, ok := parseAccount(bad); ok {
			t.Errorf("parseAccount(%q): got %d, want none", bad, got)
		}
	}
}

func TestCheckNamesOfScenariosExist(t *testing.T) {
	later := []string{"admission_enforced", "admission_rate", "queue_order"} // with the waiting room
	objectives := []string{"response_time", "service_time", "goodput", "sold", "outcome"}
	known := slices.Concat(Names(), objectives)
	for _, name := range scenario.CheckNames() {
		if !slices.Contains(known, name) && !slices.Contains(later, name) {
			t.Errorf("a scenario may expect %s, which is no check", name)
		}
	}
	for _, name := range known {
		if !slices.Contains(scenario.CheckNames(), name) {
			t.Errorf("a scenario cannot expect %s", name)
		}
	}
}

func TestADamagedDirectoryNeverPasses(t *testing.T) {
	cut := func(name string) func(t *testing.T, dir, other string) {
		return func(t *testing.T, dir, _ string) {
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path, text[:len(text)*2/3], 0o600))
		}
	}
	foreign := func(name string) func(t *testing.T, dir, other string) {
		return func(t *testing.T, dir, other string) {
			text, err := os.ReadFile(filepath.Join(other, name))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
	}
	gone := func(name string) func(t *testing.T, dir, other string) {
		return func(t *testing.T, dir, _ string) { must(t, os.Remove(filepath.Join(dir, name))) }
	}
	for _, name := range []string{result.FileScenario, result.FileRequests, result.FileLedger, result.FileBookings, result.FileTruth, result.FileFaults, result.FileDrift} {
		for what, do := range map[string]func(t *testing.T, dir, other string){"cut": cut(name), "foreign": foreign(name), "gone": gone(name)} {
			t.Run(name+" "+what, func(t *testing.T) {
				in, w := calm(), newWorld(77)
				w.visitors, w.capacity = 200, 800
				other := w.run()
				other.Run.RunID, other.Run.Started = "run-2", zero.Add(time.Hour)
				path := written(t, in)
				do(t, path, written2(t, other))
				r := Judge(loaded(t, path))
				if r.Verdict != result.Invalid || r.Exit != 4 || !strings.Contains(r.Reason, name) {
					t.Errorf("Judge: got %s, exit %d, %q; want invalid, 4, with the name of the file\n%s", r.Verdict, r.Exit, r.Reason, explain(r))
				}
			})
		}
	}
}

// written2 is another run, of another scenario.
func written2(t *testing.T, in *Input) string {
	t.Helper()
	path := written(t, in)
	must(t, os.WriteFile(filepath.Join(path, result.FileScenario), []byte(strings.Replace(worldFile, "name: world", "name: underworld", 1)), 0o600))
	must(t, os.WriteFile(filepath.Join(path, result.FileFaults), []byte(`{"schema": 1, "faults": [{"name": "x"}]}`), 0o600))
	return path
}

func TestRowsInAnotherOrderGiveTheSameVerdict(t *testing.T) {
	in := calm()
	want := Judge(in)
	slices.Reverse(in.Requests)
	slices.Reverse(in.Ledger2)
	slices.Reverse(in.Bookings2)
	slices.Reverse(in.Bookings1)
	got := Judge(in)
	a, err1 := json.Marshal(want)
	b, err2 := json.Marshal(got)
	must(t, err1)
	must(t, err2)
	if string(a) != string(b) {
		t.Errorf("Judge of reversed rows: got\n%s\nwant\n%s", b, a)
	}
}

func TestARunThatWasKilledIsJudgedFromItsRecords(t *testing.T) {
	in := calm()
	path := written(t, in)
	dir, err := result.OpenDir(path)
	must(t, err)
	in.Run.Ended = false
	must(t, result.WriteRun(dir, &in.Run))
	for _, name := range []string{result.FileRequests, result.FileLedger, result.FileBookings, result.FileTruth, result.FileFaults} {
		must(t, os.Remove(filepath.Join(path, name)))
	}
	text, err := os.ReadFile(filepath.Join(path, result.FileRecords))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(path, result.FileRecords), text[:len(text)-10], 0o600))
	got := loaded(t, path)
	if len(got.Requests) != len(in.Requests)-1 || got.TailLost == 0 || len(got.Damage) != 0 {
		t.Errorf("Load: got %d requests, %d bytes lost, damage %q; want %d requests, a torn tail and no damage", len(got.Requests), got.TailLost, got.Damage, len(in.Requests)-1)
	}
	r := Judge(got)
	if r.Verdict != result.Invalid || r.Exit != 4 || r.TailLost == 0 || len(verdicts(r, result.Fail)) > 0 {
		t.Errorf("Judge: got %s, exit %d, %d bytes lost; want invalid, 4\n%s", r.Verdict, r.Exit, r.TailLost, explain(r))
	}
}

func TestLoadOfNoRunDirectoryFails(t *testing.T) {
	for name, path := range map[string]string{"nothing there": filepath.Join(t.TempDir(), "none"), "an empty folder": t.TempDir()} {
		if in, err := Load(path); err == nil {
			t.Errorf("%s: Load: got %v, want an error", name, in)
		}
	}
}

func TestARunThatBrokeAtOnceIsInvalid(t *testing.T) {
	path := t.TempDir()
	dir, err := result.OpenDir(path)
	must(t, err)
	must(t, dir.WriteFile(result.FileScenario, []byte(worldFile)))
	must(t, result.WriteTruth(dir, &result.Truth{Error: "redis: connection refused"}))
	must(t, result.WriteFaults(dir, nil))
	must(t, result.WriteRun(dir, &result.Run{RunID: "r", Scenario: "world", Sales: []string{"sale0"}, Crowds: []string{"fans"}, Planned: 250, Ended: true, Broke: "redis: connection refused"}))
	in := loaded(t, path)
	if r := Judge(in); r.Verdict != result.Invalid || r.Exit != 4 || !strings.Contains(r.Reason, "redis: connection refused") || len(in.Damage) > 0 {
		t.Errorf("Judge: got %s, exit %d, %q, damage %q; want invalid, 4, what broke, and no damage", r.Verdict, r.Exit, r.Reason, in.Damage)
	}
}
