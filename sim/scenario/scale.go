package scenario

import (
	"math"
	"slices"
)

// Scale gives a copy with f times the visitors, seats and rates, each at least 1 where it was; durations stay. f must be above 0.
//
// Shared pools of accounts and addresses grow along, so that as many visitors as before share one, and the limits per account and address stay.
// The hit of a crash point counts bookings and grows along. Replicas, connections and concurrency belong to the machine and stay.
func (s *Scenario) Scale(f float64) *Scenario {
	c := *s
	c.Sales, c.Crowds, c.Faults, c.Expect = slices.Clone(s.Sales), slices.Clone(s.Crowds), slices.Clone(s.Faults), slices.Clone(s.Expect)
	for i := range c.Sales {
		c.Sales[i].Capacity = scaled(c.Sales[i].Capacity, f)
	}
	for i := range c.Crowds {
		c.Crowds[i].scale(f)
	}
	for i := range c.Faults {
		one := &c.Faults[i]
		one.Seats, one.Hit = scaled(one.Seats, f), scaled(one.Hit, f)
	}
	for i := range c.Expect {
		c.Expect[i].scale(f)
	}
	return &c
}

func (c *Crowd) scale(f float64) {
	c.Visitors = scaled(c.Visitors, f)
	c.Accounts, c.Addresses = c.Accounts.scaled(f), c.Addresses.scaled(f)
	c.Arrive.Rate, c.Arrive.From, c.Arrive.To = c.Arrive.Rate*f, c.Arrive.From*f, c.Arrive.To*f
	c.Arrive.Stages = slices.Clone(c.Arrive.Stages)
	for i := range c.Arrive.Stages {
		c.Arrive.Stages[i].Rate *= f
	}
}

func (p Pool) scaled(f float64) Pool {
	if p.Mode == Shared {
		p.N = scaled(p.N, f)
	}
	return p
}

func (e *Expectation) scale(f float64) {
	if e.Goodput != nil {
		e.Goodput = &GoodputExpect{AtLeast: e.Goodput.AtLeast * f, During: e.Goodput.During}
	}
	if e.GateDrift != nil {
		d := *e.GateDrift
		d.Final, d.MaxLeak, d.MaxSurplus = scaledSeats(d.Final, f), scaledSeats(d.MaxLeak, f), scaledSeats(d.MaxSurplus, f)
		e.GateDrift = &d
	}
}

func scaledSeats(n *int64, f float64) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(math.Round(max(-tooMany, min(float64(*n)*f, tooMany)))))
}

// tooMany is more than any plan holds; numbers beyond it are all the same.
const tooMany = 1 << 40

// scaled keeps 0 and never makes it of anything else.
func scaled[N int | int64](n N, f float64) N {
	if n == 0 {
		return 0
	}
	return max(1, N(math.Round(min(float64(n)*f, tooMany))))
}
