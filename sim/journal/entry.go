package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

type kind string

const (
	kindOwner     kind = "owner"
	kindProcess   kind = "process"
	kindFolder    kind = "folder"
	kindContainer kind = "containers"
	kindSchema    kind = "schema"
	kindKeys      kind = "keys"
	kindRevert    kind = "revert"
	kindDone      kind = "done" // the entry of this ID is undone
	kindKept      kind = "kept" // the owner left everything on purpose
)

// Mark names one entry of a journal, to be given to Done when the thing is gone.
type Mark int

// entry is one line of a journal.
type entry struct {
	ID   Mark      `json:"id"`
	Kind kind      `json:"kind"`
	What string    `json:"what,omitempty"`
	At   time.Time `json:"at"`

	Run      string          `json:"run,omitempty"`      // owner
	Process  *Process        `json:"process,omitempty"`  // owner, process
	Path     string          `json:"path,omitempty"`     // folder
	Programs []string        `json:"programs,omitempty"` // folder: real paths of programs that may work inside
	Label    string          `json:"label,omitempty"`    // containers: "key=value"
	URL      string          `json:"url,omitempty"`      // schema, keys: with the password, the file is 0600
	Name     string          `json:"name,omitempty"`     // schema name or key prefix
	Data     json.RawMessage `json:"data,omitempty"`     // revert
}

// contents is what a reader makes of a journal.
type contents struct {
	owner entry
	open  []entry // entries without a done line, oldest first
	kept  bool
}

// read parses a journal. A torn last line, left by a kill in the middle of a write, is ignored: what it announces was not created yet.
func read(r io.Reader) (contents, error) {
	var c contents
	in := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return c, fmt.Errorf("read journal: %w", err)
		}
		var e entry
		if err := json.Unmarshal(text, &e); err != nil {
			return c, fmt.Errorf("read journal line %d: %w", line, err)
		}
		c.take(e)
	}
}

func (c *contents) take(e entry) {
	switch e.Kind {
	case kindOwner:
		c.owner = e
	case kindKept:
		c.kept = true
	case kindDone:
		c.forget(e.ID)
	default:
		c.open = append(c.open, e)
	}
}

func (c *contents) forget(id Mark) {
	for i, e := range c.open {
		if e.ID == id {
			c.open = append(c.open[:i:i], c.open[i+1:]...)
			return
		}
	}
}
