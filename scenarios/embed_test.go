package scenarios

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrash/sim/scenario"
)

func TestEveryShippedScenarioNamesItself(t *testing.T) {
	if len(Names()) == 0 {
		t.Fatal("no scenario is shipped")
	}
	for _, name := range Names() {
		text, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\nname: "+name+"\n") {
			t.Errorf("%s.yaml does not carry its own name", name)
		}
		if first, _, _ := strings.Cut(string(text), "\n"); !strings.HasPrefix(first, "# ") || !strings.HasSuffix(first, "?") {
			t.Errorf("%s.yaml starts with %q, want a comment with the question that it answers", name, first)
		}
	}
}

func TestResolve(t *testing.T) {
	own := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(own, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(t.TempDir(), "huge.yaml")
	if err := os.WriteFile(huge, bytes.Repeat([]byte("#"), 2*scenario.MaxBytes), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, text, err := Resolve(huge); err != nil || len(text) != scenario.MaxBytes+1 {
		t.Errorf("Resolve of a huge file: %d bytes, %v; want no more than Parse needs to refuse it", len(text), err)
	}
	cases := []struct {
		name, arg, want, err string
	}{
		{"shipped", "smoke", "name: smoke", ""},
		{"a file", own, "mine", ""},
		{"nearly shipped", "opening-nigth", "", `did you mean "opening-night"?`},
		{"unknown", "nothing-like-it", "", "shipped are"},
		{"a path that is not there", "./not-there.yaml", "", "no such file"},
		{"a folder", t.TempDir(), "", "is a directory"},
	}
	for _, c := range cases {
		_, text, err := Resolve(c.arg)
		switch {
		case c.err == "" && (err != nil || !strings.Contains(string(text), c.want)):
			t.Errorf("%s: Resolve(%q) = %q, %v", c.name, c.arg, text, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: Resolve(%q) = %v, want an error with %q", c.name, c.arg, err, c.err)
		}
	}
	if _, _, err := Resolve("nothing-like-it"); !errors.Is(err, ErrUnknown) {
		t.Errorf("Resolve of an unknown name: got %v, want ErrUnknown", err)
	}
}
