package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"gatecrash/system/booking"
)

// maxBody is the most bytes that a request's body may have.
const maxBody = 16 << 10

// errBodyTooLarge refuses a body above maxBody.
var errBodyTooLarge = errors.New("body too large")

// field of a JSON body: its exact name and where its value goes. Every field must be there unless optional.
type field struct {
	name     string
	into     any // *string, *int, *int64 or *time.Time
	optional bool
}

// readBody reads a JSON object with exactly these fields, each at most once, and nothing behind it.
func readBody(w http.ResponseWriter, r *http.Request, fields ...field) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return fmt.Errorf("%w: want at most %d bytes", errBodyTooLarge, maxBody)
	case err != nil:
		return invalid("body: %v", err)
	}
	return parseObject(raw, fields)
}

// parseObject is the pure part of readBody.
func parseObject(raw []byte, fields []field) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return invalid("body: want one JSON object")
	}
	seen := make([]bool, len(fields))
	for dec.More() {
		i, err := nextName(dec, fields)
		if err != nil {
			return err
		}
		if seen[i] {
			return invalid("body: field %q stands there twice", fields[i].name)
		}
		seen[i] = true
		if err := readValue(dec, fields[i]); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return invalid("body: JSON object does not end")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return invalid("body: something follows the JSON object")
	}
	for i, f := range fields {
		if !seen[i] && !f.optional {
			return invalid("body: field %q is missing", f.name)
		}
	}
	return nil
}

func nextName(dec *json.Decoder, fields []field) (int, error) {
	token, err := dec.Token()
	name, ok := token.(string)
	if err != nil || !ok {
		return 0, invalid("body: not JSON")
	}
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return 0, invalid("body: unknown field %q", name)
	}
	return i, nil
}

// readValue takes no null: encoding/json would leave the value as it is.
func readValue(dec *json.Decoder, f field) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return invalid("body: field %q: not JSON", f.name)
	}
	if string(raw) == "null" || json.Unmarshal(raw, f.into) != nil {
		return invalid("body: field %q: got %s, want %s", f.name, excerpt(raw), kindOf(f.into))
	}
	return nil
}

func kindOf(into any) string {
	switch into.(type) {
	case *string:
		return "a string"
	case *int, *int64:
		return "a whole number"
	}
	return "a time such as 2026-01-02T15:04:05Z"
}

// excerpt keeps an answer short whatever was sent.
func excerpt(raw []byte) string {
	if len(raw) > 40 {
		return fmt.Sprintf("%.40q and more", raw)
	}
	return fmt.Sprintf("%q", raw)
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", booking.ErrInvalid, fmt.Sprintf(format, args...))
}
