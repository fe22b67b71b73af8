package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrash/scenarios"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew from what the code says; read the difference before you commit it")

// golden holds text against testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n got\n%s\nwant\n%s", path, got, want)
	}
}

func TestScenarioCommands(t *testing.T) {
	const two, faulty = "testdata/two-crowds.yaml", "testdata/faulty.yaml"
	tests := []struct {
		name, args string
		code       int
		golden     string // file with the expected standard output; empty: none is expected
		stderr     string // must be part of standard error; empty: nothing there
	}{
		{"plan", "plan " + two, 0, "plan.txt", ""},
		{"plan, larger and with another seed", "plan " + two + " --seed 9 --scale 2.5", 0, "plan-scaled.txt", ""},
		{"plan as JSON", "plan " + two + " --json", 0, "plan.json", ""},
		{"plan of a faulty file", "plan " + faulty, 2, "", "faulty.yaml:3:8: sale.capcity"},
		{"plan of nothing", "plan no-such-thing", 2, "", "no-such-thing"},
		{"plan of a near name", "plan smok", 2, "", `did you mean "smoke"?`},
		{"plan without a scenario", "plan", 2, "", "accepts 1 arg"},
		{"plan of two", "plan smoke smoke", 2, "", "accepts 1 arg"},
		{"plan at scale 0", "plan smoke --scale 0", 2, "", "--scale: got 0, want more than 0"},
		{"plan at no scale", "plan smoke --scale NaN", 2, "", "--scale: got NaN, want more than 0"},
		{"plan at a bad seed", "plan smoke --seed -1", 2, "", "invalid argument"},
		{"plan too large", "plan " + two + " --scale 1e6", 2, "", "want at most"},
		{"plan beyond any number", "plan " + two + " --scale 1e300", 2, "", "want at most"},
		{"validate", "validate " + two, 0, "validate.txt", ""},
		{"validate with faults", "validate " + faulty + " " + two + " not-there.yaml", 2, "validate-faults.txt", "2 of 3 scenarios cannot be run"},
		{"validate as JSON", "validate --json " + faulty + " " + two, 2, "validate.json", "1 of 2 scenarios cannot be run"},
		{"validate nothing", "validate", 2, "", "requires at least 1 arg"},
		{"scenarios, an unknown one", "scenarios --show smokee", 2, "", "smokee"},
		{"scenarios, two wishes", "scenarios --json --schema", 2, "", "none of the others can be"},
		{"scenarios with an argument", "scenarios smoke", 2, "", "smoke"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(context.Background(), strings.Fields(tt.args), &out, &errs); code != tt.code {
				t.Errorf("run(%q) = %d, want %d; stderr %q", tt.args, code, tt.code, errs.String())
			}
			if !strings.Contains(errs.String(), tt.stderr) || tt.stderr == "" && errs.Len() > 0 {
				t.Errorf("run(%q): stderr %q, want it with %q", tt.args, errs.String(), tt.stderr)
			}
			if tt.golden != "" {
				golden(t, tt.golden, out.String())
			} else if out.Len() > 0 {
				t.Errorf("run(%q) printed %q, want nothing", tt.args, out.String())
			}
		})
	}
}

func TestScenariosCommand(t *testing.T) {
	stdout := func(args ...string) []byte {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, &out, &errs); code != 0 {
			t.Fatalf("run(%q) = %d: %s", args, code, errs.String())
		}
		return out.Bytes()
	}
	for _, name := range scenarios.Names() {
		if !strings.Contains(string(stdout("scenarios")), "\n"+name+" ") {
			t.Errorf("the list does not name %q", name)
		}
		text, err := scenarios.Read(name)
		if err != nil || !bytes.Equal(stdout("scenarios", "--show", name), text) {
			t.Errorf("--show %s differs from the file (%v)", name, err)
		}
	}
	var list []shipped
	if err := json.Unmarshal(stdout("scenarios", "--json"), &list); err != nil || len(list) != len(scenarios.Names()) || list[0].Question == "" || list[0].Visitors == 0 {
		t.Errorf("--json gives %+v, %v", list, err)
	}
	var schema map[string]any
	if err := json.Unmarshal(stdout("scenarios", "--schema"), &schema); err != nil || schema["properties"] == nil {
		t.Errorf("--schema gives no schema: %v", err)
	}
}
