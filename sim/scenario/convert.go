package scenario

import (
	"fmt"
	"time"
)

// convert makes the Scenario of a form that has no fault.
func convert(w *walker, f *fileShape) *Scenario {
	sc := &Scenario{
		Version: f.Version, Name: f.Name, Question: f.Question, Seed: f.Seed, MaxDuration: time.Duration(f.MaxDuration),
		System: f.System.convert(), Verdict: Verdict(f.ExpectVerdict),
	}
	sales, _ := f.salesOf()
	for _, s := range sales {
		sc.Sales = append(sc.Sales, Sale{Name: s.Name, Capacity: s.Capacity, PerAccount: s.PerAccount, OpensAfter: time.Duration(s.OpensAfter)})
	}
	for i := range f.Crowds {
		sc.Crowds = append(sc.Crowds, f.Crowds[i].convert())
	}
	names := faultNames(f)
	for i := range f.Faults {
		sc.Faults = append(sc.Faults, f.Faults[i].convert(names[i]))
	}
	for i := range f.Expect {
		e := f.Expect[i].convert()
		at := w.find(fmt.Sprintf("expect[%d]", i))
		e.Line, e.Column = at.line, at.column
		sc.Expect = append(sc.Expect, e)
	}
	return sc
}

func (s *systemShape) convert() System {
	return System{
		Replicas:    s.Replicas,
		Commit:      Commit{Mode: s.Commit.Mode, Max: s.Commit.Max, AtOnce: s.Commit.AtOnce},
		Connections: s.Connections,
		Postgres:    ServerSettings(s.Postgres),
		Limiter:     Limiter{PerAccount: float64(s.Limiter.PerAccount), Burst: s.Limiter.Burst, PerAddress: float64(s.Limiter.PerAddress)},
		Timeouts:    Timeouts{Request: time.Duration(s.Timeouts.Request), Statement: time.Duration(s.Timeouts.Statement), Lock: time.Duration(s.Timeouts.Lock)},
		Gate: GateSettings{
			Enabled: s.Gate.Enabled, Lease: time.Duration(s.Gate.Lease), ReconcileEvery: time.Duration(s.Gate.ReconcileEvery),
			FallbackConcurrency: s.Gate.FallbackConcurrency, Budget: time.Duration(s.Gate.Budget),
		},
	}
}

func (c *crowdShape) convert() Crowd {
	return Crowd{
		Name: c.Name, Sale: c.Sale, Visitors: c.Visitors, Accounts: Pool(c.Accounts), Addresses: Pool(c.Addresses), Arrive: c.Arrive.convert(),
		Quantity: c.Quantity, Think: Spread(c.Think), Patience: time.Duration(c.Patience), Timeout: time.Duration(c.Timeout), Retry: c.Retry.convert(),
		Cancel: float64(c.Cancel), Login: Login(c.Login),
	}
}

func (a *arriveShape) convert() Arrival {
	all := Arrival{Shape: a.Shape, Delay: time.Duration(a.Delay)}
	switch a.Shape {
	case "flash":
		all.AtOpen, all.Reaction, all.Tau = float64(a.AtOpen), Spread(a.Reaction), time.Duration(a.Tau)
	case "stages":
		all.Stages = a.stages()
	default:
		all.Rate, all.For, all.From, all.To = float64(a.Rate), time.Duration(a.For), float64(a.From), float64(a.To)
	}
	return all
}

func (r *retryShape) convert() Retry {
	b := r.Backoff
	return Retry{
		Attempts: r.Attempts, HonourRetryAfter: r.HonourRetryAfter, Key: r.Key, Budget: float64(r.Budget),
		Backoff: Backoff{Base: time.Duration(b.Base), Factor: b.Factor, Cap: time.Duration(b.Cap), Jitter: b.Jitter},
	}
}

func (f *faultShape) convert(name string) Fault {
	one := Fault{
		Name: name, Inject: f.Inject, For: time.Duration(f.For), Replica: f.Replica, Point: f.Point, RestartAfter: time.Duration(f.RestartAfter),
		Sale: f.Sale, Seats: f.Seats, Delay: time.Duration(f.Delay),
	}
	if f.Inject == "api.crash" {
		one.Replica, one.Hit = max(f.Replica, 1), f.Hit
	}
	at := f.At
	if at == nil {
		at = f.When.At
	}
	if at != nil {
		one.When = Moment{At: time.Duration(*at), IsAt: true}
		return one
	}
	one.When = Moment{Sold: float64(f.When.Sold), AfterOpen: (*time.Duration)(f.When.AfterOpen), After: f.When.After}
	return one
}

func (e *expectShape) convert() Expectation {
	var all Expectation
	if r := e.Recovery; r != nil {
		all.Recovery = &RecoveryExpect{Of: r.Of, Within: time.Duration(r.Within)}
	}
	all.ResponseTime, all.ServiceTime = e.ResponseTime.convert(), e.ServiceTime.convert()
	if d := e.GateDrift; d != nil {
		all.GateDrift = &DriftExpect{Final: d.Final, LeakFor: (*time.Duration)(d.LeakFor), SurplusFor: (*time.Duration)(d.SurplusFor), DebitFor: (*time.Duration)(d.DebitFor), MaxLeak: d.MaxLeak, MaxSurplus: d.MaxSurplus}
	}
	if g := e.Goodput; g != nil {
		all.Goodput = &GoodputExpect{AtLeast: float64(g.AtLeast), During: g.During}
	}
	if s := e.Sold; s != nil {
		all.Sold = &SoldExpect{AtLeast: float64(s.AtLeast)}
	}
	if o := e.Outcome; o != nil {
		all.Outcome = &OutcomeExpect{Of: o.Of, Outcome: o.Outcome, AtMost: float64(o.AtMost), During: o.During, MinN: o.MinSamples}
	}
	return all
}

func (t *timeShape) convert() *TimeExpect {
	if t == nil {
		return nil
	}
	return &TimeExpect{Of: t.fixed.Of, During: t.fixed.During, Bounds: t.bounds, MinN: t.samples()}
}
