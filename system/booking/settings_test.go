package booking_test

import (
	"strings"
	"testing"
	"time"

	"gatecrash/system/booking"
)

func TestSettingsValidate(t *testing.T) {
	t.Parallel()
	good := booking.Settings{Lease: 5 * time.Second, Deadline: 2 * time.Second, GateBudget: 50 * time.Millisecond, RetryAfter: 500 * time.Millisecond}
	for _, c := range []struct {
		name            string
		change          func(*booking.Settings)
		lock, statement time.Duration
		want            string // comma-separated fields; empty: valid
	}{
		{"good", func(*booking.Settings) {}, 500 * time.Millisecond, time.Second, ""},
		{"lease just long enough", func(s *booking.Settings) { s.Lease = 3050*time.Millisecond + 1 }, time.Millisecond, time.Second, ""},
		{"lease of deadline, statement and budget", func(s *booking.Settings) { s.Lease = 3050 * time.Millisecond }, time.Millisecond, time.Second, "lease"},
		{"statement as long as the deadline", func(s *booking.Settings) { s.Lease = time.Minute }, time.Millisecond, 2 * time.Second, "deadline"},
		{"lock as long as the statement", func(*booking.Settings) {}, time.Second, time.Second, "lock_timeout"},
		{"no gate, no lease", func(s *booking.Settings) { *s = booking.Settings{GateOff: true, Deadline: s.Deadline} }, time.Millisecond, time.Second, ""},
		{"nothing", func(s *booking.Settings) { *s = booking.Settings{} }, 0, time.Second, "lock_timeout,deadline,gate_budget,retry_after,lease"},
	} {
		s := good
		c.change(&s)
		err := s.Validate(c.lock, c.statement)
		if (err == nil) != (c.want == "") {
			t.Errorf("%s: validate(%+v): got %v, want %q", c.name, s, err, c.want)
		}
		for field := range strings.SplitSeq(c.want, ",") {
			if c.want != "" && !strings.Contains(err.Error(), "service."+field+":") {
				t.Errorf("%s: validate(%+v): got %v, want %s reported", c.name, s, err, field)
			}
		}
	}
}
