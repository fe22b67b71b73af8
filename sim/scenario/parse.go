package scenario

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxBytes is the most that a scenario file may hold.
const MaxBytes = 1 << 20

// Parse reads a scenario file. name stands before each fault; it is usually the file's path. The error is of type Faults.
func Parse(name string, data []byte) (*Scenario, error) {
	w := newWalker(name)
	root := w.document(data)
	if root == nil {
		return nil, w.faults
	}
	var shape fileShape
	w.value(root, reflect.ValueOf(&shape).Elem(), "", "")
	w.rules(&shape)
	if len(w.faults) > 0 {
		w.faults.sort()
		return nil, w.faults
	}
	return convert(w, &shape), nil
}

// document gives the root node of the only document; nil after a fault.
func (w *walker) document(data []byte) *yaml.Node {
	top := position{1, 1}
	if len(data) > MaxBytes {
		w.note(top, "", "got %d bytes, want at most %d", len(data), MaxBytes)
		return nil
	}
	if at := badUTF8(data); at >= 0 {
		w.note(positionOf(data, at), "", "got a byte that is not UTF-8 (0x%02x), want text in UTF-8", data[at])
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && empty(&doc):
		w.note(top, "", "got an empty file, want a scenario, for example version: 1")
		return nil
	case err != nil:
		w.syntax(err)
		return nil
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		w.syntax(err)
		return nil
	default:
		w.say(&second, "", "got a second document, want one scenario a file")
	}
	return doc.Content[0]
}

func empty(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].ShortTag() == "!!null"
}

// badUTF8 is the place of the first byte that is not UTF-8; -1: none.
func badUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func positionOf(data []byte, at int) position {
	before := data[:at]
	return position{bytes.Count(before, []byte("\n")) + 1, at - bytes.LastIndexByte(before, '\n')}
}

var lineForm = regexp.MustCompile(`line ([0-9]+)`)

// syntax notes an error of the yaml library, which knows no columns.
func (w *walker) syntax(err error) {
	at := position{1, 1}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := lineForm.FindStringSubmatch(text); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			at.line = line
		}
		text = strings.TrimPrefix(text, m[0]+": ")
	}
	w.note(at, "", "got text that is not yaml (%s), want keys and values, for example version: 1", text)
}
