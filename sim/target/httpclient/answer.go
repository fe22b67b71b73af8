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

// rule is a row of the protocol's table of problems.
type rule struct {
	status  int
	problem history.Problem
	outcome history.Outcome
}

// rules is the table; the name of the problem is its type.
var rules = []rule{
	{409, history.SoldOut, history.Refused},
	{409, history.SoldOutForNow, history.Refused},
	{409, history.AccountLimit, history.Refused},
	{422, history.KeyReused, history.Refused},
	{409, history.SaleNotOpen, history.Refused},
	{409, history.SalePaused, history.Refused},
	{409, history.SaleClosed, history.Refused},
	{401, history.SessionUnknown, history.Refused},
	{403, history.NotAdmitted, history.Refused},
	{403, history.BadProof, history.Refused},
	{429, history.RateLimited, history.Refused},
	{503, history.Overloaded, history.Failed},
	{503, history.DependencyDown, history.Failed},
	{504, history.OutcomeUnknown, history.Unknown},
	{400, history.BadRequest, history.Refused},
	{404, history.UnknownSale, history.Refused},
	{404, history.UnknownBooking, history.Refused},
	{409, history.InFlight, history.Refused},
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
	for _, r := range rules {
		if r.problem.String() != kind {
			continue
		}
		if r.status != status {
			return history.Unknown, r.problem, history.ErrProtocol
		}
		return r.outcome, r.problem, history.NoError
	}
	switch {
	case status >= 400 && status < 500:
		return history.Refused, history.ProblemOther, history.NoError
	case status >= 500 && kind == "":
		return history.Unknown, history.NoProblem, history.NoError
	case status >= 500:
		return history.Unknown, history.ProblemOther, history.NoError
	default:
		return history.Unknown, history.NoProblem, history.ErrProtocol
	}
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
