package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew from what the code says; read the difference before you commit it")

// base is a good file, one top-level key a line. A case of testdata/bad.txt replaces lines of the same key and adds others at the end.
const base = `version: 1
name: t
sale: {capacity: 10, per_account: 4, opens_after: 1s}
crowds: [{name: fans, visitors: 10, arrive: {shape: poisson, for: 5s}}]
`

// badCase is one entry of testdata/bad.txt:
//
//	== name (form|rule): form faults must also be seen by the JSON Schema, rules cannot be
//	lines of the file, in the place of or beside those of base
//	--
//	faults
type badCase struct{ name, kind, body, want string }

func (c badCase) file() string {
	lines := strings.Split(strings.TrimSuffix(base, "\n"), "\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(c.body, "\n"), "\n") {
		key, _, found := strings.Cut(line, ":")
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+":") })
		switch {
		case strings.HasPrefix(line, "~"): // leaves a key of base out
			lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, line[1:]+":") })
		case found && at >= 0 && at < 4 && !strings.HasPrefix(line, " "):
			lines[at] = line
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func readBad(t *testing.T) []badCase {
	t.Helper()
	text, err := os.ReadFile("testdata/bad.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []badCase
	for _, block := range strings.Split(string(text), "== ")[1:] {
		head, rest, _ := strings.Cut(block, "\n")
		body, want, ok := strings.Cut(rest, "--\n")
		name, kind, _ := strings.Cut(strings.TrimSuffix(head, ")"), " (")
		if !ok || kind != "form" && kind != "rule" {
			t.Fatalf("testdata/bad.txt: case %q has no -- line or no kind", head)
		}
		all = append(all, badCase{name, kind, body, strings.TrimRight(want, "\n")})
	}
	return all
}

func TestBadFiles(t *testing.T) {
	var out strings.Builder
	for _, c := range readBad(t) {
		_, err := Parse("f", []byte(c.file()))
		got := "no fault"
		if err != nil {
			got = err.Error()
		}
		fmt.Fprintf(&out, "== %s (%s)\n%s--\n%s\n\n", c.name, c.kind, c.body, got)
		if got != c.want && !*rewrite {
			t.Errorf("%s: Parse of\n%s\n got %s\nwant %s", c.name, c.file(), got, c.want)
		}
	}
	if *rewrite {
		if err := os.WriteFile("testdata/bad.txt", []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSchemaAgrees holds the schema against the walker: what it can see it must refuse, and what the walker takes it must take.
func TestSchemaAgrees(t *testing.T) {
	schema := compile(t)
	for _, good := range []string{base, full} {
		if err := schema.Validate(instance(t, good)); err != nil {
			t.Errorf("schema refuses a good file: %v\n%s", err, good)
		}
	}
	for _, c := range readBad(t) {
		if err := schema.Validate(instance(t, c.file())); (err != nil) != (c.kind == "form") {
			t.Errorf("%s: schema says %v; want a fault: %v", c.name, err, c.kind == "form")
		}
	}
}

func compile(t *testing.T) *validator.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance is a yaml file as the validator wants it. Duplicate keys, which JSON does not know, end as one.
func instance(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	b, err := json.Marshal(keyed(v))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestFilesThatAreNoYAML(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"empty", "", "f:1:1: got an empty file, want a scenario, for example version: 1"},
		{"only a comment", "# nothing\n", "f:1:1: got an empty file, want a scenario, for example version: 1"},
		{"null", "~\n", "f:1:1: got an empty file, want a scenario, for example version: 1"},
		{"a list", "- a\n", "f:1:1: got a list, want keys and values"},
		{"one word", "smoke\n", `f:1:1: got "smoke", want keys and values`},
		{"not UTF-8", "name: a\nx: \xff\n", "f:2:4: got a byte that is not UTF-8 (0xff), want text in UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "f:1:1: got a byte that is not UTF-8 (0xff), want text in UTF-8"},
		{"too large", strings.Repeat("#", MaxBytes+1), "f:1:1: got 1048577 bytes, want at most 1048576"},
		{"broken", "a: [1\nb: 2\n", "f:1:1: got text that is not yaml (did not find expected ',' or ']'), want keys and values, for example version: 1"},
		{"tab", "a:\n\tb: 1\n", "f:2:1: got text that is not yaml (found character that cannot start any token), want keys and values, for example version: 1"},
		{"duplicate key", base + "name: u\n", "f:5:1: name: got the key a second time, want it once (first on line 2)"},
		{"duplicate key below", strings.Replace(base, "capacity: 10", "capacity: 10, capacity: 11", 1), "f:3:22: sale.capacity: got the key a second time, want it once (first on line 3)"},
		{"second document", base + "---\n" + base, "f:5:1: got a second document, want one scenario a file"},
		{"alias", strings.Replace(base, "visitors: 10", "visitors: &n 10, cancel: *n", 1), "f:4:48: crowds[0].cancel: got an alias, want the value itself, for example 5%"},
		{"merge key", base + "system: {<<: {replicas: 2}}\n", `f:5:10: system.<<: got an unknown key, want one of replicas, commit, gate, limiter, connections, timeouts, postgres`},
		{"not a number", strings.Replace(base, "visitors: 10", "visitors: 10, retry: {backoff: {factor: .nan}}", 1), "f:4:63: crowds[0].retry.backoff.factor: got .nan, want a number, for example 2"},
		{"key that is a list", base + "? [a]\n: 1\n", "f:5:3: got a list as a key, want a word"},
	}
	for _, tt := range tests {
		_, err := Parse("f", []byte(tt.text))
		var faults Faults
		if !errors.As(err, &faults) || faults.Error() != tt.want {
			t.Errorf("%s: Parse = %v; want %s", tt.name, err, tt.want)
		}
	}
}

// TestBomb is a file that would expand to 10^9 words.
func TestBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	b.WriteString("crowds: *a8\n")
	_, err := Parse("bomb", []byte(b.String()))
	if err == nil || !strings.Contains(err.Error(), "crowds: got an alias") {
		t.Errorf("Parse(bomb) = %v; want the alias refused", err)
	}
}
