package scenario

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// position of a node in its file.
type position struct{ line, column int }

// walker fills the shapes from yaml nodes and notes every fault on the way.
type walker struct {
	file   string
	faults Faults
	at     map[string]position // of every key and value of the file, by path
	bad    map[string]bool     // paths with a fault
}

// word is a value written as one word, with a writing of its own.
type word interface {
	set(text string) bool // false: not such a word
	number() float64      // for bounds
	want() string         // what it is, for messages
	suffix() string       // the unit that a bare number probably lacks; empty: none
}

// reader is a value that reads its node itself.
type reader interface {
	read(w *walker, n *yaml.Node, path string, tag reflect.StructTag)
}

// say notes a fault at a node.
func (w *walker) say(n *yaml.Node, path, format string, args ...any) {
	w.note(position{n.Line, n.Column}, path, format, args...)
}

// rule notes a fault of a path, unless the path or what holds it has one already.
func (w *walker) rule(path, format string, args ...any) {
	if !w.broken(path) {
		w.note(w.find(path), path, format, args...)
	}
}

func (w *walker) note(p position, path, format string, args ...any) {
	w.bad[path] = true
	w.faults = append(w.faults, FileFault{File: w.file, Line: max(p.line, 1), Column: max(p.column, 1), Path: path, Text: fmt.Sprintf(format, args...)})
}

// has reports whether the file itself holds the path.
func (w *walker) has(path string) bool {
	_, ok := w.at[path]
	return ok
}

// clean reports whether none of the paths, nor what holds them, nor anything below them, has a fault.
func (w *walker) clean(paths ...string) bool {
	for _, p := range paths {
		if w.broken(p) {
			return false
		}
		for bad := range w.bad {
			if strings.HasPrefix(bad, p+".") || strings.HasPrefix(bad, p+"[") {
				return false
			}
		}
	}
	return true
}

// broken reports whether the path or what holds it has a fault.
func (w *walker) broken(path string) bool {
	for {
		if w.bad[path] {
			return true
		}
		if path == "" {
			return false
		}
		path = parent(path)
	}
}

func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// find is the position of a path, or of what holds it.
func (w *walker) find(path string) position {
	for {
		if p, ok := w.at[path]; ok || path == "" {
			return p
		}
		path = parent(path)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// value fills v from a node.
func (w *walker) value(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if _, ok := w.at[path]; !ok {
		w.at[path] = position{n.Line, n.Column}
	}
	if n.Kind == yaml.AliasNode {
		w.say(n, path, "got an alias, want the value itself%s", example(tag))
		return
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		w.say(n, path, "got nothing, want %s%s", wanted(v.Type(), tag), example(tag))
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if r, ok := v.Addr().Interface().(reader); ok {
		r.read(w, n, path, tag)
		return
	}
	switch {
	case isWord(v):
		w.word(n, v, path, tag)
	case v.Kind() == reflect.Struct:
		w.mapping(n, v, path, tag)
	case v.Kind() == reflect.Slice:
		w.list(n, v, path, tag)
	default:
		w.scalar(n, v, path, tag)
	}
}

func isWord(v reflect.Value) bool {
	_, ok := v.Addr().Interface().(word)
	return ok
}

// word fills a value that is written as one word.
func (w *walker) word(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	one := v.Addr().Interface().(word)
	if n.Kind != yaml.ScalarNode || !one.set(n.Value) {
		w.say(n, path, "got %s, want %s%s", shown(n), one.want(), cmp.Or(unitHint(n, one), example(tag)))
		return
	}
	w.bounds(n, one.number(), path, tag, func(bound string) float64 {
		b := reflect.New(v.Type()).Interface().(word)
		if !b.set(bound) {
			panic(fmt.Sprintf("scenario: bound %q of %s is not %s", bound, path, one.want()))
		}
		return b.number()
	})
}

// unitHint gives a bare number the unit that it probably lacks; empty: not a bare number.
func unitHint(n *yaml.Node, one word) string {
	f, err := strconv.ParseFloat(n.Value, 64)
	switch unit := one.suffix(); {
	case n.Kind != yaml.ScalarNode || err != nil || !(f >= 0 && f < 1e9):
		return ""
	case unit == "%" && f > 0 && f <= 1:
		return ", for example " + percent(f)
	case unit == "%" && f > 100:
		return ""
	default:
		return ", for example " + n.Value + unit
	}
}

// scalar fills a string, a number or a truth value.
func (w *walker) scalar(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if n.Kind != yaml.ScalarNode || !w.fits(n, v) {
		w.say(n, path, "got %s, want %s%s", shown(n), wanted(v.Type(), tag), example(tag))
		return
	}
	if v.Kind() == reflect.String {
		w.text(n, v.String(), path, tag)
		return
	}
	if v.Kind() != reflect.Bool {
		w.bounds(n, number(v), path, tag, plainNumber)
	}
}

// fits sets v when the node's own type is right for it.
func (w *walker) fits(n *yaml.Node, v reflect.Value) bool {
	kind := n.ShortTag()
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
		return kind == "!!str"
	case reflect.Bool:
		return kind == "!!bool" && n.Decode(v.Addr().Interface()) == nil
	case reflect.Float64:
		ok := (kind == "!!int" || kind == "!!float") && n.Decode(v.Addr().Interface()) == nil
		return ok && !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	}
	return kind == "!!int" && n.Decode(v.Addr().Interface()) == nil
}

// text checks a string against its enum, pattern and size.
func (w *walker) text(n *yaml.Node, s, path string, tag reflect.StructTag) {
	if enum := tag.Get("enum"); enum != "" {
		words := strings.Split(enum, ",")
		for _, known := range words {
			if s == known {
				return
			}
		}
		w.say(n, path, "got %q%s, want %s%s%s", s, notYet(path, s), wanted(reflect.TypeFor[string](), tag), example(tag), didYouMean(s, words))
		return
	}
	most, bounded := sizeOf(tag)
	switch {
	case bounded && len(s) > most:
		w.say(n, path, "got %d bytes, want at most %d%s", len(s), most, example(tag))
	case tag.Get("pattern") != "" && !regexp.MustCompile(tag.Get("pattern")).MatchString(s):
		w.say(n, path, "got %q, want a name of lower-case letters, digits, dots, dashes and underscores%s", s, example(tag))
	}
}

// bounds checks a number against min and max.
func (w *walker) bounds(n *yaml.Node, got float64, path string, tag reflect.StructTag, parse func(string) float64) {
	low, high := tag.Get("min"), tag.Get("max")
	bound, open := strings.CutPrefix(low, ">")
	switch {
	case open && got <= parse(bound):
		w.say(n, path, "got %s, want more than %s%s", shown(n), bound, example(tag))
	case !open && low != "" && got < parse(low):
		w.say(n, path, "got %s, want at least %s%s", shown(n), low, example(tag))
	case high != "" && got > parse(high):
		w.say(n, path, "got %s, want at most %s%s", shown(n), high, example(tag))
	}
}

// list fills a slice.
func (w *walker) list(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if n.Kind != yaml.SequenceNode {
		w.say(n, path, "got %s, want a list%s", shown(n), example(tag))
		return
	}
	if most, ok := sizeOf(tag); ok && len(n.Content) > most {
		w.say(n, path, "got %d items, want at most %d", len(n.Content), most)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, item := range n.Content {
		w.value(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i), "")
	}
}

// mapping fills a struct: known keys from the file, the others from their defaults.
func (w *walker) mapping(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if n.Kind != yaml.MappingNode {
		w.say(n, path, "got %s, want keys and values%s", shown(n), example(tag))
		return
	}
	fields, meant := fieldsOf(v.Type()), map[string]bool{}
	given := w.keys(n, path, func(key *yaml.Node) {
		meant[w.unknown(key, path, fields)] = true
	}, func(name string) bool { return index(fields, name) >= 0 })
	for _, f := range fields {
		if item, ok := given[f.name]; ok {
			w.value(item, v.Field(f.index), join(path, f.name), f.tag)
			continue
		}
		if f.required && !meant[f.name] {
			w.say(n, join(path, f.name), "got nothing, want %s%s", wanted(v.Field(f.index).Type(), f.tag), example(f.tag))
		}
		fill(v.Field(f.index), f.tag)
	}
}

// keys splits a mapping. Unknown keys are told by the caller; a duplicate counts where it stands first.
func (w *walker) keys(n *yaml.Node, path string, unknown func(*yaml.Node), known func(string) bool) map[string]*yaml.Node {
	given := make(map[string]*yaml.Node, len(n.Content)/2)
	lines := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		first, twice := lines[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			w.say(key, path, "got %s as a key, want a word", shown(key))
		case !known(key.Value):
			unknown(key)
		case twice:
			w.say(key, join(path, key.Value), "got the key a second time, want it once (first on line %d)", first)
		default:
			lines[key.Value], given[key.Value] = key.Line, n.Content[i+1]
			w.at[join(path, key.Value)] = position{n.Content[i+1].Line, n.Content[i+1].Column}
		}
	}
	return given
}

// unknown notes an unknown key and gives the one that was probably meant.
func (w *walker) unknown(key *yaml.Node, path string, fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	full := join(path, key.Value)
	if text := notYet(full, ""); text != "" {
		w.say(key, full, "got a key%s, want one of %s", text, strings.Join(names, ", "))
		return ""
	}
	w.say(key, full, "got an unknown key, want one of %s%s", strings.Join(names, ", "), didYouMean(key.Value, names))
	return Suggest(key.Value, names)
}

// notYet is what a message says of keys and words that a later version of Gatecrash will know; empty: not one of them.
func notYet(path, value string) string {
	last := path[strings.LastIndex(path, ".")+1:]
	switch {
	case last == "waiting_room", last == "actions", last == "trace", last == "shape" && value == "trace", last == "mode" && value == "group":
		return ", which is not yet known in this version"
	}
	return ""
}

// shown is a node as a message quotes it.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	text := n.Value
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	if n.ShortTag() == "!!str" {
		return strconv.Quote(text)
	}
	return strings.ToValidUTF8(text, "?")
}
