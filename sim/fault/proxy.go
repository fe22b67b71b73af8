package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Proxy is a TCP proxy on a fixed loopback port. While cut it resets every connection: those it had, and new ones as soon as they are accepted.
type Proxy struct {
	upstream string
	listener net.Listener
	stop     context.CancelFunc // of dials to the upstream
	wait     sync.WaitGroup

	mu    sync.Mutex
	isCut bool
	pairs map[*pair]bool

	accepted, cut, refused, toServer, toClient atomic.Int64
}

// Counts of a proxy since it started.
type Counts struct {
	Accepted int64 // connections passed on
	Cut      int64 // connections reset by a cut
	Refused  int64 // connections reset on arrival because of a cut
	ToServer int64 // bytes
	ToClient int64 // bytes
}

type pair struct{ client, server *net.TCPConn }

// NewProxy listens on a free port of 127.0.0.1 and passes connections on to upstream, host:port.
func NewProxy(ctx context.Context, upstream string) (*Proxy, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the proxy of %s: %w", upstream, err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &Proxy{upstream: upstream, listener: l, stop: stop, pairs: map[*pair]bool{}}
	p.wait.Go(func() { p.accept(ctx) })
	return p, nil
}

// Addr is host:port of the proxy; it never changes.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Cut resets all connections, and new ones until Heal.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut = true
	for pr := range p.pairs {
		p.cut.Add(1)
		pr.reset()
	}
}

// Heal lets connections pass again.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isCut = false
}

// Try reports whether a new connection is passed on: it dials the proxy and waits for the server's side to be there.
func (p *Proxy) Try(ctx context.Context) error {
	before := p.accepted.Load()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", p.Addr())
	if err != nil {
		return fmt.Errorf("dial the proxy of %s: %w", p.upstream, err)
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetReadDeadline(deadline); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1)) // the server says nothing unasked: only a reset or the deadline ends this
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() && p.accepted.Load() > before {
		return nil
	}
	return fmt.Errorf("a connection through the proxy of %s ends: %w", p.upstream, err)
}

// Counts gives the counters.
func (p *Proxy) Counts() Counts {
	return Counts{
		Accepted: p.accepted.Load(), Cut: p.cut.Load(), Refused: p.refused.Load(),
		ToServer: p.toServer.Load(), ToClient: p.toClient.Load(),
	}
}

// Close ends the proxy and waits for its goroutines.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.stop()
	p.mu.Lock()
	p.isCut = true
	for pr := range p.pairs {
		pr.reset()
	}
	p.mu.Unlock()
	p.wait.Wait()
	return err
}

func (p *Proxy) accept(ctx context.Context) {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		p.wait.Go(func() { p.serve(ctx, conn.(*net.TCPConn)) })
	}
}

func (p *Proxy) serve(ctx context.Context, client *net.TCPConn) {
	if p.refuse(client) {
		return
	}
	var d net.Dialer
	up, err := d.DialContext(ctx, "tcp", p.upstream)
	if err != nil {
		reset(client)
		return
	}
	pr := &pair{client: client, server: up.(*net.TCPConn)}
	if !p.join(pr) {
		return
	}
	defer p.leave(pr)
	var both sync.WaitGroup
	both.Go(func() { pr.pass(pr.server, pr.client, &p.toServer) })
	both.Go(func() { pr.pass(pr.client, pr.server, &p.toClient) })
	both.Wait()
}

func (p *Proxy) refuse(client *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isCut {
		p.refused.Add(1)
		reset(client)
	}
	return p.isCut
}

func (p *Proxy) join(pr *pair) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isCut {
		p.refused.Add(1)
		pr.reset()
		return false
	}
	p.accepted.Add(1)
	p.pairs[pr] = true
	return true
}

func (p *Proxy) leave(pr *pair) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pairs, pr)
	pr.client.Close()
	pr.server.Close()
}

// pass copies until one side ends, then tells the other.
func (pr *pair) pass(to, from *net.TCPConn, count *atomic.Int64) {
	n, err := io.Copy(to, from)
	count.Add(n)
	if err != nil {
		pr.reset()
		return
	}
	if to.CloseWrite() != nil {
		pr.reset()
	}
}

func (pr *pair) reset() {
	reset(pr.client)
	reset(pr.server)
}

// reset closes with RST instead of FIN. A connection that is closed already stays closed.
func reset(c *net.TCPConn) {
	if c.SetLinger(0) == nil {
		c.Close()
	}
}
