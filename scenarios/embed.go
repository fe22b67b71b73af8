package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatecrash/sim/scenario"
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
	text, err = readFile(name)
	if err == nil {
		return name, text, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || looksLikePath(name) {
		return name, nil, fmt.Errorf("read scenario: %w", err)
	}
	if near := scenario.Suggest(name, Names()); near != "" {
		return name, nil, fmt.Errorf("%q: %w; did you mean %q?", name, ErrUnknown, near)
	}
	return name, nil, fmt.Errorf("%q: %w, and no file of that name; shipped are %s", name, ErrUnknown, strings.Join(Names(), ", "))
}

// readFile reads no more than is needed to see that a file is too large.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, scenario.MaxBytes+1))
}

func looksLikePath(name string) bool {
	return strings.ContainsAny(name, `/\`) || slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name))
}
