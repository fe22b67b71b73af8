package ledger_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// cut is what the proxy does at a moment chosen by the client's Sync messages, each of which ends one round trip.
type cut struct {
	at      int  // the at-th Sync after arming; 1-based
	deliver bool // whether the server still gets that round trip, and answers it into the void
}

// proxy stands between a ledger and Postgres, and cuts connections.
type proxy struct {
	upstream string
	listener net.Listener
	conns    sync.WaitGroup

	mu    sync.Mutex
	armed *cut
	seen  int
}

// startProxy gives a proxy in front of the database at address, and the address that leads through it.
func startProxy(t *testing.T, address string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{upstream: u.Host, listener: l}
	p.conns.Go(p.accept)
	t.Cleanup(func() { _ = l.Close(); p.conns.Wait() })
	u.Host = l.Addr().String()
	return p, u.String()
}

func (p *proxy) arm(c cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.seen = &c, 0
}

// sync counts a Sync and says whether it is the one to cut at; a cut happens once.
func (p *proxy) sync() (now, deliver bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.armed == nil {
		return false, false
	}
	if p.seen++; p.seen != p.armed.at {
		return false, false
	}
	deliver = p.armed.deliver
	p.armed = nil
	return true, deliver
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.upstream)
		if err != nil {
			_ = client.Close()
			return
		}
		answers := make(chan struct{}) // closed: answers go nowhere
		p.conns.Go(func() { defer client.Close(); defer server.Close(); p.forward(client, server, answers) })
		p.conns.Go(func() { defer client.Close(); defer server.Close(); backward(client, server, answers) })
	}
}

// forward copies the client's messages, one whole round trip at a time. The first has no type; 'S' is Sync.
func (p *proxy) forward(client io.Reader, server net.Conn, answers chan struct{}) {
	var trip []byte
	for first := true; ; first = false {
		msg, err := readMessage(client, first)
		if err != nil {
			return
		}
		if trip = append(trip, msg...); !first && strings.IndexByte("PBDEC", msg[0]) >= 0 {
			continue // Parse, Bind, Describe, Execute, Close: a Sync follows
		}
		if !first && msg[0] == 'S' {
			if now, deliver := p.sync(); now {
				if !deliver {
					return
				}
				close(answers)
			}
		}
		if _, err := server.Write(trip); err != nil {
			return
		}
		trip = trip[:0]
	}
}

func readMessage(r io.Reader, first bool) ([]byte, error) {
	head := 5
	if first {
		head = 4
	}
	msg := make([]byte, head)
	if _, err := io.ReadFull(r, msg); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(msg[head-4:])-4)
	_, err := io.ReadFull(r, body)
	return append(msg, body...), err
}

// backward copies the server's answers until they go nowhere: then it waits for the server to have answered all, and ends both sides.
func backward(client, server net.Conn, answers <-chan struct{}) {
	for {
		msg, err := readMessage(server, false)
		if err != nil {
			return
		}
		select {
		case <-answers:
			if msg[0] == 'Z' { // ReadyForQuery: the round trip was executed
				return
			}
		default:
			if _, err := client.Write(msg); err != nil {
				return
			}
		}
	}
}
