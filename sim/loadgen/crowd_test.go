package loadgen

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"gatecrash/sim/crowd"
	"gatecrash/sim/history"
	"gatecrash/sim/retry"
	"gatecrash/sim/scenario"
	"gatecrash/sim/target"
)

// real is a Plan made of a real crowd.
type real struct {
	*crowd.Plan
	budget *retry.Budget
}

func (p *real) Account(i uint32) string     { return p.AccountName(i) }
func (p *real) Address(i uint32) string     { return p.AddressName(i) }
func (p *real) Sale(i uint16) string        { return p.Scenario().Sales[i].Name }
func (p *real) BadLogin(uint16) bool        { return false }
func (p *real) Visit(v crowd.Visitor) Visit { return crowd.NewMind(p.Plan, int(v.Index), p.budget) }

// The engine plays a real crowd with its log-ins, pauses, retries and cancels, against a target that fails now and then.
func TestARealCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sc := &scenario.Scenario{
			Version: 1, Name: "t", Seed: 3, MaxDuration: time.Minute, Sales: []scenario.Sale{{Name: "main", Capacity: 100, PerAccount: 4}},
			Crowds: []scenario.Crowd{{
				Name: "fans", Sale: "main", Visitors: 400, Accounts: scenario.Pool{Mode: scenario.OnePerVisitor}, Addresses: scenario.Pool{Mode: scenario.OnePerVisitor},
				Arrive: scenario.Arrival{Shape: "constant", Rate: 100, For: 4 * time.Second}, Quantity: []scenario.Weight{{Quantity: 1, Share: 1}},
				Think: scenario.Spread{Median: 200 * time.Millisecond, P95: 400 * time.Millisecond}, Patience: 20 * time.Second, Timeout: time.Second,
				Retry:  scenario.Retry{Attempts: 5, Backoff: scenario.Backoff{Base: 100 * time.Millisecond, Factor: 2, Cap: time.Second, Jitter: "full"}, Key: "stable", Budget: -1},
				Cancel: 0.2, Login: scenario.LoginProof,
			}},
		}
		p, err := crowd.NewPlan(sc, sc.Seed)
		if err != nil {
			t.Fatal(err)
		}
		zero := time.Now()
		flaky := func(op history.Op, _ int, at time.Duration) (target.Answer, time.Duration) {
			if at > time.Second && at < 2*time.Second {
				return target.Answer{Outcome: history.Failed, Problem: history.Overloaded, Status: 503, Version: -1}, time.Millisecond
			}
			return ok(op, 0, at)
		}
		sink := &store{}
		e, err := New(Config{Plan: &real{p, retry.NewBudget(-1)}, Client: &memory{zero, 2, flaky}, Sink: sink, Zero: zero, MaxDuration: time.Minute, Pacer: NewTimerPacer()})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(context.Background())
		if err != nil || r.Why != CrowdDone || r.Visitors.Started != 400 || r.Visitors.Booked < 300 {
			t.Errorf("Run: got %q, %+v, %v", r.Why, r.Visitors, err)
		}
		ops := map[history.Op]int64{}
		for _, rec := range sink.records {
			ops[rec.Op]++
			if rec.Account != rec.Visitor {
				t.Errorf("account: got %d for visitor %d", rec.Account, rec.Visitor)
			}
		}
		if ops[history.OpLogin] < 400 || ops[history.OpBook] <= 400 || ops[history.OpCancel] == 0 {
			t.Errorf("requests: got %v, want log-ins, bookings with retries, cancels", ops)
		}
	})
}
