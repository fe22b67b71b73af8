package fault

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

// script is a fault whose steps are told by a test.
type script struct {
	applyErr, verifyErr, revertErr error
	reverts                        atomic.Int64
	hang                           bool // apply waits for the end of the run
}

func (s *script) apply(ctx context.Context) error {
	if s.hang {
		<-ctx.Done()
		return errors.New("never came")
	}
	return s.applyErr
}
func (s *script) verify(context.Context) (string, error) { return "seen", s.verifyErr }
func (s *script) revert(context.Context) error {
	s.reverts.Add(1)
	return s.revertErr
}
func (s *script) verifyReverted(context.Context) (string, error) { return "over", nil }

// sale is a Progress told by a test.
type sale struct {
	sold   atomic.Int64 // percent
	opened atomic.Int64 // ns; 0: not yet
}

func (s *sale) SoldRatio() float64 { return float64(s.sold.Load()) / 100 }
func (s *sale) OpenedAt() (time.Duration, bool) {
	at := time.Duration(s.opened.Load())
	return at, at > 0
}

// start arms scripts under the plans of the same index.
func start(t *testing.T, p Progress, plans []scenario.Fault, scripts ...*script) *Schedule {
	t.Helper()
	zero := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	s := &Schedule{world: &World{Now: func() time.Duration { return time.Since(zero) }}, progress: p, stop: cancel}
	for i, f := range plans {
		s.active = append(s.active, &active{plan: f, fault: scripts[i], done: make(chan struct{}), window: result.FaultWindow{Name: f.Name}})
	}
	for _, a := range s.active {
		s.wait.Go(func() { s.carry(ctx, a) })
	}
	return s
}

func at(d time.Duration) scenario.Moment { return scenario.Moment{At: d, IsAt: true} }

func TestFaultLastsAsLongAsPlanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, &sale{}, []scenario.Fault{{Name: "a", When: at(time.Second), For: 3 * time.Second}}, &script{})
		time.Sleep(10 * time.Second)
		s.Heal()
		w := s.Windows()[0]
		if !w.Applied || !w.Healed || !w.Proven || !w.Reverted || strings.Join(w.Evidence, ",") != "seen,over" {
			t.Errorf("window = %+v", w)
		}
		if got := time.Duration(w.HealedNS - w.AppliedNS).Round(time.Second); got != 3*time.Second {
			t.Errorf("lasted %v, want 3s", got)
		}
		if got := time.Duration(w.AppliedNS).Round(100 * time.Millisecond); got != time.Second {
			t.Errorf("applied at %v, want 1s", got)
		}
	})
}

func TestMoments(t *testing.T) {
	after := time.Second
	cases := []struct {
		name string
		when scenario.Moment
		move func(*sale)
		want bool
	}{
		{"sold enough", scenario.Moment{Sold: 0.5}, func(s *sale) { s.sold.Store(50) }, true},
		{"not sold enough", scenario.Moment{Sold: 0.5}, func(s *sale) { s.sold.Store(49) }, false},
		{"after the opening", scenario.Moment{AfterOpen: &after}, func(s *sale) { s.opened.Store(int64(time.Second)) }, true},
		{"never opened", scenario.Moment{AfterOpen: &after}, func(*sale) {}, false},
		{"too late", at(time.Hour), func(*sale) {}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &sale{}
				s := start(t, p, []scenario.Fault{{Name: "a", When: c.when, For: time.Second}}, &script{})
				c.move(p)
				time.Sleep(10 * time.Second)
				s.Heal()
				if w := s.Windows()[0]; w.Applied != c.want {
					t.Errorf("applied = %v, want %v", w.Applied, c.want)
				}
			})
		})
	}
}

func TestAfterWaitsForTheOtherToHeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, &sale{}, []scenario.Fault{
			{Name: "first", When: at(0), For: 2 * time.Second},
			{Name: "second", When: scenario.Moment{After: "first"}, For: time.Second},
		}, &script{}, &script{})
		time.Sleep(10 * time.Second)
		s.Heal()
		w := s.Windows()
		if !w[1].Applied || w[1].AppliedNS < w[0].HealedNS {
			t.Errorf("second %+v, first %+v: want second after first healed", w[1], w[0])
		}
	})
}

func TestHealEndsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lasting, waiting := &script{}, &script{hang: true}
		s := start(t, &sale{}, []scenario.Fault{{Name: "lasting", When: at(0)}, {Name: "waiting", When: at(0)}}, lasting, waiting)
		time.Sleep(time.Second)
		s.Heal()
		w := s.Windows()
		if !w[0].Healed || !w[0].Reverted {
			t.Errorf("a lasting fault after Heal: %+v", w[0])
		}
		if w[1].Applied || !strings.Contains(w[1].Error, "never came") || waiting.reverts.Load() == 0 {
			t.Errorf("a fault that waits for its trigger after Heal: %+v, %d reverts", w[1], waiting.reverts.Load())
		}
	})
}

func TestFailuresAreWrittenDown(t *testing.T) {
	boom := errors.New("boom")
	cases := []struct {
		name    string
		script  *script
		error   string
		proven  bool
		healed  bool
		reverts int64
	}{
		{"apply fails", &script{applyErr: boom}, "apply: boom", false, false, 1},
		{"no evidence", &script{verifyErr: boom}, "verify: boom", false, true, 1},
		{"revert fails", &script{revertErr: boom}, "revert: boom", true, false, 3},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, &sale{}, []scenario.Fault{{Name: "a", When: at(0), For: time.Second}}, c.script)
				time.Sleep(5 * time.Second)
				s.Heal()
				w := s.Windows()[0]
				if !strings.HasPrefix(w.Error, c.error) || w.Proven != c.proven || w.Healed != c.healed || c.script.reverts.Load() != c.reverts {
					t.Errorf("window = %+v after %d reverts, want error %q, proven %v, healed %v, %d reverts", w, c.script.reverts.Load(), c.error, c.proven, c.healed, c.reverts)
				}
			})
		})
	}
}
