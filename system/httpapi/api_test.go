package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/limiter"
	"gatecrash/system/session"
)

func TestProblemTable(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("around: %w", err) }
	tests := []struct {
		err    error
		name   string
		status int
		retry  int64 // ms
	}{
		{wrap(&booking.SoldOutError{Version: 9, Free: 1}), "sold-out", 409, 0},
		{wrap(&booking.RetryError{Err: booking.ErrGateSoldOut, After: 500 * time.Millisecond}), "sold-out-for-now", 409, 500},
		{wrap(booking.ErrAccountLimit), "account-limit", 409, 0},
		{wrap(booking.ErrKeyReused), "key-reused", 422, 0},
		{wrap(&booking.StateError{State: booking.Scheduled}), "sale-not-open", 409, 0},
		{wrap(&booking.StateError{State: booking.Paused}), "sale-paused", 409, 0},
		{wrap(&booking.StateError{State: booking.Closed}), "sale-closed", 409, 0},
		{wrap(session.ErrUnknown), "session-unknown", 401, 0},
		{wrap(session.ErrBadProof), "bad-proof", 403, 0},
		{wrap(&booking.RetryError{Err: limiter.ErrLimited, After: 1501 * time.Millisecond}), "rate-limited", 429, 1501},
		{wrap(&booking.RetryError{Err: limiter.ErrLimited, After: time.Microsecond}), "rate-limited", 429, 1},
		{wrap(booking.ErrOverloaded), "overloaded", 503, 1000},
		{wrap(booking.ErrDependency), "dependency-down", 503, 1000},
		{wrap(booking.ErrUnknownOutcome), "outcome-unknown", 504, 1000},
		{errors.Join(booking.ErrUnknownOutcome, booking.ErrDependency), "outcome-unknown", 504, 1000}, // never less than unknown
		{wrap(booking.ErrInvalid), "bad-request", 400, 0},
		{wrap(errBodyTooLarge), "body-too-large", 413, 0},
		{wrap(booking.ErrUnknownSale), "unknown-sale", 404, 0},
		{wrap(booking.ErrUnknownBooking), "unknown-booking", 404, 0},
		{wrap(booking.ErrSaleExists), "sale-exists", 409, 0},
		{wrap(booking.ErrCapacity), "capacity-in-use", 409, 0},
		{wrap(booking.ErrSaleState), "state-not-allowed", 409, 0},
		{errors.New("secret of the inside"), "internal", 500, 0},
	}
	for _, tt := range tests {
		p := problemOf(tt.err)
		if p.Type != tt.name || p.Status != tt.status || p.RetryMS != tt.retry || p.Title == "" {
			t.Errorf("problemOf(%v) = %+v; want %s, %d, retry after %d ms and a title", tt.err, p, tt.name, tt.status, tt.retry)
		}
		if p.Status >= 500 && p.Detail != "" {
			t.Errorf("problemOf(%v) tells %q; want nothing of the inside", tt.err, p.Detail)
		}
	}
	if p := problemOf(&booking.SoldOutError{Version: 9, Free: 1}); p.Version == nil || *p.Version != 9 || p.Free == nil || *p.Free != 1 {
		t.Errorf("problemOf(sold out at 9 with 1 free) = %+v; want both told", p)
	}
}

// wantProblem checks status, type, and that Retry-After is the rounded-up form of retry_after_ms.
func wantProblem(t *testing.T, what string, code int, header http.Header, body []byte, status int, name string) {
	t.Helper()
	var p problem
	if err := json.Unmarshal(body, &p); err != nil || code != status || p.Type != name || p.Status != status {
		t.Errorf("%s = %d %s; want %d %s", what, code, body, status, name)
	}
	want := ""
	if p.RetryMS > 0 {
		want = strconv.FormatInt((p.RetryMS+999)/1000, 10)
	}
	if got := header.Get("Retry-After"); got != want {
		t.Errorf("%s: Retry-After %q with retry_after_ms %d; want %q", what, got, p.RetryMS, want)
	}
	if got := header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("%s: content type %q; want application/problem+json", what, got)
	}
}

func TestBadRequestsChangeNothing(t *testing.T) {
	book := func(body string) call { return call{"POST", "/v1/sales/main/bookings", body, nil} }
	headed := func(h http.Header) call {
		return call{"POST", "/v1/sales/main/bookings", `{"quantity":1}`, h}
	}
	without := func(name string) http.Header {
		h := visitor()
		h.Del(name)
		return h
	}
	tests := []struct {
		name   string
		call   call
		status int
		typ    string
	}{
		{"quantity 0", book(`{"quantity":0}`), 400, "bad-request"},
		{"quantity negative", book(`{"quantity":-1}`), 400, "bad-request"},
		{"quantity above the most", book(`{"quantity":101}`), 400, "bad-request"},
		{"quantity huge", book(`{"quantity":123456789012345678901234567890}`), 400, "bad-request"},
		{"quantity fractional", book(`{"quantity":1.5}`), 400, "bad-request"},
		{"quantity text", book(`{"quantity":"1"}`), 400, "bad-request"},
		{"quantity null", book(`{"quantity":null}`), 400, "bad-request"},
		{"quantity missing", book(`{}`), 400, "bad-request"},
		{"body empty", book(``), 400, "bad-request"},
		{"body not JSON", book(`quantity=1`), 400, "bad-request"},
		{"body cut short", book(`{"quantity":1`), 400, "bad-request"},
		{"body with more behind", book(`{"quantity":1}{"quantity":1}`), 400, "bad-request"},
		{"field twice", book(`{"quantity":1,"quantity":2}`), 400, "bad-request"},
		{"field unknown", book(`{"quantity":1,"price":0}`), 400, "bad-request"},
		{"body too large", book(`{"quantity":1` + strings.Repeat(" ", maxBody) + `}`), 413, "body-too-large"},
		{"no session", headed(without("Authorization")), 401, "session-unknown"},
		{"wrong scheme", headed(with(visitor(), "Authorization", "Basic t")), 401, "session-unknown"},
		{"two sessions", headed(with(visitor(), "Authorization", "Bearer t", "Bearer t")), 401, "session-unknown"},
		{"unknown session", headed(with(visitor(), "Authorization", "Bearer x")), 401, "session-unknown"},
		{"no key", headed(without("Idempotency-Key")), 400, "bad-request"},
		{"empty key", headed(with(visitor(), "Idempotency-Key", "")), 400, "bad-request"},
		{"two keys", headed(with(visitor(), "Idempotency-Key", "a", "b")), 400, "bad-request"},
		{"key too long", headed(with(visitor(), "Idempotency-Key", strings.Repeat("k", 129))), 400, "bad-request"},
		{"key not printable", headed(with(visitor(), "Idempotency-Key", "k\x7f")), 400, "bad-request"},
		{"key not ASCII", headed(with(visitor(), "Idempotency-Key", "clé")), 400, "bad-request"},
		{"unknown sale", call{"POST", "/v1/sales/none/bookings", `{"quantity":1}`, nil}, 404, "unknown-sale"},
		{"sale name not printable", call{"POST", "/v1/sales/a%20b/bookings", `{"quantity":1}`, nil}, 400, "bad-request"},
		{"unknown sale looked at", call{"GET", "/v1/sales/none", "", nil}, 404, "unknown-sale"},
		{"unknown booking", call{"GET", "/v1/bookings/8", "", nil}, 404, "unknown-booking"},
		{"booking id not a number", call{"DELETE", "/v1/bookings/x", "", nil}, 404, "unknown-booking"},
		{"booking id negative", call{"DELETE", "/v1/bookings/-7", "", nil}, 404, "unknown-booking"},
		{"booking id huge", call{"DELETE", "/v1/bookings/99999999999999999999", "", nil}, 404, "unknown-booking"},
		{"no such route", call{"GET", "/v2/sales/main", "", nil}, 404, "not-found"},
		{"no such method", call{"PUT", "/v1/sales/main", "", nil}, 405, "method-not-allowed"},
		{"login without a body", call{"POST", "/v1/sessions", ``, nil}, 400, "bad-request"},
		{"login with a forged proof", call{"POST", "/v1/sessions", `{"account":"ann","expires":4000000000,"proof":"eA"}`, nil}, 403, "bad-proof"},
		{"login of nobody", call{"POST", "/v1/sessions", `{"account":"","expires":4000000000,"proof":"eA"}`, nil}, 400, "bad-request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			a, _ := newAPI(t, w)
			rec := tt.call.do(t, a)
			wantProblem(t, tt.call.method+" "+tt.call.path, rec.Code, rec.Header(), rec.Body.Bytes(), tt.status, tt.typ)
			if len(w.booked) != 0 {
				t.Errorf("%v reached the domain", w.booked)
			}
		})
	}
}

func TestBook(t *testing.T) {
	tests := []struct {
		name    string
		set     func(*world)
		status  int
		typ     string // of a problem; empty: a booking
		reached bool   // whether the domain was asked
	}{
		{"new", func(*world) {}, 201, "", true},
		{"replay", func(w *world) { w.answer.Path = booking.PathReplay }, 200, "", true},
		{"sold out", func(w *world) { w.err = &booking.SoldOutError{Version: 4} }, 409, "sold-out", true},
		{"unknown outcome", func(w *world) { w.err = booking.ErrUnknownOutcome }, 504, "outcome-unknown", true},
		{"sessions down", func(w *world) { w.failing = booking.ErrDependency }, 503, "dependency-down", false},
		{"limited", func(w *world) { w.failing = &booking.RetryError{Err: limiter.ErrLimited, After: time.Second} }, 429, "rate-limited", false},
		{"not open yet", func(w *world) { w.set(booking.Scheduled, time.Time{}) }, 409, "sale-not-open", false},
		{"opens in an hour", func(w *world) { w.set(booking.Scheduled, time.Now().Add(time.Hour)) }, 409, "sale-not-open", false},
		{"its time has come", func(w *world) { w.set(booking.Scheduled, time.Now().Add(-time.Second)) }, 201, "", true},
		{"paused, retry of a booking", func(w *world) { w.set(booking.Paused, time.Time{}) }, 200, "", false},
		{"paused, key reused", func(w *world) { w.set(booking.Paused, time.Time{}); w.found.Quantity = 3 }, 422, "key-reused", false},
		{"paused", func(w *world) { w.set(booking.Paused, time.Time{}); w.found.ID = 0 }, 409, "sale-paused", false},
		{"closed", func(w *world) { w.set(booking.Closed, time.Time{}); w.found.ID = 0 }, 409, "sale-closed", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld()
			tt.set(w)
			a, _ := newAPI(t, w)
			rec := call{"POST", "/v1/sales/main/bookings", `{"quantity":2}`, nil}.do(t, a)
			if (len(w.booked) == 1) != tt.reached {
				t.Errorf("domain was asked %v; want asked: %v", w.booked, tt.reached)
			}
			if tt.typ != "" {
				wantProblem(t, "book", rec.Code, rec.Header(), rec.Body.Bytes(), tt.status, tt.typ)
				return
			}
			var b bookingBody
			if err := json.Unmarshal(rec.Body.Bytes(), &b); err != nil || rec.Code != tt.status || b.ID != "7" || b.Quantity != 2 || b.Version != 3 {
				t.Errorf("book = %d %s; want %d and booking 7", rec.Code, rec.Body, tt.status)
			}
			if got := rec.Header().Get("Replica"); got != "2" {
				t.Errorf("Replica header %q; want 2", got)
			}
		})
	}
}

func (w *world) set(st booking.SaleState, opens time.Time) {
	s := w.sales["main"]
	s.State, s.OpensAt = st, opens
	w.sales["main"] = s
}

func TestOwnBookingsOnly(t *testing.T) {
	for _, method := range []string{"GET", "DELETE"} {
		w := newWorld()
		w.sessions["u"] = "bob"
		a, _ := newAPI(t, w)
		if rec := (call{method, "/v1/bookings/7", "", nil}).do(t, a); rec.Code != 200 {
			t.Errorf("%s of ann's booking by ann = %d %s; want 200", method, rec.Code, rec.Body)
		}
		rec := call{method, "/v1/bookings/7", "", with(visitor(), "Authorization", "Bearer u")}.do(t, a)
		wantProblem(t, method+" of ann's booking by bob", rec.Code, rec.Header(), rec.Body.Bytes(), 404, "unknown-booking")
	}
}

func TestLogin(t *testing.T) {
	a, _ := newAPI(t, newWorld())
	expires := time.Now().Add(time.Minute)
	proof := session.MakeProof([]byte(loginKey), "ann", expires)
	body := fmt.Sprintf(`{"account":"ann","expires":%d,"proof":%q}`, expires.Unix(), proof)
	rec := call{"POST", "/v1/sessions", body, http.Header{"Content-Type": {"application/json"}}}.do(t, a)
	if rec.Code != 201 || !strings.Contains(rec.Body.String(), `"token":"new"`) {
		t.Errorf("login = %d %s; want 201 with a token", rec.Code, rec.Body)
	}
}

func TestSaleTellsWhenItOpens(t *testing.T) {
	now := time.Now()
	s := booking.Sale{State: booking.Scheduled, OpensAt: now.Add(1500*time.Millisecond + time.Microsecond)}
	if b := saleOf(s, now); b.OpensInMS == nil || *b.OpensInMS != 1501 || b.State != booking.Scheduled {
		t.Errorf("saleOf 1.500001 s before = %+v; want scheduled, 1501 ms", b)
	}
	if b := saleOf(s, now.Add(2*time.Second)); b.OpensInMS != nil || b.State != booking.Open {
		t.Errorf("saleOf after = %+v; want open", b)
	}
	if b := saleOf(booking.Sale{State: booking.Scheduled}, now); b.OpensInMS != nil || b.State != booking.Scheduled {
		t.Errorf("saleOf without a time = %+v; want scheduled and no time", b)
	}
}

func TestReady(t *testing.T) {
	down := errors.New("refused")
	tests := []struct {
		pings  map[string]error
		status int
		want   string
	}{
		{nil, 200, `"postgres":"ok"`},
		{map[string]error{"gate": down}, 200, `"gate":"down"`},
		{map[string]error{"sessions": down}, 503, `"sessions":"down"`},
		{map[string]error{"postgres": down}, 503, `"postgres":"down"`},
	}
	for _, tt := range tests {
		w := newWorld()
		w.pings = tt.pings
		a, _ := newAPI(t, w)
		if rec := (call{"GET", "/readyz", "", nil}).do(t, a); rec.Code != tt.status || !strings.Contains(rec.Body.String(), tt.want) {
			t.Errorf("ready with %v = %d %s; want %d with %s", tt.pings, rec.Code, rec.Body, tt.status, tt.want)
		}
	}
}

func TestPanicIsAnAnswer(t *testing.T) {
	w := newWorld()
	a, logs := newAPI(t, w)
	a.Bookings = nil // a broken promise
	rec := call{"POST", "/v1/sales/main/bookings", `{"quantity":2}`, nil}.do(t, a)
	wantProblem(t, "book", rec.Code, rec.Header(), rec.Body.Bytes(), 500, "internal")
	if !strings.Contains(logs.String(), "panic in a request") || !strings.Contains(logs.String(), "book.go") {
		t.Errorf("log %q; want the panic with its stack", logs)
	}
}

func TestMetricsCountRequests(t *testing.T) {
	w := newWorld()
	a, _ := newAPI(t, w)
	a.Metrics.Event(booking.EventFallback)
	three := int64(-3)
	a.Metrics.Reconciled(Pass{Result: "repaired", Before: &three, After: &three})
	a.Metrics.Reconciled(Pass{Result: "repaired", Before: &three})
	call{"POST", "/v1/sales/main/bookings", `{"quantity":2}`, nil}.do(t, a)
	call{"GET", "/v1/sales/none", "", nil}.do(t, a)
	rec := call{"GET", "/metrics", "", nil}.do(t, a)
	for _, want := range []string{
		`gatecrash_requests_total{problem="",route="book",status="201"} 1`,
		`gatecrash_requests_total{problem="unknown-sale",route="look",status="404"} 1`,
		`gatecrash_events_total{event="fallback"} 1`,
		`gatecrash_events_total{event="debit_stranded"} 0`,
		`gatecrash_gate_drift_seats{when="before"} -3`,
	} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if strings.Contains(rec.Body.String(), `when="after"`) {
		t.Error("metrics show a drift that was not measured")
	}
}
