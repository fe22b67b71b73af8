package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gatecrash/system/booking"
)

func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	tests := []struct {
		name      string
		peer      string
		forwarded []string
		want      string
	}{
		{"no proxy", "192.0.2.1:5", nil, "192.0.2.1"},
		{"header of a stranger", "192.0.2.1:5", []string{"198.51.100.1"}, "192.0.2.1"},
		{"one proxy", "10.0.0.1:5", []string{"198.51.100.1"}, "198.51.100.1"},
		{"two proxies", "10.0.0.1:5", []string{"198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"two headers", "10.0.0.1:5", []string{"198.51.100.1", "10.0.0.2"}, "198.51.100.1"},
		{"client lies to the left", "10.0.0.1:5", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		{"no header", "10.0.0.1:5", nil, "10.0.0.1"},
		{"rubbish", "10.0.0.1:5", []string{"rubbish"}, "10.0.0.1"},
		{"all trusted", "10.0.0.1:5", []string{"10.0.0.3"}, "10.0.0.3"},
		{"IPv6 counts by /64", "[2001:db8:1:2:3:4:5:6]:5", nil, "2001:db8:1:2::/64"},
		{"IPv6 proxy", "[::1]:5", []string{"2001:db8::1"}, "2001:db8::/64"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:5", nil, "192.0.2.1"},
		{"no peer", "", nil, "unknown"},
	}
	for _, tt := range tests {
		if got := clientAddress(tt.peer, tt.forwarded, proxies); got != tt.want {
			t.Errorf("%s: clientAddress(%q, %q) = %q; want %q", tt.name, tt.peer, tt.forwarded, got, tt.want)
		}
	}
}

func TestCacheReadsOnceForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		c := newCache(func(context.Context, string) (booking.Sale, error) {
			time.Sleep(10 * time.Millisecond)
			return booking.Sale{ID: "s", State: booking.Scheduled, Version: reads.Add(1)}, nil
		}, time.Second)
		answers := make(chan int64, 50)
		for range 50 {
			go func() {
				s, _ := c.get(t.Context(), "s")
				answers <- s.Version
			}()
		}
		for range 50 {
			if v := <-answers; v != 1 {
				t.Errorf("version %d told; want 1", v)
			}
		}
		time.Sleep(cacheFor - 10*time.Millisecond) // exactly cacheFor after the read began
		if s, _ := c.get(t.Context(), "s"); s.Version != 2 {
			t.Errorf("after %v version %d told; want a new read", cacheFor, s.Version)
		}
	})
}

func TestHintDoesNotWaitForAnOpenSale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		state := booking.Open
		c := newCache(func(context.Context, string) (booking.Sale, error) {
			if reads.Add(1) > 1 {
				time.Sleep(50 * time.Millisecond)
			}
			return booking.Sale{State: state}, nil
		}, time.Second)
		_, _ = c.hint(t.Context(), "s")
		time.Sleep(time.Second)
		state = booking.Paused
		began := time.Now()
		for range 20 {
			if s, err := c.hint(t.Context(), "s"); err != nil || s.State != booking.Open {
				t.Fatalf("hint = %v, %v; want what was last seen", s, err)
			}
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("20 hints waited %v; want none to wait", waited)
		}
		c.close()
		if n := reads.Load(); n != 2 {
			t.Errorf("%d reads; want one more than the first", n)
		}
		if s, _ := c.hint(t.Context(), "s"); s.State != booking.Paused {
			t.Errorf("hint after the read = %v; want paused", s.State)
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(func(_ context.Context, sale string) (booking.Sale, error) {
		if sale == "real" {
			return booking.Sale{ID: sale}, nil
		}
		return booking.Sale{}, booking.ErrUnknownSale
	}, time.Second)
	for i := range 3 * cacheMost {
		if _, err := c.get(t.Context(), fmt.Sprint("guess-", i)); !errors.Is(err, booking.ErrUnknownSale) {
			t.Fatalf("get of a guess = %v; want unknown sale", err)
		}
		if s, err := c.get(t.Context(), "real"); err != nil || s.ID != "real" {
			t.Fatalf("get(real) = %v, %v; want it", s, err)
		}
	}
	if n := len(c.entries); n > cacheMost {
		t.Errorf("%d names remembered; want at most %d", n, cacheMost)
	}
}
