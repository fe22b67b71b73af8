package crowd

import (
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/scenario"
)

func planOf(t testing.TB, text string) *Plan {
	t.Helper()
	sc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatalf("Parse:\n%v", err)
	}
	p, err := NewPlan(sc, sc.Seed)
	if err != nil {
		t.Fatalf("NewPlan: %v", err)
	}
	return p
}

const small = `
version: 1
name: small
sale: {capacity: 10, opens_after: 1s}
crowds:
  - {name: fans, visitors: 100, arrive: {shape: flash, at_open: 50%}, think: 100ms, cancel: 50%}
`

func TestHappyPath(t *testing.T) {
	p := planOf(t, small)
	for i := range p.Len() {
		m := NewMind(p, i, nil)
		v := m.Visitor()
		s := m.First()
		if s.Op != history.OpLogin || s.At != v.Arrive {
			t.Fatalf("First() = %+v, want a log-in at %v", s, v.Arrive)
		}
		s = m.Next(Heard{Now: s.At + time.Millisecond, Outcome: history.Ok})
		if s.Op != history.OpBook || s.At < v.ActAt || p.Key(s.Intent) != s.Key {
			t.Fatalf("after log-in: %+v, want a booking at or after %v", s, v.ActAt)
		}
		s = m.Next(Heard{Now: s.At + time.Millisecond, Outcome: history.Ok, Booking: 7})
		if v.Cancels {
			if s.Op != history.OpCancel || s.Booking != 7 {
				t.Fatalf("after booking: %+v, want a cancel of 7", s)
			}
			s = m.Next(Heard{Now: s.At, Outcome: history.Ok})
		}
		if s.Op != 0 || s.Ending != Booked {
			t.Fatalf("at the end: %+v, want Booked", s)
		}
	}
}
