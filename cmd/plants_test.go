package cmd

import (
	"slices"
	"strings"
	"testing"
)

// sound is a small house without a fault.
var sound = map[string]string{
	"cmd/gatecrash/doc.go":          "// Command x.\npackage main\n",
	"cmd/gatecrash/main.go":         "package main\n\nfunc main() {}\n",
	"cmd/gatecrash/serve.go":        "package main\n\nimport _ \"gatecrash/system\"\n",
	"cmd/gatecrash/run.go":          "package main\n\nimport _ \"gatecrash/sim/target/embedded\"\n",
	"system/doc.go":                 "// Package system x.\npackage system\n\nimport _ \"gatecrash/system/booking\"\n",
	"system/booking/doc.go":         "// Package booking x.\npackage booking\n\nimport _ \"context\"\n",
	"system/booking/x_test.go":      "package booking\n\nimport _ \"pgregory.net/rapid\"\n",
	"sim/doc.go":                    "// Package sim x.\npackage sim\n\nimport _ \"gatecrash/sim/result\"\n",
	"sim/result/doc.go":             "// Package result x.\npackage result\n\nimport _ \"encoding/json\"\n",
	"sim/check/doc.go":              "// Package check x.\npackage check\n\nimport _ \"gatecrash/sim/history\"\n",
	"sim/target/embedded/doc.go":    "// Package embedded x.\npackage embedded\n\nimport _ \"gatecrash/system/session\"\n",
	"sim/target/embedded/x_test.go": "package embedded\n\nimport \"math/rand/v2\"\n\nvar _ = rand.New(rand.NewPCG(1, 2)).IntN(3)\n",
	"reports/doc.go":                "// Package reports x.\npackage reports\n\nimport _ \"gatecrash/sim/result\"\n",
	"sim/x_test.go":                 "package sim\n\nfunc guarded(t T) {\n\tif os.Getenv(\"CI\") != \"true\" {\n\t\tt.Skip()\n\t}\n}\n",
}

// plants are violations, each to be found by the rule named.
var plants = []struct{ rule, path, text string }{
	{"only serve and sim/target/embedded import system", "cmd/gatecrash/run.go", "package main\n\nimport _ \"gatecrash/system\"\n"},
	{"only serve and sim/target/embedded import system", "sim/run.go", "package sim\n\nimport _ \"gatecrash/system/booking\"\n"},
	{"only serve and sim/target/embedded import system", "sim/check/x_test.go", "package check\n\nimport _ \"gatecrash/system/ledger\"\n"},
	{"only serve and sim/target/embedded import system", "reports/x.go", "package reports\n\nimport _ \"gatecrash/system\"\n"},
	{"system knows nothing of the harness", "system/x.go", "package system\n\nimport _ \"gatecrash/sim/result\"\n"},
	{"system knows nothing of the harness", "system/booking/y_test.go", "package booking\n\nimport _ \"gatecrash/sim\"\n"},
	{"system knows nothing of the harness", "system/x.go", "package system\n\nimport _ \"gatecrash/scenarios\"\n"},
	{"booking is standard library only", "system/booking/x.go", "package booking\n\nimport _ \"github.com/jackc/pgx/v5\"\n"},
	{"booking is standard library only", "system/booking/x.go", "package booking\n\nimport _ \"gatecrash/system/ledger\"\n"},
	{"result is standard library only", "sim/result/x.go", "package result\n\nimport _ \"gatecrash/sim/history\"\n"},
	{"reports knows only sim/result of our packages", "reports/html/doc.go", "// Package html x.\npackage html\n\nimport _ \"gatecrash/sim/history\"\n"},
	{"only cmd wires sim/target/embedded in", "sim/run.go", "package sim\n\nimport _ \"gatecrash/sim/target/embedded\"\n"},
	{"sim knows nothing of reports and cmd", "sim/run.go", "package sim\n\nimport _ \"gatecrash/reports/html\"\n"},
	{"check shares no code with anything that speaks to servers", "sim/check/x.go", "package check\n\nimport _ \"gatecrash/sim/backend\"\n"},
	{"nothing imports a command", "scenarios/doc.go", "// Package scenarios x.\npackage scenarios\n\nimport _ \"gatecrash/cmd/gatecrash\"\n"},
	{"no file too long", "sim/x.go", "package sim\n" + strings.Repeat("\n", maxFile)},
	{"no function too long", "sim/x.go", "package sim\n\nfunc f() {\n" + strings.Repeat("\tf()\n", maxFunction) + "}\n"},
	{"main.go only picks the exit code", "cmd/gatecrash/main.go", "package main\n" + strings.Repeat("\n", maxMain)},
	{"no skip that CI would not notice", "sim/x_test.go", "package sim\n\nfunc f(t T) { t.Skip() }\n"},
	{"no skip that CI would not notice", "sim/x.go", "package sim\n\nfunc f(t T) { t.Skipf(\"no server\") }\n"},
	{"no global random source", "sim/x.go", "package sim\n\nimport \"math/rand/v2\"\n\nvar _ = rand.IntN(3)\n"},
	{"no global random source", "sim/x_test.go", "package sim\n\nimport dice \"math/rand\"\n\nvar _ = dice.Shuffle\n"},
	{"no init function", "sim/x.go", "package sim\n\nfunc init() {}\n"},
	{"every package has a doc.go with a comment", "sim/new/x.go", "package new\n"},
	{"every package has a doc.go with a comment", "sim/new/doc.go", "package new\n"},
}

func house(t *testing.T, sources map[string]string) []file {
	t.Helper()
	var files []file
	for name, text := range sources {
		files = append(files, parse(t, name, []byte(text)))
	}
	return files
}

func TestSoundHouseIsGreen(t *testing.T) {
	if bad := violations(house(t, sound)); len(bad) != 0 {
		t.Errorf("violations of a sound house:\n%s", strings.Join(bad, "\n"))
	}
}

func TestPlantedViolationsAreRed(t *testing.T) {
	for _, p := range plants {
		t.Run(p.rule, func(t *testing.T) {
			sources := map[string]string{p.path: p.text}
			for name, text := range sound {
				if name != p.path {
					sources[name] = text
				}
			}
			bad := violations(house(t, sources))
			if !slices.ContainsFunc(bad, func(v string) bool { return strings.Contains(v, p.rule) }) {
				t.Errorf("%s with %q: violations %q; want %q broken", p.path, p.text, bad, p.rule)
			}
		})
	}
}

func TestEveryRuleHasAPlant(t *testing.T) {
	planted := func(rule string) bool {
		return slices.ContainsFunc(plants, func(p struct{ rule, path, text string }) bool { return p.rule == rule })
	}
	for _, b := range borders {
		if !planted(b.name) {
			t.Errorf("rule %q has no planted violation", b.name)
		}
	}
	for _, m := range manners {
		if !planted(m.name) {
			t.Errorf("rule %q has no planted violation", m.name)
		}
	}
}
