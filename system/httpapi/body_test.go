package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatecrash/system/booking"
)

func TestParseObject(t *testing.T) {
	tests := []struct {
		name string
		body string
		want string // part of the refusal; empty: taken
	}{
		{"one field", `{"quantity": 2}`, ""},
		{"blanks around", " {\n\"quantity\" : 2 } \n", ""},
		{"both fields", `{"note":"x","quantity":2}`, ""},
		{"empty", ``, "want one JSON object"},
		{"array", `[2]`, "want one JSON object"},
		{"number", `2`, "want one JSON object"},
		{"null", `null`, "want one JSON object"},
		{"cut short", `{"quantity": 2`, "does not end"},
		{"cut in a value", `{"quantity": `, "not JSON"},
		{"not JSON", `{quantity: 2}`, "not JSON"},
		{"trailing object", `{"quantity": 2}{}`, "something follows"},
		{"trailing text", `{"quantity": 2} x`, "something follows"},
		{"trailing comma", `{"quantity": 2,}`, "not JSON"},
		{"unknown field", `{"quantity": 2, "price": 1}`, `unknown field "price"`},
		{"other case", `{"Quantity": 2}`, `unknown field "Quantity"`},
		{"twice", `{"quantity": 1, "quantity": 2}`, "twice"},
		{"twice, escaped", `{"quantity": 1, "\u0071uantity": 2}`, "twice"},
		{"missing", `{}`, "missing"},
		{"null value", `{"quantity": null}`, "whole number"},
		{"string value", `{"quantity": "2"}`, "whole number"},
		{"bool value", `{"quantity": true}`, "whole number"},
		{"object value", `{"quantity": {"quantity": 2}}`, "whole number"},
		{"fraction", `{"quantity": 1.5}`, "whole number"},
		{"whole fraction", `{"quantity": 2.0}`, "whole number"},
		{"exponent", `{"quantity": 1e2}`, "whole number"},
		{"huge", `{"quantity": 99999999999999999999}`, "whole number"},
		{"leading zero", `{"quantity": 02}`, "not JSON"},
		{"plus", `{"quantity": +2}`, "not JSON"},
		{"NaN", `{"quantity": NaN}`, "not JSON"},
		{"number for a string", `{"quantity": 2, "note": 1}`, "a string"},
		{"long value", `{"quantity": "` + strings.Repeat("x", 500) + `"}`, "and more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var quantity int
			var note string
			err := parseObject([]byte(tt.body), []field{{name: "quantity", into: &quantity}, {name: "note", into: &note, optional: true}})
			switch {
			case tt.want == "" && (err != nil || quantity != 2):
				t.Errorf("parseObject(%q) = %v, quantity %d; want nil, 2", tt.body, err, quantity)
			case tt.want != "" && (!errors.Is(err, booking.ErrInvalid) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("parseObject(%q) = %v; want ErrInvalid with %q", tt.body, err, tt.want)
			}
		})
	}
}

func TestReadBodyIsBounded(t *testing.T) {
	var quantity int
	for size, want := range map[int]error{maxBody: nil, maxBody + 1: errBodyTooLarge} {
		body := `{"quantity": 2` + strings.Repeat(" ", size-15) + `}`
		err := readBody(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)), field{name: "quantity", into: &quantity})
		if !errors.Is(err, want) {
			t.Errorf("readBody of %d bytes = %v; want %v", len(body), err, want)
		}
	}
}

// FuzzParseObject: what the parser takes, encoding/json understands in the same way, and never as more than was written.
func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{`{"n":1}`, `{"n":1,"s":"a"}`, `{"n":1,"n":2}`, `{"n":1.5}`, `{"N":1}`, `{"n":null}`, `[`, `{"n":1}x`, `{"s":"\ud800","n":-0}`, `{"n":1,"t":"2026-01-02T15:04:05Z"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got struct {
			n int64
			s string
			t time.Time
		}
		err := parseObject(raw, []field{{name: "n", into: &got.n}, {name: "s", into: &got.s, optional: true}, {name: "t", into: &got.t, optional: true}})
		if err != nil {
			if !errors.Is(err, booking.ErrInvalid) {
				t.Fatalf("parseObject(%q) = %v; want ErrInvalid", raw, err)
			}
			return
		}
		var want map[string]any
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("parseObject took %q, encoding/json says %v", raw, err)
		}
		if n, err := want["n"].(json.Number).Int64(); err != nil || n != got.n {
			t.Fatalf("parseObject(%q) = %d; encoding/json reads %v", raw, got.n, want["n"])
		}
		if s, _ := want["s"].(string); s != got.s {
			t.Fatalf("parseObject(%q) = %q; encoding/json reads %q", raw, got.s, s)
		}
	})
}
