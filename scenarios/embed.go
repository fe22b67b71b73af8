package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// ErrUnknown says that a name is neither a shipped scenario nor a file.
var ErrUnknown = errors.New("no such scenario")

// Names lists the shipped scenarios in alphabetical order.
func Names() []string {
	paths, err := fs.Glob(files, "*.yaml")
	if err != nil {
		panic("the pattern is constant and valid: " + err.Error())
	}
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(p, ".yaml")
	}
	return paths
}

// Read gives the text of a shipped scenario.
func Read(name string) ([]byte, error) {
	text, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("%q: %w; shipped are %s", name, ErrUnknown, strings.Join(Names(), ", "))
	}
	return text, nil
}

// Resolve reads the scenario that a user named: a shipped one by its name, or a file by its path. It gives the name for messages and the text.
func Resolve(name string) (file string, text []byte, err error) {
	if slices.Contains(Names(), name) {
		text, err = Read(name)
		return name + ".yaml", text, err
	}
	text, err = os.ReadFile(name)
	if err == nil {
		return name, text, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || looksLikePath(name) {
		return name, nil, fmt.Errorf("read scenario: %w", err)
	}
	if near := nearest(name); near != "" {
		return name, nil, fmt.Errorf("%q: %w; did you mean %q?", name, ErrUnknown, near)
	}
	return name, nil, fmt.Errorf("%q: %w, and no file of that name; shipped are %s", name, ErrUnknown, strings.Join(Names(), ", "))
}

func looksLikePath(name string) bool {
	return strings.ContainsAny(name, `/\`) || slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name))
}

// nearest is the shipped name that takes the fewest edits, at most a third of its length.
func nearest(name string) string {
	best, fewest := "", 1<<30
	for _, n := range Names() {
		if d := distance(name, n); d < fewest && d <= max(1, len(n)/3) {
			best, fewest = n, d
		}
	}
	return best
}

// distance counts the letters to insert, delete or replace (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
