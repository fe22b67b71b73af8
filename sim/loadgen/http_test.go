package loadgen

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/target/httpclient"
)

// The parts as they are used: the platform's pacer, HTTP, records on disk. Everybody comes at once, so nothing waits for a clock.
func TestOverHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		if r.URL.Path == "/v1/sessions" {
			fmt.Fprint(w, `{"token":"t"}`)
			return
		}
		fmt.Fprint(w, `{"id":"7","quantity":2,"version":5,"path":"db"}`)
	}))
	defer server.Close()
	client := httpclient.New(httpclient.Settings{
		Addresses: []string{strings.TrimPrefix(server.URL, "http://")}, Proof: func(string) (string, int64) { return "p", 1 },
	})
	defer client.Close()
	path := filepath.Join(t.TempDir(), "requests.rec")
	zero := time.Now()
	records, err := history.Create(path, history.Header{RunID: "t", Zero: zero}, 4)
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{arrive: make([]time.Duration, 300), timeout: time.Minute, attempts: 1}
	e, err := New(Config{Plan: p, Client: client, Sink: records, Zero: zero, InFlightCap: 20})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(context.Background())
	if err != nil || r.Visitors.Booked != 300 || r.Generator.MaxInFlight > 20 {
		t.Errorf("Run: got %+v, %d in flight, %v; want 300 booked within 20", r.Visitors, r.Generator.MaxInFlight, err)
	}
	if err := records.Close(); err != nil {
		t.Fatal(err)
	}
	_, all, lost, err := history.ReadAll(path)
	if err != nil || lost != 0 || len(all) != 600 {
		t.Fatalf("ReadAll: got %d records, lost %d, %v; want 600", len(all), lost, err)
	}
	for _, rec := range all {
		if rec.Outcome != history.Ok || rec.Replica != 1 || rec.Sent < rec.Intended || rec.Done < rec.Sent {
			t.Errorf("record: got %+v", rec)
		}
	}
}
