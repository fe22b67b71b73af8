package backend

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
)

func TestHeldPort(t *testing.T) {
	held, err := holdPort(0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.release()
	address := fmt.Sprintf("127.0.0.1:%d", held.port)

	if other, err := holdPort(held.port); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("holdPort(held port) = %v, %v, want EADDRINUSE", other, err)
	}
	if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dial held port: got %v, want refused", err)
	}
	for round := range 3 { // a server may come, go and come again
		server, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatalf("round %d: listen on held port: %v", round, err)
		}
		if other, err := holdPort(held.port); err == nil {
			t.Errorf("holdPort(served port) = %v, want an error", other)
		}
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		server.Close()
	}
}
