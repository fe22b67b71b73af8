package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// spec is openapi.yaml, read and validated once.
var spec = sync.OnceValues(func() (*openapi3.T, error) {
	raw, err := os.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	return parseSpec(raw)
})

func parseSpec(raw []byte) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background())
}

// disagreements compares a document with the routes and the problem table, in both directions.
func disagreements(doc *openapi3.T, rts []route, table []kind) []string {
	var bad []string
	say := func(parts ...string) { bad = append(bad, strings.Join(parts, " ")) }
	built := map[string]bool{}
	for _, rt := range rts {
		built[rt.method+" "+rt.path] = true
		if item := doc.Paths.Value(rt.path); item == nil || item.GetOperation(rt.method) == nil {
			say("route without operation:", rt.method, rt.path)
		}
	}
	used := map[string]bool{}
	for _, name := range names(doc.Extensions["x-problems"]) {
		used[name] = true
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if !built[method+" "+path] {
				say("operation without route:", method, path)
			}
			for _, name := range names(op.Extensions["x-problems"]) {
				used[name] = true
			}
			bad = append(bad, statusDisagreements(method+" "+path, op, table)...)
		}
	}
	enum := doc.Components.Schemas["Problem"].Value.Properties["type"].Value.Enum
	for _, k := range table {
		if !used[k.name] {
			say("problem of no operation:", k.name)
		}
		if !slices.Contains(enum, any(k.name)) {
			say("problem not in the schema:", k.name)
		}
	}
	for _, name := range enum {
		if !slices.ContainsFunc(table, func(k kind) bool { return k.name == name }) {
			say("schema names an unknown problem:", name.(string))
		}
	}
	slices.Sort(bad)
	return bad
}

// statusDisagreements: each problem of an operation is in the table and its status among the responses; each problem response has a problem.
func statusDisagreements(where string, op *openapi3.Operation, table []kind) []string {
	var bad []string
	statuses := map[string]bool{}
	for _, name := range names(op.Extensions["x-problems"]) {
		i := slices.IndexFunc(table, func(k kind) bool { return k.name == name })
		if i < 0 {
			bad = append(bad, where+" names an unknown problem: "+name)
			continue
		}
		status := strconv.Itoa(table[i].status)
		statuses[status] = true
		if op.Responses.Value(status) == nil {
			bad = append(bad, where+" has no response "+status+" for problem "+name)
		}
	}
	for status, response := range op.Responses.Map() {
		if response.Ref == "#/components/responses/Problem" && !statuses[status] {
			bad = append(bad, where+" has response "+status+" and no problem with it")
		}
	}
	return bad
}

func names(extension any) []string {
	var all []string
	list, _ := extension.([]any)
	for _, v := range list {
		all = append(all, v.(string))
	}
	return all
}

func TestOpenAPIAgrees(t *testing.T) {
	doc, err := spec()
	if err != nil {
		t.Fatal(err)
	}
	if bad := disagreements(doc, routes(), kinds); len(bad) != 0 {
		t.Errorf("openapi.yaml, routes and problem table disagree:\n%s", strings.Join(bad, "\n"))
	}
}

// TestOpenAPICheckCanFail plants one disagreement of every sort.
func TestOpenAPICheckCanFail(t *testing.T) {
	raw, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	swap := func(old, new string) string { return strings.Replace(string(raw), old, new, 1) }
	tests := []struct {
		name   string
		doc    string
		routes []route
		kinds  []kind
		want   string
	}{
		{"route not described", string(raw), append(routes(), route{method: "GET", path: "/secret"}), kinds, "route without operation: GET /secret"},
		{"route gone", string(raw), routes()[1:], kinds, "operation without route: POST /v1/sessions"},
		{"problem not described", string(raw), routes(), append([]kind{{name: "new", status: 418}}, kinds...), "problem not in the schema: new"},
		{"problem gone", string(raw), routes(), kinds[1:], "schema names an unknown problem: sold-out"},
		{"problem of no operation", swap("x-problems: [bad-request, body-too-large, bad-proof,", "x-problems: [bad-request, body-too-large,"), routes(), kinds, "problem of no operation: bad-proof"},
		{"response left over", swap("x-problems: [bad-request, body-too-large, bad-proof,", "x-problems: [bad-request, body-too-large,"), routes(), kinds, "POST /v1/sessions has response 403 and no problem with it"},
		{"response missing", swap(`        "403": {$ref: "#/components/responses/Problem"}`+"\n", ""), routes(), kinds, "POST /v1/sessions has no response 403 for problem bad-proof"},
		{"misspelt problem", swap("bad-proof,", "bad-prof,"), routes(), kinds, "POST /v1/sessions names an unknown problem: bad-prof"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := parseSpec([]byte(tt.doc))
			if err != nil {
				t.Fatal(err)
			}
			if bad := disagreements(doc, tt.routes, tt.kinds); !slices.Contains(bad, tt.want) {
				t.Errorf("disagreements() = %q; want it to have %q", bad, tt.want)
			}
		})
	}
}

var router = sync.OnceValues(func() (routers.Router, error) {
	doc, err := spec()
	if err != nil {
		return nil, err
	}
	served := *doc
	served.Servers = nil // any host
	return legacy.NewRouter(&served)
})

// holdAgainstSpec fails the test if an answer is not one that openapi.yaml describes, or a request that it forbids was taken.
func holdAgainstSpec(t *testing.T, r *http.Request, body []byte, rec *httptest.ResponseRecorder) {
	t.Helper()
	rt, err := router()
	if err != nil {
		t.Fatal(err)
	}
	found, params, err := rt.FindRoute(r)
	if err != nil {
		return // no route: the caller looks at the answer itself
	}
	in := &openapi3filter.RequestValidationInput{Request: r.Clone(context.Background()), PathParams: params, Route: found,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true}}
	in.Request.Body = http.NoBody
	if len(body) > 0 {
		in.Request.Body = readCloser{strings.NewReader(string(body))}
	}
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil && rec.Code < 300 {
		t.Errorf("%s %s was taken, and openapi.yaml forbids it: %v", r.Method, r.URL.Path, err)
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: rec.Code, Header: rec.Header(), Options: in.Options}
	out.SetBodyBytes(rec.Body.Bytes())
	if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil {
		t.Errorf("%s %s: answer %d %s is not in openapi.yaml: %v", r.Method, r.URL.Path, rec.Code, rec.Body, err)
	}
	var p problem
	if rec.Header().Get("Content-Type") == "application/problem+json" && json.Unmarshal(rec.Body.Bytes(), &p) == nil &&
		!slices.Contains(names(found.Operation.Extensions["x-problems"]), p.Type) {
		t.Errorf("%s %s: problem %q is not in its x-problems", r.Method, r.URL.Path, p.Type)
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
