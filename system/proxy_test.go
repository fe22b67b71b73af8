package system_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy forwards TCP to a server until it is cut: then every connection dies and new ones are refused.
type proxy struct {
	url      string // the server's URL with the proxy's address
	listener net.Listener

	mu    sync.Mutex
	conns []net.Conn
	wg    sync.WaitGroup
}

// newProxy stands in front of a redis:// URL.
func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	upstream := u.Host
	u.Host = l.Addr().String()
	p := &proxy{url: u.String(), listener: l}
	p.wg.Go(func() { p.accept(upstream) })
	t.Cleanup(p.cut)
	return p
}

func (p *proxy) accept(upstream string) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", upstream)
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.wg.Go(func() { pipe(server, client) })
		p.wg.Go(func() { pipe(client, server) })
	}
}

func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from) // ends with either side
	to.Close()
	from.Close()
}

// cut ends the proxy for good.
func (p *proxy) cut() {
	p.listener.Close()
	p.mu.Lock()
	for _, c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.wg.Wait()
}
