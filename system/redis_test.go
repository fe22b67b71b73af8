package system

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
)

// fakeRedis answers CONFIG GET with the reply given, and an error to everything else.
func fakeRedis(t *testing.T, reply string) string {
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
			go answer(conn, reply)
		}
	}()
	return "redis://" + l.Addr().String() + "/0"
}

func answer(conn net.Conn, reply string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		var n, size int
		if _, err := fmt.Fscanf(in, "*%d\r\n", &n); err != nil {
			return
		}
		var words []string
		for range n {
			if _, err := fmt.Fscanf(in, "$%d\r\n", &size); err != nil {
				return
			}
			word := make([]byte, size+2)
			if _, err := io.ReadFull(in, word); err != nil {
				return
			}
			words = append(words, strings.ToLower(string(word[:size])))
		}
		out := "-ERR unknown command\r\n"
		if words[0] == "config" {
			out = reply
		}
		if _, err := io.WriteString(conn, out); err != nil {
			return
		}
	}
}

func TestEvictingRedisIsRefused(t *testing.T) {
	policy := func(p string) string { return fmt.Sprintf("*2\r\n$16\r\nmaxmemory-policy\r\n$%d\r\n%s\r\n", len(p), p) }
	tests := []struct {
		name  string
		reply string
		want  string // part of the refusal; empty: taken
	}{
		{"noeviction", policy("noeviction"), ""},
		{"allkeys-lru", policy("allkeys-lru"), `"allkeys-lru", want noeviction`},
		{"volatile-ttl", policy("volatile-ttl"), `"volatile-ttl", want noeviction`},
		{"may not be asked", "-NOPERM this user has no permissions to run the 'config' command\r\n", ""},
		{"does not know", "*0\r\n", ""},
	}
	for _, tt := range tests {
		for _, role := range []string{"gate_url", "session_url"} {
			s := System{cfg: sound(), log: slog.New(slog.DiscardHandler)}
			s.cfg.GateURL, s.cfg.SessionURL = fakeRedis(t, policy("noeviction")), fakeRedis(t, policy("noeviction"))
			if role == "gate_url" {
				s.cfg.GateURL = fakeRedis(t, tt.reply)
			} else {
				s.cfg.SessionURL = fakeRedis(t, tt.reply)
			}
			err := s.checkRedis(t.Context())
			if (err == nil) != (tt.want == "") || (err != nil && (!strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), role))) {
				t.Errorf("%s at %s: checkRedis() = %v; want %q", tt.name, role, err, tt.want)
			}
		}
	}
}
