package crowd

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatecrash/sim/history"
	"gatecrash/sim/retry"
)

func heardOf(t *rapid.T, s Step) Heard {
	h := Heard{Now: s.At + time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "took")), Outcome: history.Outcome(rapid.IntRange(1, 4).Draw(t, "outcome")), Booking: 7}
	if h.Outcome != history.Ok {
		h.Problem = history.Problem(rapid.IntRange(0, int(history.ProblemOther)).Draw(t, "problem"))
		h.RetryAfter = time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "retry after"))
	}
	return h
}

// TestMindKeepsItsPromises: whatever a visitor hears, its steps go forward in time, stay within patience and attempts, carry the right identity, and end.
func TestMindKeepsItsPromises(t *testing.T) {
	p := planOf(t, mixed)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, p.Len()-1).Draw(t, "visitor")
		m := NewMind(p, i, retry.NewBudget(rapid.SampledFrom([]float64{-1, 0, 0.5}).Draw(t, "budget")))
		v, crowd := p.Visitor(i), &p.Scenario().Crowds[p.Visitor(i).Crowd]
		deadline := max(v.Arrive, v.ActAt) + crowd.Patience
		s, booked := m.First(), false
		var last history.Outcome
		attempts := map[uint64]uint8{}
		for n := 0; s.Op != 0; n++ {
			if n > 4*crowd.Retry.Attempts*(crowd.Retry.Attempts+2) {
				t.Fatalf("visitor %d does not leave", i)
			}
			h := heardOf(t, s)
			checkStep(t, p, s, attempts)
			if !booked && s.At > deadline {
				t.Fatalf("%v at %v, after the end of the patience at %v", s.Op, s.At, deadline)
			}
			booked = booked || s.Op == history.OpBook && h.Outcome == history.Ok
			last = h.Outcome
			if s = m.Next(h); s.At < h.Now {
				t.Fatalf("step at %v, answered at %v", s.At, h.Now)
			}
		}
		if booked != (s.Ending == Booked) || s.Ending == Unfinished || s.Ending == RefusedFinal && last != history.Refused {
			t.Fatalf("ending %d; booked %v, last answer %v", s.Ending, booked, last)
		}
	})
}

func checkStep(t *rapid.T, p *Plan, s Step, attempts map[uint64]uint8) {
	if int(s.Account) >= p.Accounts() || int(s.Address) >= p.Addresses() || s.Timeout <= 0 || s.Attempt == 0 {
		t.Fatalf("step without an identity, a timeout or a number: %+v", s)
	}
	if s.Op != history.OpBook {
		return
	}
	intent, err := p.ParseKey(s.Key)
	if err != nil || intent != s.Intent || p.IntentAccount(intent) != s.Account || s.Quantity < 1 {
		t.Fatalf("booking under a wrong name: %+v, %v", s, err)
	}
	if attempts[intent]++; attempts[intent] != s.Attempt {
		t.Fatalf("request %d of intent %#x says it is request %d", attempts[intent], intent, s.Attempt)
	}
}

// TestMindIsAFunctionOfItsAnswers: the same answers give the same steps.
func TestMindIsAFunctionOfItsAnswers(t *testing.T) {
	p := planOf(t, mixed)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, p.Len()-1).Draw(t, "visitor")
		one, two := NewMind(p, i, nil), NewMind(p, i, nil)
		a, b := one.First(), two.First()
		for a.Op != 0 {
			if a != b {
				t.Fatalf("steps %+v and %+v", a, b)
			}
			h := heardOf(t, a)
			a, b = one.Next(h), two.Next(h)
		}
		if a != b {
			t.Fatalf("endings %+v and %+v", a, b)
		}
	})
}

var _ Budget = (*retry.Budget)(nil)
