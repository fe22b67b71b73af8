package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/crashpoint"
	"gatecrash/system/session"
)

// Bookings is what the API asks of the domain; *booking.Service is it.
type Bookings interface {
	Book(ctx context.Context, in booking.Intent) (booking.Answer, error)
	Cancel(ctx context.Context, account string, id int64) (booking.Booking, error)
	AddSeats(ctx context.Context, sale, change string, n int64) (booking.Sale, error)
}

// Sessions is who is asking, and whether too often; *session.Store is it.
type Sessions interface {
	Open(ctx context.Context, account, address string) (session.Session, error)
	Check(ctx context.Context, token, address string) (account string, err error)
}

// Dependency is one thing the system needs.
type Dependency struct {
	Name     string
	Required bool // false: without it the system goes on, slower
	Ping     func(context.Context) error
}

// Parts are what the API is wired to.
type Parts struct {
	Bookings     Bookings
	Sessions     Sessions
	Replays      booking.Replays
	Ledger       booking.Ledger
	Gate         booking.Gate // nil: the system runs without a gate
	Refill       func(sale string)
	Crash        *crashpoint.Set
	Metrics      *Metrics
	Dependencies []Dependency
	Log          *slog.Logger
}

// Settings of the API.
type Settings struct {
	Replica     int            // this replica's number, 1-based; told in the Replica header
	Deadline    time.Duration  // of a whole request, from its headers to its answer
	Read        time.Duration  // the longest a query of the API's own may take
	LoginKey    []byte         // of the log-in proofs
	OperatorKey []byte         // of the operator's routes; empty: there are none
	CrashPoints bool           // whether the operator may arm crash points
	Proxies     []netip.Prefix // whose X-Forwarded-For is believed
}

// API is the HTTP face of one replica.
type API struct {
	Parts
	settings Settings
	mux      *http.ServeMux
	sales    *cache
}

// route is one method of one path. The handler's error is answered by the one table.
type route struct {
	method string
	path   string
	name   string // in metrics; several routes of one kind may share it
	handle func(*API, http.ResponseWriter, *http.Request) error
}

// routes lists every route; openapi.yaml is held against it.
func routes() []route {
	return []route{
		{"POST", "/v1/sessions", "login", (*API).login},
		{"GET", "/v1/sales/{sale}", "look", (*API).look},
		{"POST", "/v1/sales/{sale}/bookings", "book", (*API).book},
		{"GET", "/v1/bookings/{id}", "get", (*API).get},
		{"DELETE", "/v1/bookings/{id}", "cancel", (*API).cancel},
		{"GET", "/healthz", "health", (*API).health},
		{"GET", "/readyz", "ready", (*API).ready},
		{"GET", "/metrics", "metrics", (*API).metrics},
		{"POST", "/operator/v1/sales", "operator", operator((*API).create)},
		{"GET", "/operator/v1/sales", "operator", operator((*API).list)},
		{"GET", "/operator/v1/sales/{sale}", "operator", operator((*API).state)},
		{"POST", "/operator/v1/sales/{sale}/open", "operator", operator(move(booking.Open))},
		{"POST", "/operator/v1/sales/{sale}/pause", "operator", operator(move(booking.Paused))},
		{"POST", "/operator/v1/sales/{sale}/resume", "operator", operator(move(booking.Open))},
		{"POST", "/operator/v1/sales/{sale}/close", "operator", operator(move(booking.Closed))},
		{"POST", "/operator/v1/sales/{sale}/seats", "operator", operator((*API).seats)},
		{"GET", "/operator/v1/crashpoints", "operator", operator((*API).crashPoints)},
		{"POST", "/operator/v1/crashpoints", "operator", operator((*API).arm)},
		{"DELETE", "/operator/v1/crashpoints", "operator", operator((*API).disarm)},
	}
}

// New makes the API. Close it when no request is under way any more.
func New(p Parts, s Settings) *API {
	a := &API{Parts: p, settings: s, mux: http.NewServeMux()}
	a.sales = newCache(p.Ledger.Sale, s.Read)
	known := http.NewServeMux() // the same routes without the last one, to ask what is wrong with a request that fits none
	for _, r := range routes() {
		a.mux.Handle(r.method+" "+r.path, a.wrap(r))
		known.Handle(r.method+" "+r.path, http.NotFoundHandler())
	}
	a.mux.Handle("/", a.wrap(route{name: "none", handle: func(_ *API, w http.ResponseWriter, r *http.Request) error {
		return unrouted(known, w, r)
	}}))
	return a
}

// Close waits for what the API has under way of its own.
func (a *API) Close() { a.sales.close() }

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// unrouted asks a mux what is wrong, because its own answer would be plain text.
func unrouted(known *http.ServeMux, w http.ResponseWriter, r *http.Request) error {
	asked := &headerOnly{header: http.Header{}}
	known.ServeHTTP(asked, r)
	if asked.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", asked.header.Get("Allow"))
		return fmt.Errorf("%w: want %s", errMethod, asked.header.Get("Allow"))
	}
	return errNotFound
}

// headerOnly keeps an answer's status and header and drops its body.
type headerOnly struct {
	header http.Header
	status int
}

func (h *headerOnly) Header() http.Header         { return h.header }
func (h *headerOnly) Write(b []byte) (int, error) { return len(b), nil }
func (h *headerOnly) WriteHeader(status int)      { h.status = status }

// admit is the first step of everything that needs a session: the account behind the token, counted against its rates.
func (a *API) admit(r *http.Request) (account string, err error) {
	token, err := bearer(r)
	if err != nil {
		return "", fmt.Errorf("%w: %w", session.ErrUnknown, err)
	}
	return a.Sessions.Check(r.Context(), token, a.address(r))
}
