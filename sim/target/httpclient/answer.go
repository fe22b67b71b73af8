package httpclient

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"gatecrash/sim/history"
	"gatecrash/sim/target"
)

// ruleOf is the protocol's table: with which status a problem must come, and what it means.
func ruleOf(p history.Problem) (status int, means history.Outcome) {
	switch p {
	case history.SoldOut, history.SoldOutForNow, history.AccountLimit, history.SaleNotOpen, history.SalePaused, history.SaleClosed, history.InFlight:
		return 409, history.Refused
	case history.KeyReused:
		return 422, history.Refused
	case history.SessionUnknown:
		return 401, history.Refused
	case history.NotAdmitted, history.BadProof:
		return 403, history.Refused
	case history.RateLimited:
		return 429, history.Refused
	case history.BadRequest:
		return 400, history.Refused
	case history.UnknownSale, history.UnknownBooking:
		return 404, history.Refused
	case history.Overloaded, history.DependencyDown:
		return 503, history.Failed
	case history.OutcomeUnknown:
		return 504, history.Unknown
	}
	return 0, 0
}

// problemBody is application/problem+json as far as a visitor needs it.
type problemBody struct {
	Type    string `json:"type"`
	Version *int64 `json:"version"`
	RetryMS int64  `json:"retry_after_ms"`
}

// bookingBody is a booking as it is told. Pointers tell a missing field from a zero.
type bookingBody struct {
	ID       string `json:"id"`
	Quantity *int   `json:"quantity"`
	State    string `json:"state"`
	Version  *int64 `json:"version"`
	Path     string `json:"path"`
}

type sessionBody struct {
	Token string `json:"token"`
}

type saleBody struct {
	State     string `json:"state"`
	OpensInMS *int64 `json:"opens_in_ms"`
}

// judge maps status and problem type to what a visitor may believe.
func judge(status int, kind string) (history.Outcome, history.Problem, history.ErrorClass) {
	problem := problemOf(kind)
	switch want, means := ruleOf(problem); {
	case want == status:
		return means, problem, history.NoError
	case want != 0: // a type that does not go with this status
		return history.Unknown, problem, history.ErrProtocol
	case status >= 400 && status < 500:
		return history.Refused, history.ProblemOther, history.NoError
	case status >= 500:
		return history.Unknown, problem, history.NoError
	default:
		return history.Unknown, history.NoProblem, history.ErrProtocol
	}
}

func problemOf(kind string) history.Problem {
	p, err := history.ParseProblem(kind)
	if err != nil {
		return history.ProblemOther
	}
	return p
}

// reader fills in what a success tells; false: something that must be there is not.
type reader func(status int, body []byte, a *target.Answer) bool

// read turns an HTTP answer into an Answer.
func read(resp *fasthttp.Response, ok reader, a *target.Answer) {
	a.Status = resp.StatusCode()
	if a.Status >= 200 && a.Status < 300 {
		if ok(a.Status, resp.Body(), a) {
			a.Outcome = history.Ok
			return
		}
		*a = target.Answer{Outcome: history.Unknown, Error: history.ErrProtocol, Status: a.Status, Version: -1, Opens: -1, Sent: a.Sent}
		return
	}
	var p problemBody
	if isJSON(resp) && json.Unmarshal(resp.Body(), &p) != nil {
		a.Outcome, a.Error = history.Unknown, history.ErrProtocol
		return
	}
	a.Outcome, a.Problem, a.Error = judge(a.Status, lastSegment(p.Type))
	a.RetryAfter = retryAfter(p.RetryMS, resp)
	if p.Version != nil && *p.Version >= 0 {
		a.Version = *p.Version
	}
}

func isJSON(resp *fasthttp.Response) bool {
	return bytes.Contains(resp.Header.ContentType(), []byte("json"))
}

func lastSegment(kind string) string { return kind[strings.LastIndexByte(kind, '/')+1:] }

// retryAfter prefers the precise form in the body to the header's whole seconds. Nothing above a day is believed.
func retryAfter(ms int64, resp *fasthttp.Response) time.Duration {
	const day = 24 * 60 * 60
	if ms > 0 && ms <= day*1000 {
		return time.Duration(ms) * time.Millisecond
	}
	s, err := strconv.ParseInt(string(resp.Header.Peek(fasthttp.HeaderRetryAfter)), 10, 64)
	if err != nil || s <= 0 || s > day {
		return 0
	}
	return time.Duration(s) * time.Second
}

func readBooking(status int, body []byte, a *target.Answer) bool {
	var b bookingBody
	if (status != 200 && status != 201) || json.Unmarshal(body, &b) != nil || b.Version == nil || b.Quantity == nil {
		return false
	}
	id, err := strconv.ParseInt(b.ID, 10, 64)
	if err != nil || id <= 0 || *b.Version < 0 || *b.Quantity < 1 || *b.Quantity > 1<<16-1 {
		return false
	}
	a.Booking, a.Version, a.Quantity = id, *b.Version, *b.Quantity
	if path, err := history.ParsePath(b.Path); err == nil {
		a.Path = path
	}
	return true
}

// readCancel takes the booking as it is now, which must be cancelled, or no content.
func readCancel(status int, body []byte, a *target.Answer) bool {
	if status == 204 {
		return true
	}
	var b bookingBody
	return readBooking(status, body, a) && json.Unmarshal(body, &b) == nil && (b.State == "" || b.State == "cancelled")
}

func readSession(_ int, body []byte, a *target.Answer) bool {
	var s sessionBody
	if json.Unmarshal(body, &s) != nil || s.Token == "" {
		return false
	}
	a.Session = s.Token
	return true
}

func readSale(_ int, body []byte, a *target.Answer) bool {
	var s saleBody
	if json.Unmarshal(body, &s) != nil || s.State == "" {
		return false
	}
	if s.OpensInMS != nil && *s.OpensInMS >= 0 {
		a.Opens = time.Duration(*s.OpensInMS) * time.Millisecond
	}
	return true
}
