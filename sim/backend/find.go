package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// usualDirs is where distributions keep server programs that are not on PATH.
func usualDirs() []string {
	return []string{
		"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
		"/usr/pgsql-*/bin",          // packages of postgresql.org for Fedora and its kin
		"/usr/local/pgsql/bin",      // from source
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin", "/opt/homebrew/bin",
		"/usr/local/bin", "/usr/local/sbin", "/usr/bin", "/usr/sbin",
	}
}

// programs are the local server programs.
type programs struct {
	initdb, postgres, redis string
}

// findPrograms looks for all local programs and reports every missing one at once.
func findPrograms(dirs []string) (programs, error) {
	search := dirs
	if search == nil {
		search = append(filepath.SplitList(os.Getenv("PATH")), usualDirs()...)
	}
	var found programs
	var err1, err2 error
	found.postgres, err1 = newest(search, "postgres")
	if err1 == nil {
		found.initdb, err1 = newest([]string{filepath.Dir(found.postgres)}, "initdb")
	}
	found.redis, err2 = newest(search, "redis-server", "valkey-server")
	return found, errors.Join(err1, err2)
}

// newest finds the program in the folders, which may be patterns. Earlier folders and names win, except that within one pattern
// the folder of the highest version wins.
func newest(dirs []string, names ...string) (string, error) {
	for _, name := range names {
		for _, dir := range dirs {
			paths, err := filepath.Glob(filepath.Join(dir, name))
			if err != nil {
				return "", fmt.Errorf("look for %q in %q: %w", name, dir, err)
			}
			slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(versionIn(b), versionIn(a)) })
			for _, path := range paths {
				if executable(path) {
					return path, nil
				}
			}
		}
	}
	return "", fmt.Errorf("%s: %w", strings.Join(names, " or "), ErrMissingBinary)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// versionIn is the last number in the folder part of a path, such as 15 in /usr/lib/postgresql/15/bin/postgres; 0 without one.
func versionIn(path string) float64 {
	fields := strings.FieldsFunc(filepath.Dir(path), func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	for _, field := range slices.Backward(fields) {
		if v, err := strconv.ParseFloat(field, 64); err == nil {
			return v
		}
	}
	return 0
}

// versionOf asks the program for its version.
func versionOf(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("ask %q for its version: %w", path, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// realPath is where a program really is, as /proc/PID/exe shows it: Debian's redis-server is a link.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
