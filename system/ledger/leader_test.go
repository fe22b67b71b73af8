package ledger_test

import (
	"errors"
	"testing"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/ledger"
)

func candidate(t *testing.T, l *ledger.Ledger, idle time.Duration) *ledger.Leader {
	t.Helper()
	e := l.Leader("reconcile", idle)
	t.Cleanup(func() { e.Release(t.Context()) })
	return e
}

func wantLead(t *testing.T, name string, e *ledger.Leader, want bool) {
	t.Helper()
	if got, err := e.Hold(t.Context()); err != nil || got != want {
		t.Errorf("%s: hold: got %v, %v, want %v", name, got, err, want)
	}
}

func TestOneLeads(t *testing.T) {
	t.Parallel()
	l := open(t)
	a, b := candidate(t, l, time.Minute), candidate(t, l, time.Minute)
	wantLead(t, "first", a, true)
	wantLead(t, "second", b, false)
	wantLead(t, "first again", a, true)
	wantLead(t, "second again", b, false)
	a.Release(t.Context())
	wantLead(t, "second after the first's release", b, true)
	wantLead(t, "first after its release", a, false)
	wantLead(t, "in another schema", candidate(t, open(t), time.Minute), true)
}

// TestKilledSessionLosesTheLead ends the leader's session on the server.
func TestKilledSessionLosesTheLead(t *testing.T) {
	t.Parallel()
	l := open(t, func(cfg *ledger.Config) { cfg.Application = cfg.Schema })
	a := candidate(t, l, time.Minute)
	wantLead(t, "first", a, true)
	kill := "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND application_name = $1"
	if _, err := connect(t).Exec(t.Context(), kill, l.Config().Schema); err != nil {
		t.Fatal(err)
	}
	b := candidate(t, l, time.Minute)
	wantLead(t, "second", b, true)
	if leads, err := a.Hold(t.Context()); leads || !errors.Is(err, booking.ErrDependency) {
		t.Errorf("the killed leader: hold: got %v, %v, want %v", leads, err, booking.ErrDependency)
	}
	wantLead(t, "the killed leader, connected again", a, false)
}

// TestHungLeaderLosesTheLead never calls Hold again: the server ends its session.
func TestHungLeaderLosesTheLead(t *testing.T) {
	t.Parallel()
	l := open(t)
	wantLead(t, "first", candidate(t, l, 500*time.Millisecond), true)
	b := candidate(t, l, time.Minute)
	for range 1000 {
		leads, err := b.Hold(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if leads {
			return
		}
		if _, err := l.Pool().Exec(t.Context(), "SELECT pg_sleep(0.01)"); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("a leader that hangs: still leads")
}
