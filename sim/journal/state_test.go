package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDir(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, each := range []struct{ name, state, xdg, home, want string }{
		{"given", base + "/s", base + "/x", base + "/h", base + "/s"},
		{"xdg", "", base + "/x", base + "/h", base + "/x/gatecrash"},
		{"home", "", "", base + "/h", base + "/h/.local/state/gatecrash"},
		{"relative xdg is none", "", "x", base + "/h", base + "/h/.local/state/gatecrash"},
		{"unusable home", "", "", file, "gatecrash-"},
		{"given and unusable", file + "/s", base + "/x", base + "/h", ""},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Setenv("GATECRASH_STATE", each.state)
			t.Setenv("XDG_STATE_HOME", each.xdg)
			t.Setenv("HOME", each.home)
			t.Setenv("TMPDIR", base)
			got, err := Dir()
			if each.want == "" {
				if err == nil {
					t.Errorf("Dir() = %q, want an error", got)
				}
				return
			}
			if err != nil || !strings.Contains(got, each.want) {
				t.Errorf("Dir() = %q, %v, want %q", got, err, each.want)
			}
		})
	}
}

func TestParseStat(t *testing.T) {
	got, err := parseStat("42 (a) b (c)) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 1 1")
	if want := (Stat{State: 'S', Parent: 1, Group: 42, StartTicks: 12345}); err != nil || got != want {
		t.Errorf("parseStat() = %+v, %v, want %+v", got, err, want)
	}
	for _, bad := range []string{"", "42 (a) S 1", "no parentheses"} {
		if _, err := parseStat(bad); err == nil {
			t.Errorf("parseStat(%q): no error", bad)
		}
	}
}
