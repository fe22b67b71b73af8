package httpapi

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"strings"
	"testing"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/crashpoint"
	"gatecrash/system/session"
)

// Keys of every test's API.
const (
	loginKey    = "login-key-of-the-tests"
	operatorKey = "operator-key-of-the-tests"
)

// world is everything behind the API, as a test wants it to be. The zero world sells nothing: there is no sale and no session.
type world struct {
	booking.Ledger // what a test does not set panics when it is called

	sales    map[string]booking.Sale
	sessions map[string]string // token to account
	answer   booking.Answer    // of Book
	err      error             // of Book, Cancel, Get and every call of the operator's
	failing  error             // of every session call
	found    booking.Booking   // by Find; zero: none
	pings    map[string]error
	refilled []string
	booked   []booking.Intent
}

// domain is a world seen as the domain.
type domain struct{ w *world }

func (d domain) Book(_ context.Context, in booking.Intent) (booking.Answer, error) {
	d.w.booked = append(d.w.booked, in)
	return d.w.answer, d.w.err
}

func (d domain) Cancel(ctx context.Context, account string, id int64) (booking.Booking, error) {
	return d.w.Get(ctx, account, id)
}

func (d domain) AddSeats(_ context.Context, sale, _ string, n int64) (booking.Sale, error) {
	s := d.w.sales[sale]
	s.Capacity += n
	s.Free += n
	return s, d.w.err
}

func (w *world) Find(context.Context, booking.Intent) (booking.Booking, error) {
	if w.found.ID == 0 {
		return booking.Booking{}, booking.ErrUnknownBooking
	}
	return w.found, nil
}

func (w *world) Get(_ context.Context, account string, id int64) (booking.Booking, error) {
	if w.err != nil {
		return booking.Booking{}, w.err
	}
	if w.found.ID != id || w.found.Account != account {
		return booking.Booking{}, booking.ErrUnknownBooking
	}
	return w.found, nil
}

func (w *world) Sale(_ context.Context, sale string) (booking.Sale, error) {
	s, ok := w.sales[sale]
	if !ok {
		return booking.Sale{}, booking.ErrUnknownSale
	}
	return s, nil
}

func (w *world) Sales(context.Context) ([]booking.Sale, error) {
	var all []booking.Sale
	for _, s := range w.sales {
		all = append(all, s)
	}
	return all, w.err
}

func (w *world) Create(_ context.Context, s booking.Sale) (booking.Sale, error) {
	s.State, s.Free = booking.Scheduled, s.Capacity
	return s, w.err
}

func (w *world) SetState(_ context.Context, sale string, st booking.SaleState) (booking.Sale, error) {
	s := w.sales[sale]
	s.State = st
	w.sales[sale] = s
	return s, w.err
}

// gate is a world seen as a gate.
type gate struct {
	booking.Gate
	view booking.View
	err  error
}

func (g gate) View(context.Context, string) (booking.View, error) { return g.view, g.err }

// doorman is a world's sessions.
type doorman struct{ w *world }

func (d doorman) Open(_ context.Context, account, _ string) (session.Session, error) {
	return session.Session{Token: "new", Account: account, Life: time.Hour}, d.w.failing
}

func (d doorman) Check(_ context.Context, token, _ string) (string, error) {
	if d.w.failing != nil {
		return "", d.w.failing
	}
	account, ok := d.w.sessions[token]
	if !ok {
		return "", session.ErrUnknown
	}
	return account, nil
}

// newWorld has one open sale of 10 seats and the session "t" of account "ann", who holds booking 7.
func newWorld() *world {
	ann := booking.Booking{ID: 7, Sale: "main", Account: "ann", Key: "k", Quantity: 2, State: booking.Live, Version: 3}
	return &world{
		sales:    map[string]booking.Sale{"main": {ID: "main", Capacity: 10, Free: 8, Version: 3, State: booking.Open, PerAccount: 4}},
		sessions: map[string]string{"t": "ann"},
		answer:   booking.Answer{Booking: ann, Path: booking.PathDB},
		found:    ann,
		pings:    map[string]error{},
	}
}

func newAPI(t *testing.T, w *world) (*API, *bytes.Buffer) {
	t.Helper()
	var logs bytes.Buffer
	a := New(Parts{
		Bookings: domain{w}, Sessions: doorman{w}, Replays: w, Ledger: w,
		Gate:    gate{view: booking.View{Present: true, Epoch: "e", Avail: 8, Debits: []booking.Debit{{Quantity: 2}}}},
		Refill:  func(sale string) { w.refilled = append(w.refilled, sale) },
		Crash:   crashpoint.New([]string{"here"}, io.Discard),
		Metrics: NewMetrics(),
		Log:     slog.New(slog.NewTextHandler(&logs, nil)),
		Dependencies: []Dependency{
			{"postgres", true, func(context.Context) error { return w.pings["postgres"] }},
			{"sessions", true, func(context.Context) error { return w.pings["sessions"] }},
			{"gate", false, func(context.Context) error { return w.pings["gate"] }},
		},
	}, Settings{
		Replica: 2, Deadline: time.Minute, Read: time.Minute,
		LoginKey: []byte(loginKey), OperatorKey: []byte(operatorKey), CrashPoints: true,
	})
	t.Cleanup(a.Close)
	return a, &logs
}

// call is one request of a test.
type call struct {
	method, path, body string
	header             http.Header // nil: a session of ann's and a key
}

func (c call) do(t *testing.T, a *API) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
	if r.Header = c.header; c.header == nil {
		r.Header = visitor()
	}
	raw := []byte(c.body)
	rec := httptest.NewRecorder()
	a.ServeHTTP(rec, r)
	holdAgainstSpec(t, r, raw, rec)
	return rec
}

func visitor() http.Header {
	return http.Header{"Authorization": {"Bearer t"}, "Idempotency-Key": {"k"}, "Content-Type": {"application/json"}}
}

func operators() http.Header {
	h := visitor()
	h.Set("Authorization", "Bearer "+operatorKey)
	return h
}

func with(h http.Header, name string, values ...string) http.Header {
	h[name] = values
	return h
}
