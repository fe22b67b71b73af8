package httpclient

import (
	"bufio"
	"context"
	"net"
	"sync"
	"syscall"
	"time"
)

const (
	readBuffer  = 4096 // also the largest head of an answer
	writeBuffer = 1024
)

// conn is a connection that remembers what went over it in the present exchange.
type conn struct {
	net.Conn
	raw    syscall.RawConn // nil: cannot be looked at
	in     *bufio.Reader
	out    *bufio.Writer
	reused bool

	first   time.Time // when the first byte was handed over
	wrote   int       // bytes handed over
	readErr error     // the last error of reading
}

func newConn(c net.Conn) *conn {
	k := &conn{Conn: c}
	if s, ok := c.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			k.raw = raw
		}
	}
	k.in = bufio.NewReaderSize(readSide{k}, readBuffer)
	k.out = bufio.NewWriterSize(writeSide{k}, writeBuffer)
	return k
}

// begin prepares for another exchange.
func (c *conn) begin() {
	c.first, c.wrote, c.readErr = time.Time{}, 0, nil
}

type readSide struct{ *conn }

// Read implements io.Reader.
func (r readSide) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	if err != nil {
		r.readErr = err
	}
	return n, err
}

type writeSide struct{ *conn }

// Write implements io.Writer.
func (w writeSide) Write(p []byte) (int, error) {
	if w.first.IsZero() {
		w.first = time.Now()
	}
	n, err := w.Conn.Write(p)
	w.wrote += n
	return n, err
}

// pool keeps the idle connections to one replica; the last one used is taken first.
type pool struct {
	address string
	maxIdle int

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

// take gives an idle connection that is still alive, or nil.
func (p *pool) take() *conn {
	for {
		c := p.pop()
		if c == nil {
			return nil
		}
		if c.alive() {
			c.reused = true
			return c
		}
		_ = c.Close() // the peer has closed it; there is nothing to save
	}
}

func (p *pool) pop() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	return c
}

// put keeps a connection for later, or closes it.
func (p *pool) put(c *conn) {
	if !p.keep(c) {
		_ = c.Close()
	}
}

func (p *pool) keep(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= p.maxIdle {
		return false
	}
	p.idle = append(p.idle, c)
	return true
}

func (p *pool) dial(ctx context.Context, deadline time.Time) (*conn, error) {
	d := net.Dialer{Deadline: deadline, KeepAlive: -1} // a visit is shorter than any keep-alive probe
	c, err := d.DialContext(ctx, "tcp", p.address)
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		_ = c.Close()
	}
	p.idle = nil
}
