package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	"go.yaml.in/yaml/v3"
)

// Schema is the JSON Schema (draft 2020-12) of a scenario file, for editors and for other programs. It is generated from the same structs that Parse fills.
// It sees the form of each value; rules between keys (a share that is missing, an unknown fault, a circle) are for Parse alone.
func Schema() ([]byte, error) {
	r := jsonschema.Reflector{FieldNameTag: "yaml", DoNotReference: true, Anonymous: true}
	s := r.Reflect(&fileShape{})
	s.Title, s.Description = "Gatecrash scenario, version 1", "A rehearsal of a ticket sale."
	decorate(s, reflect.TypeFor[fileShape]())
	s.OneOf = []*jsonschema.Schema{{Required: []string{"sale"}}, {Required: []string{"sales"}}}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write schema: %w", err)
	}
	return append(text, '\n'), nil
}

// decorate puts what the field tags say into the generated schema of a struct.
func decorate(s *jsonschema.Schema, t reflect.Type) {
	for _, f := range fieldsOf(t) {
		part, ok := s.Properties.Get(f.name)
		if !ok {
			panic(fmt.Sprintf("scenario: key %q of %s is not in the schema", f.name, t))
		}
		inner := t.Field(f.index).Type
		describe(part, f.tag)
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Slice && part.Items != nil && isShape(inner) {
			part, inner = part.Items, inner.Elem()
		}
		if inner.Kind() == reflect.Struct && isShape(inner) {
			decorate(part, inner)
		}
	}
	switch t {
	case reflect.TypeFor[whenShape](), reflect.TypeFor[expectShape]():
		s.MinProperties, s.MaxProperties = new(uint64(1)), new(uint64(1))
	case reflect.TypeFor[driftShape]():
		s.MinProperties = new(uint64(1))
	case reflect.TypeFor[faultShape]():
		s.OneOf = []*jsonschema.Schema{{Required: []string{"at"}}, {Required: []string{"when"}}}
	}
}

// describe puts one field's tags into its schema.
func describe(s *jsonschema.Schema, tag reflect.StructTag) {
	s.Description = tag.Get("doc")
	if text, ok := tag.Lookup("default"); ok {
		s.Default = plain(text)
	}
	if text := tag.Get("example"); text != "" {
		s.Examples = []any{plain(text)}
	}
	if enum := tag.Get("enum"); enum != "" {
		for word := range strings.SplitSeq(enum, ",") {
			s.Enum = append(s.Enum, word)
		}
	}
	if size, ok := sizeOf(tag); ok && s.Type == "array" {
		s.MaxItems = new(uint64(size))
	} else if ok {
		s.MaxLength = new(uint64(size))
	}
	if form := tag.Get("pattern"); form != "" {
		s.Pattern = form
	}
	if s.Type == "integer" || s.Type == "number" {
		limit(s, tag)
	}
}

func limit(s *jsonschema.Schema, tag reflect.StructTag) {
	if low, open := strings.CutPrefix(tag.Get("min"), ">"); open {
		s.ExclusiveMinimum = json.Number(low)
	} else if low != "" {
		s.Minimum = json.Number(low)
	}
	if high := tag.Get("max"); high != "" {
		s.Maximum = json.Number(high)
	}
}

// plain is yaml text as a value for JSON.
func plain(text string) any {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		panic(fmt.Sprintf("scenario: %q in a tag is not yaml: %v", text, err))
	}
	return keyed(v)
}

// keyed makes every key of a mapping a string, as JSON wants it.
func keyed(v any) any {
	switch v := v.(type) {
	case map[any]any:
		all := make(map[string]any, len(v))
		for k, item := range v {
			all[fmt.Sprint(k)] = keyed(item)
		}
		return all
	case map[string]any:
		for k, item := range v {
			v[k] = keyed(item)
		}
	case []any:
		for i, item := range v {
			v[i] = keyed(item)
		}
	}
	return v
}

func written(pattern string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: pattern}
}

func (duration) JSONSchema() *jsonschema.Schema { return written(durationPattern) }
func (rate) JSONSchema() *jsonschema.Schema     { return written(ratePattern) }
func (share) JSONSchema() *jsonschema.Schema    { return written(sharePattern) }
func (pool) JSONSchema() *jsonschema.Schema     { return written(poolPattern) }

func (budget) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{written(sharePattern), {Const: "unlimited"}}}
}

func (spread) JSONSchema() *jsonschema.Schema {
	r := jsonschema.Reflector{FieldNameTag: "yaml", DoNotReference: true, Anonymous: true}
	s := r.Reflect(&spreadShape{})
	s.Version = ""
	decorate(s, reflect.TypeFor[spreadShape]())
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{written(durationPattern), s}}
}

func (quantities) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "integer", Minimum: "1", Maximum: "100"},
		{Type: "object", MinProperties: new(uint64(1)), AdditionalProperties: jsonschema.FalseSchema,
			PatternProperties: map[string]*jsonschema.Schema{`^([1-9]|[1-9][0-9]|100)$`: written(sharePattern)}},
	}}
}

func (settings) JSONSchema() *jsonschema.Schema {
	kept := make([]any, 0, len(settingsKept()))
	for _, name := range settingsKept() {
		kept = append(kept, name)
	}
	return &jsonschema.Schema{
		Type:                 "object",
		PropertyNames:        &jsonschema.Schema{Pattern: `^[A-Za-z][A-Za-z0-9_.]*$`, Not: &jsonschema.Schema{Enum: kept}},
		AdditionalProperties: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string", MaxLength: new(uint64(200))}, {Type: "number"}, {Type: "boolean"}}},
	}
}

func (verdictShape) JSONSchema() *jsonschema.Schema {
	fail := jsonschema.NewProperties()
	fail.Set("fail", &jsonschema.Schema{Enum: words(CheckNames())})
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Enum: words(verdictWords())},
		{Type: "object", Properties: fail, Required: []string{"fail"}, AdditionalProperties: jsonschema.FalseSchema},
	}}
}

func words(all []string) []any {
	var list []any
	for _, one := range all {
		list = append(list, one)
	}
	return list
}

func (timeShape) JSONSchema() *jsonschema.Schema {
	r := jsonschema.Reflector{FieldNameTag: "yaml", DoNotReference: true, Anonymous: true}
	s := r.Reflect(&timeKeys{})
	s.Version = ""
	decorate(s, reflect.TypeFor[timeKeys]())
	s.PatternProperties = map[string]*jsonschema.Schema{percentilePattern: written(durationPattern), "^max$": written(durationPattern)}
	return s
}
