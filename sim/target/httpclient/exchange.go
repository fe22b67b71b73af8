package httpclient

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"gatecrash/sim/history"
)

// failure is an exchange without a readable answer.
type failure struct {
	class   history.ErrorClass
	nothing bool // certain that no byte was sent
}

// outcome of a request that failed so.
func (f failure) outcome() history.Outcome {
	switch {
	case f.class == history.ErrEnd:
		return history.Unfinished
	case f.nothing:
		return history.Failed
	default:
		return history.Unknown
	}
}

// answered reports that there was none: an answer was read.
func (f failure) answered() bool { return f == failure{} }

// exchange sends req once and reads resp. The visitor's timeout covers the connection too. sent is zero when no byte was handed over.
func (p *pool) exchange(ctx context.Context, req *fasthttp.Request, resp *fasthttp.Response, timeout time.Duration) (sent time.Time, f failure) {
	deadline := time.Now().Add(timeout)
	for {
		c := p.take()
		if c == nil {
			var err error
			if c, err = p.dial(ctx, deadline); err != nil {
				return time.Time{}, failure{classOfDial(ctx, err), true}
			}
		}
		f = c.roundTrip(ctx, req, resp, deadline)
		sent, deadIdle := c.first, f.nothing && c.reused && f.class == history.ErrReset
		if c.wrote == 0 {
			sent = time.Time{}
		}
		if f.answered() && reusable(c, req, resp) {
			p.put(c) // from here on another request may use it
		} else {
			_ = c.Close() // the exchange is over and its result known
		}
		if !deadIdle { // else it took nothing: another connection
			return sent, f
		}
	}
}

func reusable(c *conn, req *fasthttp.Request, resp *fasthttp.Response) bool {
	return c.in.Buffered() == 0 && c.readErr == nil && !resp.ConnectionClose() && !req.ConnectionClose()
}

// roundTrip does one exchange on the connection. A context that ends interrupts it.
func (c *conn) roundTrip(ctx context.Context, req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) failure {
	c.begin()
	if err := c.SetDeadline(deadline); err != nil {
		return failure{history.ErrReset, true}
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) }) // fails only when the connection is closed already
	f := c.send(req)
	if f.answered() {
		f = c.receive(resp)
	}
	switch interrupted := !stop(); {
	case interrupted && f.answered():
		c.readErr = context.Canceled // the deadline was touched: not to be used again
	case interrupted:
		f.class = history.ErrEnd
	}
	return f
}

func (c *conn) send(req *fasthttp.Request) failure {
	err := req.Write(c.out)
	if err == nil {
		err = c.out.Flush()
	}
	switch {
	case err == nil:
		return failure{}
	case c.wrote == 0 && timedOut(err):
		return failure{history.ErrDialTimeout, true}
	case c.wrote == 0 && c.reused:
		return failure{history.ErrReset, true}
	case c.wrote == 0:
		return failure{history.ErrRefusedConn, true} // accepted and gone before the first byte
	case timedOut(err):
		return failure{class: history.ErrTimeout}
	default:
		return failure{class: history.ErrReset}
	}
}

func (c *conn) receive(resp *fasthttp.Response) failure {
	err := resp.ReadLimitBody(c.in, maxAnswer)
	switch {
	case err == nil:
		return failure{}
	case timedOut(c.readErr):
		return failure{class: history.ErrTimeout}
	case c.readErr != nil: // closed or reset before the answer was whole
		return failure{class: history.ErrReset}
	default:
		return failure{class: history.ErrProtocol}
	}
}

func timedOut(err error) bool {
	var t net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || (errors.As(err, &t) && t.Timeout())
}

func classOfDial(ctx context.Context, err error) history.ErrorClass {
	switch {
	case ctx.Err() != nil:
		return history.ErrEnd
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET):
		return history.ErrRefusedConn
	case timedOut(err):
		return history.ErrDialTimeout
	default:
		return history.ErrDial
	}
}
