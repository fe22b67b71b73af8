package scenario

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// field is one key of a shape.
type field struct {
	name     string
	index    int
	required bool
	tag      reflect.StructTag
}

func fieldsOf(t reflect.Type) []field {
	all := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		all = append(all, field{name: name, index: i, required: rest != "omitempty", tag: f.Tag})
	}
	return all
}

func index(fields []field, name string) int {
	for i, f := range fields {
		if f.name == name {
			return i
		}
	}
	return -1
}

// fill sets a value that the file leaves out: to its default, or to the defaults of its parts.
func fill(v reflect.Value, tag reflect.StructTag) {
	text, ok := tag.Lookup("default")
	if !ok {
		if v.Kind() == reflect.Struct && isShape(v.Type()) {
			for _, f := range fieldsOf(v.Type()) {
				fill(v.Field(f.index), f.tag)
			}
		}
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		panic(fmt.Sprintf("scenario: default %q is not yaml: %v", text, err))
	}
	w := newWalker("default")
	w.value(doc.Content[0], v, "", tag)
	if len(w.faults) > 0 {
		panic(fmt.Sprintf("scenario: default %q is wrong: %v", text, w.faults))
	}
}

// isShape reports whether a struct is walked key by key.
func isShape(t reflect.Type) bool {
	return !reflect.PointerTo(t).Implements(reflect.TypeFor[reader]()) && !reflect.PointerTo(t).Implements(reflect.TypeFor[word]())
}

func newWalker(file string) *walker {
	return &walker{file: file, at: map[string]position{}, bad: map[string]bool{}}
}

// wanted says what a value must be.
func wanted(t reflect.Type, tag reflect.StructTag) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if enum := tag.Get("enum"); enum != "" {
		if words := strings.Split(enum, ","); len(words) > 1 {
			return "one of " + strings.Join(words, ", ")
		}
		return enum
	}
	if one, ok := reflect.New(t).Interface().(interface{ want() string }); ok {
		return one.want()
	}
	switch t.Kind() {
	case reflect.Struct:
		return "keys and values"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Uint64:
		return "a whole number from 0"
	}
	return "a whole number"
}

func example(tag reflect.StructTag) string {
	if e := tag.Get("example"); e != "" {
		return ", for example " + e
	}
	return ""
}

func sizeOf(tag reflect.StructTag) (int, bool) {
	n, err := strconv.Atoi(tag.Get("size"))
	return n, err == nil
}

func number(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

func plainNumber(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("scenario: bound %q is not a number", text))
	}
	return f
}
