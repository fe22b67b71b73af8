package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// FileFault is one thing wrong with a scenario file.
type FileFault struct {
	File   string `json:"file"`
	Line   int    `json:"line"`   // 1-based
	Column int    `json:"column"` // 1-based, in bytes
	Path   string `json:"path"`   // for example crowds[0].arrive.rate; empty: the file as a whole
	Text   string `json:"text"`   // got X, want Y, for example Z
}

// String is file:line:column: path: text.
func (f FileFault) String() string {
	if f.Path == "" {
		return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", f.File, f.Line, f.Column, f.Path, f.Text)
}

// Faults is everything wrong with a scenario file, in the order of its lines. It is the error type of Parse.
type Faults []FileFault

// Error lists the faults, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

func (f Faults) sort() {
	slices.SortStableFunc(f, func(a, b FileFault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path))
	})
}
