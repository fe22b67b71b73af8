package scenarios

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		if !strings.HasPrefix(string(text), "# ") {
			t.Errorf("%s.yaml does not start with a comment that says what it is for", name)
		}
	}
}

func TestResolve(t *testing.T) {
	own := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(own, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
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
