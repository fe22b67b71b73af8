package httpclient

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/target"
)

const (
	long  = 20 * time.Second
	short = 150 * time.Millisecond
)

var visitor = target.Visitor{Account: "a-1", Address: "10.1.2.3", Session: "s-1"}

// peer answers each connection with script, which gets its number from 0.
func peer(t *testing.T, script func(n int, c *net.TCPConn)) *Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				script(n, c.(*net.TCPConn))
			})
		}
	})
	c := New(Settings{Addresses: []string{l.Addr().String()}, Proof: func(a string) (string, int64) { return "proof-of-" + a, 99 }})
	t.Cleanup(func() {
		c.Close()
		l.Close()
		wg.Wait()
	})
	return c
}

// readRequest reads one whole request.
func readRequest(c net.Conn) (*http.Request, string) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return nil, ""
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, ""
	}
	return r, string(body)
}

func say(status int, kind, body string, header ...string) string {
	h := strings.Join(append(header, ""), "\r\n")
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s", status, kind, h, len(body), body)
}

const (
	goodBooking = `{"id":"7","sale":"main","account":"a-1","quantity":2,"state":"live","version":5,"path":"db"}`
	problemType = "application/problem+json"
)

func book(c *Client, timeout time.Duration) target.Answer {
	return c.Book(context.Background(), 0, visitor, "main", "key-1", 2, timeout)
}

func TestAnswers(t *testing.T) {
	type want struct {
		outcome history.Outcome
		problem history.Problem
		class   history.ErrorClass
		version int64
		retry   time.Duration
	}
	problem := func(status int, kind string, header ...string) string {
		return say(status, problemType, `{"type":"`+kind+`"}`, header...)
	}
	tests := []struct {
		name   string
		answer string
		want   want
	}{
		{"booked", say(201, "application/json", goodBooking), want{outcome: history.Ok, version: 5}},
		{"replayed", say(200, "application/json", strings.Replace(goodBooking, "db", "replay", 1)), want{outcome: history.Ok, version: 5}},
		{"sold out", say(409, problemType, `{"type":"https://x/problems/sold-out","version":12}`), want{history.Refused, history.SoldOut, 0, 12, 0}},
		{"sold out for now", say(409, problemType, `{"type":"sold-out-for-now","retry_after_ms":250}`, "Retry-After: 1"), want{history.Refused, history.SoldOutForNow, 0, -1, 250 * time.Millisecond}},
		{"account limit", problem(409, "account-limit"), want{history.Refused, history.AccountLimit, 0, -1, 0}},
		{"key reused", problem(422, "key-reused"), want{history.Refused, history.KeyReused, 0, -1, 0}},
		{"not open", problem(409, "sale-not-open"), want{history.Refused, history.SaleNotOpen, 0, -1, 0}},
		{"session", problem(401, "session-unknown"), want{history.Refused, history.SessionUnknown, 0, -1, 0}},
		{"rate limited", problem(429, "rate-limited", "Retry-After: 2"), want{history.Refused, history.RateLimited, 0, -1, 2 * time.Second}},
		{"overloaded", problem(503, "overloaded"), want{history.Failed, history.Overloaded, 0, -1, 0}},
		{"dependency", problem(503, "dependency-down"), want{history.Failed, history.DependencyDown, 0, -1, 0}},
		{"unknown outcome", problem(504, "outcome-unknown"), want{history.Unknown, history.OutcomeUnknown, 0, -1, 0}},
		{"bad request", problem(400, "bad-request"), want{history.Refused, history.BadRequest, 0, -1, 0}},
		{"other 4xx", problem(418, "teapot"), want{history.Refused, history.ProblemOther, 0, -1, 0}},
		{"503 of a proxy", say(503, "text/html", "<h1>no</h1>"), want{history.Unknown, 0, 0, -1, 0}},
		{"500", problem(500, "internal"), want{history.Unknown, history.ProblemOther, 0, -1, 0}},
		{"type with a wrong status", problem(500, "sold-out"), want{history.Unknown, history.SoldOut, history.ErrProtocol, -1, 0}},
		{"overloaded as 409", problem(409, "overloaded"), want{history.Unknown, history.Overloaded, history.ErrProtocol, -1, 0}},
		{"problem is no JSON", say(409, problemType, `{"type":`), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"redirect", say(302, "text/html", "", "Location: /"), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"ok without id", say(201, "application/json", `{"quantity":2,"version":5}`), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"ok without version", say(201, "application/json", `{"id":"7","quantity":2}`), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"ok without quantity", say(201, "application/json", `{"id":"7","version":5}`), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"ok with a strange id", say(201, "application/json", `{"id":"x","quantity":2,"version":5}`), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"ok that is no JSON", say(201, "text/html", "hello"), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"202", say(202, "application/json", goodBooking), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"too large", say(201, "application/json", strings.Repeat(" ", maxAnswer)+goodBooking), want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
		{"not HTTP", "\x00\x01garbage\r\n\r\n", want{history.Unknown, 0, history.ErrProtocol, -1, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := peer(t, func(_ int, c *net.TCPConn) {
				readRequest(c)
				io.WriteString(c, tt.answer)
			})
			before := time.Now()
			a := book(c, long)
			got := want{a.Outcome, a.Problem, a.Error, a.Version, a.RetryAfter}
			if got != tt.want {
				t.Errorf("Book: got %+v, want %+v", got, tt.want)
			}
			if a.Sent.Before(before) {
				t.Errorf("Sent: got %v, want after %v", a.Sent, before)
			}
		})
	}
}

func TestBrokenConnections(t *testing.T) {
	tests := []struct {
		name    string
		script  func(n int, c *net.TCPConn)
		timeout time.Duration
		outcome history.Outcome
		class   history.ErrorClass
	}{
		{"closed after reading", func(_ int, c *net.TCPConn) { readRequest(c) }, long, history.Unknown, history.ErrReset},
		{"reset after reading", func(_ int, c *net.TCPConn) { readRequest(c); c.SetLinger(0) }, long, history.Unknown, history.ErrReset},
		{"hang", func(_ int, c *net.TCPConn) { readRequest(c); io.Copy(io.Discard, c) }, short, history.Unknown, history.ErrTimeout},
		{"half a head", func(_ int, c *net.TCPConn) { readRequest(c); io.WriteString(c, "HTTP/1.1 201 Cre") }, long, history.Unknown, history.ErrReset},
		{"half a body", func(_ int, c *net.TCPConn) {
			readRequest(c)
			s := say(201, "application/json", goodBooking)
			io.WriteString(c, s[:len(s)-9])
		}, long, history.Unknown, history.ErrReset},
		{"half a body, then hang", func(_ int, c *net.TCPConn) {
			readRequest(c)
			s := say(201, "application/json", goodBooking)
			io.WriteString(c, s[:len(s)-9])
			io.Copy(io.Discard, c)
		}, short, history.Unknown, history.ErrTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := book(peer(t, tt.script), tt.timeout)
			if a.Outcome != tt.outcome || a.Error != tt.class || a.Sent.IsZero() || a.Status != 0 {
				t.Errorf("Book: got %v %v, sent %v; want %v %v and a time", a.Outcome, a.Error, a.Sent, tt.outcome, tt.class)
			}
		})
	}
}

// A peer that closes at once is a race: the request was handed over (unknown) or found no connection (failed). Never anything else.
func TestClosedBeforeReading(t *testing.T) {
	for _, linger := range []int{-1, 0} {
		c := peer(t, func(_ int, c *net.TCPConn) { c.SetLinger(linger) })
		a := book(c, long)
		unknown := a.Outcome == history.Unknown && a.Error == history.ErrReset && !a.Sent.IsZero()
		failed := a.Outcome == history.Failed && a.Error == history.ErrRefusedConn && a.Sent.IsZero()
		if !unknown && !failed {
			t.Errorf("Book with linger %d: got %+v, want unknown reset or failed refused_conn", linger, a)
		}
	}
}

func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	a := book(New(Settings{Addresses: []string{address}}), long)
	if a.Outcome != history.Failed || a.Error != history.ErrRefusedConn || !a.Sent.IsZero() {
		t.Errorf("Book: got %+v, want failed refused_conn and nothing sent", a)
	}
}

func TestDialTimeoutAndOtherErrors(t *testing.T) {
	background := context.Background()
	ended, end := context.WithCancel(background)
	end()
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		want failure
	}{
		{"timeout", background, &net.OpError{Op: "dial", Err: context.DeadlineExceeded}, failure{history.ErrDialTimeout, true}},
		{"no descriptor", background, &net.OpError{Op: "dial", Err: fmt.Errorf("too many open files")}, failure{history.ErrDial, true}},
		{"end", ended, context.Canceled, failure{history.ErrEnd, true}},
	}
	for _, tt := range tests {
		if got := (failure{classOfDial(tt.ctx, tt.err), true}); got != tt.want {
			t.Errorf("classOfDial(%s): got %v, want %v", tt.name, got, tt.want)
		}
	}
	p := &pool{address: "127.0.0.1:1"}
	if _, err := p.dial(background, time.Now().Add(-time.Second)); classOfDial(background, err) != history.ErrDialTimeout {
		t.Errorf("dial after the deadline: got %v, want a dial timeout", err)
	}
}

func TestConnectionsAreKeptAndDeadOnesAreNot(t *testing.T) {
	closed := make(chan struct{})
	var mu sync.Mutex
	conns := map[int]int{}
	c := peer(t, func(n int, c *net.TCPConn) {
		requests := 0
		in := bufio.NewReader(c)
		for n > 0 || requests < 2 { // the first connection is closed while idle after its second answer
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			requests++
			mu.Lock()
			conns[n]++
			mu.Unlock()
			io.WriteString(c, say(201, "application/json", goodBooking))
		}
		c.Close()
		close(closed)
	})
	for i := range 2 {
		if a := book(c, long); a.Outcome != history.Ok {
			t.Fatalf("Book %d: got %+v", i, a)
		}
	}
	<-closed
	for i := range 2 {
		if a := book(c, long); a.Outcome != history.Ok || a.Sent.IsZero() {
			t.Errorf("Book %d after the close: got %+v, want ok on a new connection", i, a)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if conns[0] != 2 || conns[1] != 2 {
		t.Errorf("requests by connection: got %v, want 2 and 2", conns)
	}
}

func TestIdleConnectionThatDiesInTheAnswerIsUnknown(t *testing.T) {
	c := peer(t, func(_ int, c *net.TCPConn) {
		in := bufio.NewReader(c)
		for i := range 2 {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			if i == 0 {
				io.WriteString(c, say(201, "application/json", goodBooking))
			}
		}
		c.SetLinger(0)
	})
	book(c, long)
	if a := book(c, long); a.Outcome != history.Unknown || a.Error != history.ErrReset {
		t.Errorf("Book: got %+v, want unknown reset, never a second try", a)
	}
}

// deadConn takes no byte.
type deadConn struct{ net.Conn }

func (deadConn) Write([]byte) (int, error)   { return 0, net.ErrClosed }
func (deadConn) SetDeadline(time.Time) error { return nil }
func (deadConn) Close() error                { return nil }

func TestDeadIdleConnectionThatTakesNothing(t *testing.T) {
	c := peer(t, func(_ int, c *net.TCPConn) {
		readRequest(c)
		io.WriteString(c, say(201, "application/json", goodBooking))
	})
	c.replicas[0].put(newConn(deadConn{}))
	if a := book(c, long); a.Outcome != history.Ok || a.Sent.IsZero() {
		t.Errorf("Book: got %+v, want ok on a new connection", a)
	}
}

func TestEndOfTheRun(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	c := peer(t, func(_ int, c *net.TCPConn) {
		readRequest(c)
		end()
		io.Copy(io.Discard, c)
	})
	a := c.Book(ctx, 0, visitor, "main", "key-1", 2, long)
	if a.Outcome != history.Unfinished || a.Error != history.ErrEnd {
		t.Errorf("Book: got %+v, want unfinished end", a)
	}
}

func TestRequests(t *testing.T) {
	type seen struct {
		line, auth, key, from, kind, body string
	}
	ctx := context.Background()
	tests := []struct {
		name   string
		do     func(c *Client) target.Answer
		answer string
		want   seen
		check  func(a target.Answer) bool
	}{
		{
			"login", func(c *Client) target.Answer { return c.Login(ctx, 0, visitor, long) },
			say(201, "application/json", `{"token":"t-9"}`),
			seen{"POST /v1/sessions", "", "", "10.1.2.3", "application/json", `{"account":"a-1","expires":99,"proof":"proof-of-a-1"}`},
			func(a target.Answer) bool { return a.Outcome == history.Ok && a.Session == "t-9" },
		},
		{
			"bad login", func(c *Client) target.Answer {
				return c.Login(ctx, 0, target.Visitor{Account: "a-1", BadProof: true}, long)
			},
			say(403, problemType, `{"type":"bad-proof"}`),
			seen{"POST /v1/sessions", "", "", "", "application/json", `{"account":"a-1","expires":99,"proof":"bm90LWEtcHJvb2Y"}`},
			func(a target.Answer) bool { return a.Outcome == history.Refused && a.Problem == history.BadProof },
		},
		{
			"login without a token", func(c *Client) target.Answer { return c.Login(ctx, 0, visitor, long) },
			say(201, "application/json", `{}`),
			seen{"POST /v1/sessions", "", "", "10.1.2.3", "application/json", `{"account":"a-1","expires":99,"proof":"proof-of-a-1"}`},
			func(a target.Answer) bool { return a.Outcome == history.Unknown && a.Error == history.ErrProtocol },
		},
		{
			"look", func(c *Client) target.Answer { return c.Look(ctx, 0, visitor, "a/b", long) },
			say(200, "application/json", `{"state":"scheduled","opens_in_ms":1500}`),
			seen{"GET /v1/sales/a%2Fb", "Bearer s-1", "", "10.1.2.3", "", ""},
			func(a target.Answer) bool { return a.Outcome == history.Ok && a.Opens == 1500*time.Millisecond },
		},
		{
			"book", func(c *Client) target.Answer { return book(c, long) },
			say(201, "application/json", goodBooking),
			seen{"POST /v1/sales/main/bookings", "Bearer s-1", "key-1", "10.1.2.3", "application/json", `{"quantity":2}`},
			func(a target.Answer) bool { return a.Booking == 7 && a.Quantity == 2 && a.Path == history.PathDB },
		},
		{
			"cancel", func(c *Client) target.Answer { return c.Cancel(ctx, 0, visitor, 7, long) },
			say(200, "application/json", strings.Replace(goodBooking, "live", "cancelled", 1)),
			seen{"DELETE /v1/bookings/7", "Bearer s-1", "", "10.1.2.3", "", ""},
			func(a target.Answer) bool { return a.Outcome == history.Ok && a.Booking == 7 && a.Version == 5 },
		},
		{
			"cancel that did nothing", func(c *Client) target.Answer { return c.Cancel(ctx, 0, visitor, 7, long) },
			say(200, "application/json", goodBooking),
			seen{"DELETE /v1/bookings/7", "Bearer s-1", "", "10.1.2.3", "", ""},
			func(a target.Answer) bool { return a.Outcome == history.Unknown && a.Error == history.ErrProtocol },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := make(chan seen, 1)
			c := peer(t, func(_ int, c *net.TCPConn) {
				r, body := readRequest(c)
				got <- seen{r.Method + " " + r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), r.Header.Get("X-Forwarded-For"), r.Header.Get("Content-Type"), body}
				io.WriteString(c, tt.answer)
			})
			if a := tt.do(c); !tt.check(a) {
				t.Errorf("answer: got %+v", a)
			}
			if s := <-got; s != tt.want {
				t.Errorf("request:\n got %+v\nwant %+v", s, tt.want)
			}
		})
	}
}

func TestRetryAfterIsBounded(t *testing.T) {
	for _, header := range []string{"-1", "0", "1e9", "99999999999999", "soon"} {
		c := peer(t, func(_ int, c *net.TCPConn) {
			readRequest(c)
			io.WriteString(c, say(429, problemType, `{"type":"rate-limited","retry_after_ms":-5}`, "Retry-After: "+header))
		})
		if a := book(c, long); a.RetryAfter != 0 || a.Problem != history.RateLimited {
			t.Errorf("Retry-After %q: got %v %v, want none", header, a.RetryAfter, a.Problem)
		}
	}
}
