package backend

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"
)

// isLoopback tells whether the host is this machine under all of its addresses; the error says why not. A path is a unix socket.
func isLoopback(ctx context.Context, host string) error {
	if strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil {
		return loopbackIP(host, ip)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	found, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return fmt.Errorf("resolve host %q: %w", host, err)
	}
	for _, each := range found {
		if err := loopbackIP(host, each.IP); err != nil {
			return err
		}
	}
	return nil
}

func loopbackIP(host string, ip net.IP) error {
	if !ip.IsLoopback() {
		return fmt.Errorf("host %q (%s): %w", host, ip, ErrOffLoopback)
	}
	return nil
}
