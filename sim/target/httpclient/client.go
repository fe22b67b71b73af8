package httpclient

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"gatecrash/sim/target"
)

// maxAnswer bounds the body of an answer in bytes.
const maxAnswer = 64 << 10

// Proof makes the log-in proof of an account and says until when it is good, in seconds since 1970.
type Proof func(account string) (proof string, expires int64)

// Settings of a Client.
type Settings struct {
	Addresses []string // host:port of each replica
	Proof     Proof    // of log-ins
	MaxIdle   int      // idle connections kept to each replica; 0: 4096
}

// Client implements target.Client over HTTP.
type Client struct {
	replicas []*pool
	proof    Proof
}

var _ target.Client = (*Client)(nil)

// New gives a Client; it connects to nothing yet.
func New(s Settings) *Client {
	if s.MaxIdle <= 0 {
		s.MaxIdle = 4096
	}
	c := &Client{proof: s.Proof}
	for _, a := range s.Addresses {
		c.replicas = append(c.replicas, &pool{address: a, maxIdle: s.MaxIdle})
	}
	return c
}

// Replicas implements target.Client.
func (c *Client) Replicas() int { return len(c.replicas) }

// Close drops the idle connections. Requests that are under way end by themselves.
func (c *Client) Close() {
	for _, p := range c.replicas {
		p.close()
	}
}

// Login implements target.Client.
func (c *Client) Login(ctx context.Context, replica int, v target.Visitor, timeout time.Duration) target.Answer {
	proof, expires := c.proof(v.Account)
	if v.BadProof {
		proof = "bm90LWEtcHJvb2Y" // well-formed and wrong
	}
	body, err := json.Marshal(struct {
		Account string `json:"account"`
		Expires int64  `json:"expires"`
		Proof   string `json:"proof"`
	}{v.Account, expires, proof})
	if err != nil {
		panic("httpclient: a log-in is always encodable: " + err.Error())
	}
	v.Session = ""
	return c.call(ctx, replica, v, call{method: fasthttp.MethodPost, path: "/v1/sessions", body: body, ok: readSession}, timeout)
}

// Look implements target.Client.
func (c *Client) Look(ctx context.Context, replica int, v target.Visitor, sale string, timeout time.Duration) target.Answer {
	return c.call(ctx, replica, v, call{method: fasthttp.MethodGet, path: salePath(sale), ok: readSale}, timeout)
}

// Book implements target.Client.
func (c *Client) Book(ctx context.Context, replica int, v target.Visitor, sale, key string, quantity int, timeout time.Duration) target.Answer {
	body := append(strconv.AppendInt([]byte(`{"quantity":`), int64(quantity), 10), '}')
	return c.call(ctx, replica, v, call{method: fasthttp.MethodPost, path: salePath(sale) + "/bookings", key: key, body: body, ok: readBooking}, timeout)
}

// Cancel implements target.Client.
func (c *Client) Cancel(ctx context.Context, replica int, v target.Visitor, booking int64, timeout time.Duration) target.Answer {
	path := "/v1/bookings/" + strconv.FormatInt(booking, 10)
	return c.call(ctx, replica, v, call{method: fasthttp.MethodDelete, path: path, ok: readCancel}, timeout)
}

func salePath(sale string) string { return "/v1/sales/" + url.PathEscape(sale) }

// call is one request.
type call struct {
	method string
	path   string
	key    string // idempotency key; empty: none
	body   []byte // JSON; nil: none
	ok     reader
}

func (c *Client) call(ctx context.Context, replica int, v target.Visitor, k call, timeout time.Duration) target.Answer {
	p := c.replicas[replica]
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	k.write(req, p.address, v)
	a := target.Answer{Version: -1, Opens: -1}
	var f failure
	if a.Sent, f = p.exchange(ctx, req, resp, timeout); !f.answered() {
		a.Outcome, a.Error = f.outcome(), f.class
		return a
	}
	read(resp, k.ok, &a)
	return a
}

func (k call) write(req *fasthttp.Request, host string, v target.Visitor) {
	h := &req.Header
	h.SetMethod(k.method)
	h.SetHost(host)
	h.SetRequestURI(k.path)
	h.SetUserAgent("gatecrash")
	if v.Address != "" {
		h.Set("X-Forwarded-For", v.Address)
	}
	if v.Session != "" {
		h.Set("Authorization", "Bearer "+v.Session)
	}
	if k.key != "" {
		h.Set("Idempotency-Key", k.key)
	}
	if k.body != nil {
		h.SetContentType("application/json")
		req.SetBodyRaw(k.body)
	}
}
