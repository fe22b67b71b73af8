package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/crashpoint"
	"gatecrash/system/limiter"
	"gatecrash/system/session"
)

// Errors of this package, for what fails before the domain is asked.
var (
	errNotFound   = errors.New("no such route")
	errMethod     = errors.New("method not allowed")
	errOperator   = errors.New("operator's secret not accepted")
	errNotEnabled = errors.New("not enabled on this system")
)

// kind is a type of problem: what the type member says, how HTTP says it, and which errors are of it.
type kind struct {
	name   string
	status int
	title  string
	is     func(error) bool
	retry  time.Duration // told where the error itself names no time; 0: none
}

// kinds is the one table from errors to HTTP. The first row that takes an error wins; the last takes everything.
var kinds = []kind{
	{"sold-out", http.StatusConflict, "Sold out", of(booking.ErrSoldOut), 0},
	{"sold-out-for-now", http.StatusConflict, "No seats at the moment", of(booking.ErrGateSoldOut), time.Second},
	{"account-limit", http.StatusConflict, "The account holds as many seats as it may", of(booking.ErrAccountLimit), 0},
	{"key-reused", http.StatusUnprocessableEntity, "The idempotency key was used for another request", of(booking.ErrKeyReused), 0},
	{"sale-not-open", http.StatusConflict, "The sale is not open yet", inState(booking.Scheduled), 0},
	{"sale-paused", http.StatusConflict, "The sale is paused", inState(booking.Paused), 0},
	{"sale-closed", http.StatusConflict, "The sale is closed", inState(booking.Closed), 0},
	{"session-unknown", http.StatusUnauthorized, "Log in first", of(session.ErrUnknown), 0},
	{"bad-proof", http.StatusForbidden, "The log-in proof is not accepted", of(session.ErrBadProof), 0},
	{"rate-limited", http.StatusTooManyRequests, "Too many requests", of(limiter.ErrLimited), time.Second},
	{"outcome-unknown", http.StatusGatewayTimeout, "It may have happened; ask again with the same key", of(booking.ErrUnknownOutcome), time.Second},
	{"overloaded", http.StatusServiceUnavailable, "Too busy; nothing happened", of(booking.ErrOverloaded), time.Second},
	{"dependency-down", http.StatusServiceUnavailable, "A part is down; nothing happened", of(booking.ErrDependency), time.Second},
	{"body-too-large", http.StatusRequestEntityTooLarge, "The body is too large", of(errBodyTooLarge), 0},
	{"bad-request", http.StatusBadRequest, "The request is malformed", of(booking.ErrInvalid, crashpoint.ErrUnknownPoint, crashpoint.ErrBadArming), 0},
	{"unknown-sale", http.StatusNotFound, "No such sale", of(booking.ErrUnknownSale), 0},
	{"unknown-booking", http.StatusNotFound, "No such booking of this account", of(booking.ErrUnknownBooking), 0},
	{"sale-exists", http.StatusConflict, "A sale of that name exists with other settings", of(booking.ErrSaleExists), 0},
	{"capacity-in-use", http.StatusConflict, "Fewer seats are free than were to be withdrawn", of(booking.ErrCapacity), 0},
	{"state-not-allowed", http.StatusConflict, "The sale cannot go to that state from this one", of(booking.ErrSaleState), 0},
	{"operator-unknown", http.StatusUnauthorized, "The operator's secret is not accepted", of(errOperator), 0},
	{"not-enabled", http.StatusForbidden, "Not enabled on this system", of(errNotEnabled), 0},
	{"not-found", http.StatusNotFound, "No such route", of(errNotFound), 0},
	{"method-not-allowed", http.StatusMethodNotAllowed, "The route has no such method", of(errMethod), 0},
	{"internal", http.StatusInternalServerError, "An error inside the system", func(error) bool { return true }, 0},
}

func of(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
}

func inState(st booking.SaleState) func(error) bool {
	return func(err error) bool {
		var state *booking.StateError
		return errors.As(err, &state) && state.State == st
	}
}

func kindOfError(err error) kind {
	for _, k := range kinds {
		if k.is(err) {
			return k
		}
	}
	panic("httpapi: the last row of kinds must take every error")
}

// problem is the body of application/problem+json (RFC 9457).
type problem struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail,omitempty"`
	Version *int64 `json:"version,omitempty"`        // sold-out only: the ledger version at which it held
	Free    *int64 `json:"free,omitempty"`           // sold-out only: seats that were left
	RetryMS int64  `json:"retry_after_ms,omitempty"` // the precise form of Retry-After
}

// problemOf is the pure part of writeProblem. What an internal error says is for the log alone.
func problemOf(err error) problem {
	k := kindOfError(err)
	p := problem{Type: k.name, Title: k.title, Status: k.status, RetryMS: k.retry.Milliseconds()}
	if k.status < http.StatusInternalServerError {
		p.Detail = err.Error()
	}
	var soldOut *booking.SoldOutError
	if errors.As(err, &soldOut) {
		p.Version, p.Free = &soldOut.Version, &soldOut.Free
	}
	var retry *booking.RetryError
	if errors.As(err, &retry) && retry.After > 0 {
		p.RetryMS = max(1, retry.After.Milliseconds())
	}
	return p
}

// writeProblem answers with the problem of an error and returns its type.
func writeProblem(w http.ResponseWriter, err error) string {
	p := problemOf(err)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if p.RetryMS > 0 {
		h.Set("Retry-After", strconv.FormatInt((p.RetryMS+999)/1000, 10))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	writeBody(w, p.Status, p)
	return p.Type
}

// writeJSON answers with a value.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	writeBody(w, status, v)
	return nil
}

func writeBody(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("httpapi: answer cannot be encoded: " + err.Error())
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone; there is nobody to tell
}
