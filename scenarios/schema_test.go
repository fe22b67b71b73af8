package scenarios

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"gatecrash/sim/scenario"
)

func TestEveryShippedScenarioFitsTheSchema(t *testing.T) {
	text, err := scenario.Schema()
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", decode(t, text)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		text, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if schema.Validate(instance(t, []byte("version: 1\nname: t\n"))) == nil {
		t.Error("the schema takes a file without a sale and a crowd")
	}
}

// instance reads yaml as the schema's validator wants it: through JSON, with every key a string.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	var v map[string]any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(stringKeys(v))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, b)
}

func stringKeys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			v[k] = stringKeys(item)
		}
	case []any:
		for i, item := range v {
			v[i] = stringKeys(item)
		}
	case map[any]any:
		all := map[string]any{}
		for k, item := range v {
			b, _ := json.Marshal(k)
			all[string(b)] = stringKeys(item)
		}
		return all
	}
	return v
}

func decode(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
