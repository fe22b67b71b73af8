package fault

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

// echo is a server that answers each line with itself.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return l.Addr().String()
}

func newTestProxy(t *testing.T, upstream string) *Proxy {
	t.Helper()
	p, err := NewProxy(t.Context(), upstream)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	return conn
}

// sayNew dials and says a line. A reset may come as early as the dial.
func sayNew(p *Proxy, line string) (string, error) {
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	return say(conn, line)
}

func say(conn net.Conn, line string) (string, error) {
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		return "", err
	}
	return bufio.NewReader(conn).ReadString('\n')
}

func TestProxyPassesAndCounts(t *testing.T) {
	p := newTestProxy(t, echo(t))
	conn := dial(t, p)
	if got, err := say(conn, "hello"); err != nil || got != "hello\n" {
		t.Fatalf("say through the proxy: got %q, %v", got, err)
	}
	conn.Close()
	p.Close()
	if c := p.Counts(); c.Accepted != 1 || c.ToServer != 6 || c.ToClient != 6 || c.Cut != 0 {
		t.Errorf("Counts() = %+v, want 1 connection and 6 bytes each way", c)
	}
}

func TestCutResetsOldAndNewConnections(t *testing.T) {
	p := newTestProxy(t, echo(t))
	old := dial(t, p)
	if _, err := say(old, "before"); err != nil {
		t.Fatal(err)
	}
	p.Cut()
	if _, err := say(old, "cut"); err == nil {
		t.Error("a connection from before the cut still answers")
	}
	if _, err := sayNew(p, "new"); err == nil {
		t.Error("a connection made during the cut answers")
	} else if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.EOF) {
		t.Errorf("a connection made during the cut ends with %v, want a reset", err)
	}
	if c := p.Counts(); c.Cut != 1 || c.Refused != 1 {
		t.Errorf("Counts() = %+v, want 1 cut and 1 refused", c)
	}
	p.Heal()
	if got, err := sayNew(p, "after"); err != nil || got != "after\n" {
		t.Errorf("after Heal: got %q, %v", got, err)
	}
}

func TestTrySeesTheCut(t *testing.T) {
	p := newTestProxy(t, echo(t))
	try := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		return p.Try(ctx)
	}
	if err := try(); err != nil {
		t.Errorf("Try() of a healthy proxy: %v", err)
	}
	p.Cut()
	if err := try(); err == nil {
		t.Error("Try() during a cut: got nil, want an error")
	}
}

func TestProxyResetsWhenTheServerIsGone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := l.Addr().String()
	l.Close()
	if _, err := sayNew(newTestProxy(t, gone), "hello"); err == nil {
		t.Error("a connection to a server that is gone answers")
	}
}
