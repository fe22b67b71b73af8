package system_test

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"gatecrash/system"
	"gatecrash/system/limiter"
)

func TestSale(t *testing.T) {
	t.Parallel()
	r := start(t, config(t))
	if a := r.operator("POST", "/sales", `{"id":"main","capacity":5,"per_account":3}`); a.Status != 201 {
		t.Fatalf("create = %v; want 201", a)
	}
	ann, bob := r.login("ann"), r.login("bob")
	want(t, "book before the opening", r.book(ann, "k0", 1), 409, "sale-not-open")
	r.operator("POST", "/sales/main/open", "")

	first := r.book(ann, "k1", 2)
	if first.Status != 201 || first.Quantity != 2 || first.Version != 1 || first.Path != "db" || first.State != "live" || first.ID == "" {
		t.Fatalf("book = %v; want 201, 2 seats at version 1", first)
	}
	again := r.book(ann, "k1", 2)
	if again.Status != 200 || again.Path != "replay" || again.ID != first.ID || again.Version != first.Version {
		t.Errorf("book again = %v; want 200 and the same booking", again)
	}
	want(t, "key reused", r.book(ann, "k1", 1), 422, "key-reused")
	want(t, "account limit", r.book(ann, "k2", 2), 409, "account-limit")
	if a := r.book(bob, "k1", 3); a.Status != 201 || a.Version != 2 {
		t.Errorf("the same key of another account = %v; want a booking at version 2", a)
	}
	if a := r.book(ann, "k3", 1); a.Type != "sold-out" && a.Type != "sold-out-for-now" {
		t.Errorf("book when all is sold = %v; want sold out", a)
	}
	if a := r.book(ann, "k1", 2); a.Status != 200 || a.ID != first.ID {
		t.Errorf("replay when all is sold = %v; want 200 and the booking", a)
	}
	if a := r.send("GET", "/v1/bookings/"+first.ID, ann, "", ""); a.Status != 200 || a.State != "live" {
		t.Errorf("get = %v; want 200, live", a)
	}
	want(t, "another's booking", r.send("GET", "/v1/bookings/"+first.ID, bob, "", ""), 404, "unknown-booking")
	want(t, "cancel another's booking", r.send("DELETE", "/v1/bookings/"+first.ID, bob, "", ""), 404, "unknown-booking")
	for range 2 {
		if a := r.send("DELETE", "/v1/bookings/"+first.ID, ann, "", ""); a.Status != 200 || a.State != "cancelled" || a.Version != first.Version {
			t.Errorf("cancel = %v; want 200, cancelled", a)
		}
	}
	eventually(t, "seats are back after a cancel", func() bool { return r.book(ann, "k4", 2).Status == 201 })
	eventually(t, "the sale shows no seat", func() bool { return r.send("GET", "/v1/sales/main", "", "", "").Free == 0 })
}

func TestSoldOutByTheTruthCarriesItsVersion(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.Gate.Enabled = false
	r := start(t, c)
	r.sale(1, 4)
	ann := r.login("ann")
	if a := r.book(ann, "k1", 1); a.Status != 201 {
		t.Fatalf("book = %v; want 201", a)
	}
	a := r.book(ann, "k2", 1)
	want(t, "book when all is sold", a, 409, "sold-out")
	if a.Version != 1 || !strings.Contains(a.text, `"free":0`) {
		t.Errorf("sold out = %v; want version 1 and 0 free", a)
	}
}

func TestBadInputChangesNothing(t *testing.T) {
	t.Parallel()
	r := start(t, config(t))
	r.sale(5, 5)
	ann := r.login("ann")
	eventually(t, "the gate is filled", func() bool { return strings.Contains(r.operator("GET", "/sales/main", "").text, `"present":true`) })
	before := r.operator("GET", "/sales/main", "")
	body := func(text string) answer { return r.send("POST", "/v1/sales/main/bookings", ann, "k", text) }
	for _, text := range []string{`{"quantity":0}`, `{"quantity":-1}`, `{"quantity":1e9}`, `{"quantity":99999999999999999999}`, `{"quantity":1.5}`, `{"quantity":"1"}`,
		`{"quantity":null}`, `{}`, ``, `[]`, `{"quantity":1`, `{"quantity":1}x`, `{"quantity":1,"quantity":1}`, `{"quantity":1,"x":1}`, `{"Quantity":1}`, "\x00"} {
		want(t, text, body(text), 400, "bad-request")
	}
	want(t, "oversized body", body(`{"quantity":1`+strings.Repeat(" ", 17<<10)+`}`), 413, "body-too-large")
	want(t, "bad session", r.book("x", "k", 1), 401, "session-unknown")
	want(t, "no session", r.book("", "k", 1), 401, "session-unknown")
	want(t, "no key", r.book(ann, "", 1), 400, "bad-request")
	want(t, "long key", r.book(ann, strings.Repeat("k", 129), 1), 400, "bad-request")
	want(t, "unknown sale", r.send("POST", "/v1/sales/none/bookings", ann, "k", `{"quantity":1}`), 404, "unknown-sale")
	if after := r.operator("GET", "/sales/main", ""); after.text != before.text {
		t.Errorf("sale and gate after bad input: %v; before: %v", after, before)
	}
}

func TestEverythingOfRedisDown(t *testing.T) {
	t.Parallel()
	c := config(t)
	p := newProxy(t, c.SessionURL)
	c.GateURL, c.SessionURL = p.url, p.url
	r := start(t, c)
	r.sale(5, 5)
	ann := r.login("ann")
	if a := r.book(ann, "k1", 1); a.Status != 201 {
		t.Fatalf("book = %v; want 201", a)
	}
	p.cut()
	for what, a := range map[string]answer{
		"book": r.book(ann, "k2", 1), "replay": r.book(ann, "k1", 1), "cancel": r.send("DELETE", "/v1/bookings/1", ann, "", ""), "login": r.tryLogin("bob"),
	} {
		want(t, what, a, 503, "dependency-down")
		if a.RetryAfter == "" || a.RetryMS == 0 {
			t.Errorf("%s = %v; want Retry-After", what, a)
		}
	}
	if a := r.operator("GET", "/sales/main", ""); !strings.Contains(a.text, `"free":4`) {
		t.Errorf("sale = %v; want 4 free: nothing was booked", a)
	}
	if a := r.send("GET", "/readyz", "", "", ""); a.Status != 503 || !strings.Contains(a.text, `"sessions":"down"`) || !strings.Contains(a.text, `"postgres":"ok"`) {
		t.Errorf("ready = %v; want 503 and sessions down", a)
	}
	if a := r.send("GET", "/healthz", "", "", ""); a.Status != 200 {
		t.Errorf("health = %v; want 200", a)
	}
	if a := r.send("GET", "/v1/sales/main", "", "", ""); a.Status != 200 {
		t.Errorf("look = %v; want 200: it needs no Redis", a)
	}
}

func TestOnlyTheGateDown(t *testing.T) {
	t.Parallel()
	c := config(t)
	p := newProxy(t, c.GateURL)
	c.GateURL = p.url
	r := start(t, c)
	r.sale(3, 5)
	ann := r.login("ann")
	p.cut()
	for i := range 3 {
		if a := r.book(ann, fmt.Sprint("k", i), 1); a.Status != 201 || a.Version != int64(i)+1 {
			t.Errorf("book without the gate = %v; want version %d", a, i+1)
		}
	}
	want(t, "sold out without the gate", r.book(ann, "k9", 1), 409, "sold-out")
	if a := r.send("GET", "/readyz", "", "", ""); a.Status != 200 || !strings.Contains(a.text, `"gate":"down"`) {
		t.Errorf("ready = %v; want 200 and the gate down", a)
	}
	if a := r.send("GET", "/metrics", "", "", ""); !strings.Contains(a.text, `gatecrash_events_total{event="fallback"} 4`) {
		t.Error("metrics do not count 4 fallbacks")
	}
}

func TestNoFallbackLeft(t *testing.T) {
	t.Parallel()
	c := config(t)
	p := newProxy(t, c.GateURL)
	c.GateURL, c.Gate.FallbackConcurrency = p.url, 0
	r := start(t, c)
	r.sale(3, 5)
	ann := r.login("ann")
	p.cut()
	a := r.book(ann, "k", 1)
	want(t, "book without gate and fallback", a, 503, "overloaded")
	if a.RetryAfter == "" {
		t.Errorf("book = %v; want Retry-After", a)
	}
}

func TestRedisComesBackEmpty(t *testing.T) {
	t.Parallel()
	c := config(t)
	r := start(t, c)
	r.sale(5, 5)
	ann := r.login("ann")
	if a := r.book(ann, "k1", 2); a.Status != 201 {
		t.Fatalf("book = %v; want 201", a)
	}
	forget(t, c)
	want(t, "book with a lost session", r.book(ann, "k2", 1), 401, "session-unknown")
	ann = r.login("ann")
	if a := r.book(ann, "k1", 2); a.Status != 200 || a.Path != "replay" {
		t.Errorf("replay = %v; want 200", a)
	}
	if a := r.book(ann, "k2", 1); a.Status != 201 {
		t.Errorf("book = %v; want 201", a)
	}
	eventually(t, "the gate shows what is free", func() bool {
		return strings.Contains(r.operator("GET", "/sales/main", "").text, `"present":true`) && strings.Contains(r.operator("GET", "/sales/main", "").text, `"avail":2,"debits":0`)
	})
}

// forget deletes every key of the test.
func forget(t *testing.T, c system.Config) {
	t.Helper()
	opt, err := redis.ParseURL(c.GateURL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(opt)
	defer client.Close()
	keys, err := client.Keys(t.Context(), c.Prefix+"*").Result()
	if err != nil || len(keys) == 0 {
		t.Fatalf("keys %q, %v; want some", keys, err)
	}
	if err := client.Del(t.Context(), keys...).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestLimiterAnswers429(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.Limits.Account = limiter.Rate{PerSec: 0.01, Burst: 2}
	r := start(t, c)
	r.sale(5, 5)
	ann := r.login("ann")
	r.book(ann, "k1", 1)
	r.book(ann, "k2", 1)
	a := r.book(ann, "k3", 1)
	want(t, "third request of a burst of 2", a, 429, "rate-limited")
	if seconds, err := strconv.ParseInt(a.RetryAfter, 10, 64); err != nil || seconds != (a.RetryMS+999)/1000 {
		t.Errorf("Retry-After %q with retry_after_ms %d; want it rounded up", a.RetryAfter, a.RetryMS)
	}
}

func TestMoreSeats(t *testing.T) {
	t.Parallel()
	r := start(t, config(t))
	r.sale(1, 5)
	ann := r.login("ann")
	r.book(ann, "k1", 1)
	for range 2 { // the second is the same change
		if a := r.send("POST", "/operator/v1/sales/main/seats", operatorKey, "more", `{"seats":2}`); a.Status != 200 || a.Free != 2 {
			t.Errorf("add seats = %v; want 2 free", a)
		}
	}
	if a := r.book(ann, "k2", 2); a.Status != 201 {
		t.Errorf("book the new seats = %v; want 201", a)
	}
	want(t, "withdraw what is booked", r.send("POST", "/operator/v1/sales/main/seats", operatorKey, "less", `{"seats":-1}`), 409, "capacity-in-use")
}

func TestPauseKeepsReplays(t *testing.T) {
	t.Parallel()
	r := start(t, config(t))
	r.sale(5, 5)
	ann := r.login("ann")
	first := r.book(ann, "k1", 1)
	r.operator("POST", "/sales/main/pause", "")
	want(t, "book while paused", r.book(ann, "k2", 1), 409, "sale-paused")
	if a := r.book(ann, "k1", 1); a.Status != 200 || a.ID != first.ID {
		t.Errorf("replay while paused = %v; want 200", a)
	}
	r.operator("POST", "/sales/main/resume", "")
	if a := r.book(ann, "k2", 1); a.Status != 201 {
		t.Errorf("book after resume = %v; want 201", a)
	}
	r.operator("POST", "/sales/main/close", "")
	want(t, "book when closed", r.book(ann, "k3", 1), 409, "sale-closed")
	want(t, "open what is closed", r.operator("POST", "/sales/main/open", ""), 409, "state-not-allowed")
}

func TestStartWithoutRedis(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.GateURL = "redis://" + refusing(t) + "/0"
	c.SessionURL = c.GateURL
	r := start(t, c)
	r.sale(5, 5)
	if a := r.send("GET", "/readyz", "", "", ""); a.Status != 503 {
		t.Errorf("ready = %v; want 503", a)
	}
	want(t, "login", r.tryLogin("ann"), 503, "dependency-down")
}

func TestStartWithoutPostgres(t *testing.T) {
	t.Parallel()
	c := config(t)
	c.PostgresURL = "postgres://u:s3cret@" + refusing(t) + "/d?sslmode=disable"
	c.Timeouts.Start = 300 * time.Millisecond
	_, err := system.Start(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "postgres did not answer within 300ms") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("Start() = %v; want that postgres did not answer, without the password", err)
	}
}

func TestStartOnATakenPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := config(t)
	c.Listen = l.Addr().String()
	if _, err := system.Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "listen") {
		t.Errorf("Start() = %v; want that it cannot listen", err)
	}
}

// refusing is an address where nothing listens.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
