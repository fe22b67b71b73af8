package crowd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gatecrash/sim/arrival"
	"gatecrash/sim/scenario"
)

// Plan is who comes when, a pure function of seed and scenario. It is read-only and safe for concurrent use.
type Plan struct {
	sc        *scenario.Scenario
	seed      uint64
	visitors  []planned
	sales     []uint16 // sale of a crowd
	accounts  []span   // of a crowd
	addresses []span
	prefix    string
	hash      string
}

// planned is a Visitor in 32 bytes.
type planned struct {
	arrive, act      time.Duration // act is -1 for those who do not wait
	account, address uint32
	crowd            uint16
	wants            uint16
	cancels          bool
}

// span is the pool of a crowd: the indexes from first on, so many for each of its visitors, or shared.
type span struct {
	first  uint32
	size   uint32
	each   uint32 // of one visitor, in a row
	shared bool
}

// NewPlan plans the visitors of a scenario.
func NewPlan(sc *scenario.Scenario, seed uint64) (*Plan, error) {
	p := &Plan{sc: sc, seed: seed}
	if err := p.pools(); err != nil {
		return nil, err
	}
	for c := range sc.Crowds {
		if err := p.add(c); err != nil {
			return nil, fmt.Errorf("plan crowd %q: %w", sc.Crowds[c].Name, err)
		}
	}
	p.prefix = p.keyPrefix()
	var err error
	p.hash, err = p.digest()
	return p, err
}

// pools lays the accounts and addresses of the crowds side by side.
func (p *Plan) pools() error {
	var visitors, accounts, addresses uint64
	for _, c := range p.sc.Crowds {
		visitors += uint64(max(c.Visitors, 0))
		p.accounts = append(p.accounts, newSpan(c.Accounts, c.Visitors, &accounts))
		p.addresses = append(p.addresses, newSpan(c.Addresses, c.Visitors, &addresses))
	}
	switch {
	case visitors > scenario.MaxVisitors:
		return fmt.Errorf("plan: %d visitors, want at most %d", visitors, scenario.MaxVisitors)
	case accounts > scenario.MaxAccounts:
		return fmt.Errorf("plan: %d accounts, want at most %d", accounts, uint64(scenario.MaxAccounts))
	case addresses > scenario.MaxAddresses:
		return fmt.Errorf("plan: %d addresses, want at most %d: let visitors share some, for example addresses: shared 1000", addresses, scenario.MaxAddresses)
	}
	return nil
}

func newSpan(pool scenario.Pool, visitors int, next *uint64) span {
	s := span{first: uint32(*next), each: 1}
	switch pool.Mode {
	case scenario.Shared:
		s.size, s.shared = uint32(pool.N), true
		*next += uint64(pool.N)
		return s
	case scenario.ManyPer:
		s.each = uint32(max(pool.N, 1))
	}
	s.size = uint32(visitors) * s.each
	*next += uint64(visitors) * uint64(s.each)
	return s
}

// of is the first index of the i-th visitor of the crowd.
func (s span) of(i int, r *rand.Rand) uint32 {
	if s.shared {
		return s.first + r.Uint32N(s.size)
	}
	return s.first + uint32(i)*s.each
}

// add plans one crowd. Each kind of choice has a stream of its own, so that a change of one setting leaves the others' draws alone.
func (p *Plan) add(index int) error {
	c := &p.sc.Crowds[index]
	sale, err := p.saleOf(c)
	if err != nil {
		return err
	}
	p.sales = append(p.sales, uint16(sale))
	stream := func(what string) *rand.Rand { return arrival.Stream(p.seed, "crowd/"+c.Name+"/"+what) }
	visits, err := arrival.Visits(c.Arrive, c.Visitors, p.sc.Sales[sale].OpensAfter, stream("arrive"))
	if err != nil {
		return err
	}
	accounts, addresses, wants, cancels := stream("account"), stream("address"), stream("quantity"), stream("cancel")
	crowd := make([]planned, 0, len(visits))
	for i, v := range visits {
		act := time.Duration(-1)
		if v.Waits {
			act = v.ActAt
		}
		crowd = append(crowd, planned{
			arrive: v.Arrive, act: act, crowd: uint16(index),
			account: p.accounts[index].of(i, accounts), address: p.addresses[index].of(i, addresses),
			wants: quantity(c.Quantity, wants.Float64()), cancels: cancels.Float64() < c.Cancel,
		})
	}
	p.visitors = merge(p.visitors, crowd)
	return nil
}

// merge joins two sorted lists; of those who come at the same time the first list's come first.
func merge(a, b []planned) []planned {
	if len(a) == 0 {
		return b
	}
	all := make([]planned, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if b[0].arrive < a[0].arrive {
			all, b = append(all, b[0]), b[1:]
		} else {
			all, a = append(all, a[0]), a[1:]
		}
	}
	return append(append(all, a...), b...)
}

func (p *Plan) saleOf(c *scenario.Crowd) (int, error) {
	for i, s := range p.sc.Sales {
		if s.Name == c.Sale || c.Sale == "" && len(p.sc.Sales) == 1 {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown sale %q", c.Sale)
}

// quantity picks by cumulated shares; the last takes what rounding leaves.
func quantity(weights []scenario.Weight, u float64) uint16 {
	for _, w := range weights {
		if u -= w.Share; u < 0 {
			return uint16(w.Quantity)
		}
	}
	if len(weights) == 0 {
		return 1
	}
	return uint16(weights[len(weights)-1].Quantity)
}

// Len is how many visitors are planned.
func (p *Plan) Len() int { return len(p.visitors) }

// Scenario is what the plan was made from. It must not be changed.
func (p *Plan) Scenario() *scenario.Scenario { return p.sc }

// Seed is what the plan was made from.
func (p *Plan) Seed() uint64 { return p.seed }

// Visitor gives the i-th visitor in order of arrival.
func (p *Plan) Visitor(i int) Visitor {
	v := &p.visitors[i]
	return Visitor{
		Index: uint32(i), Crowd: v.crowd, Sale: p.sales[v.crowd], Account: v.account, Address: v.address,
		Arrive: v.arrive, ActAt: max(v.act, 0), Waits: v.act >= 0, Wants: v.wants, Cancels: v.cancels, Seed: mix(p.seed, uint64(i)),
	}
}

// Last is when the last visitor comes; 0 for an empty plan.
func (p *Plan) Last() time.Duration {
	if len(p.visitors) == 0 {
		return 0
	}
	return p.visitors[len(p.visitors)-1].arrive
}

// Accounts is how many accounts there are.
func (p *Plan) Accounts() int { return total(p.accounts) }

// Addresses is how many client addresses there are.
func (p *Plan) Addresses() int { return total(p.addresses) }

func total(spans []span) int {
	if len(spans) == 0 {
		return 0
	}
	last := spans[len(spans)-1]
	return int(last.first) + int(last.size)
}

// Shard gives the visitors of shard k of n, k counted from 0: those whose index leaves k when divided by n.
func (p *Plan) Shard(k, n int) []int {
	if k < 0 || n < 1 || k >= n {
		return nil
	}
	all := make([]int, 0, (len(p.visitors)+n-1-k)/n)
	for i := k; i < len(p.visitors); i += n {
		all = append(all, i)
	}
	return all
}

// PerSecond counts the arrivals of each second, by crowd.
func (p *Plan) PerSecond() [][]int {
	seconds := int(math.Floor(p.Last().Seconds())) + 1
	all := make([][]int, len(p.sc.Crowds))
	for c := range all {
		all[c] = make([]int, seconds)
	}
	for i := range p.visitors {
		all[p.visitors[i].crowd][int(p.visitors[i].arrive/time.Second)]++
	}
	return all
}

// mix gives unrelated numbers for neighbouring ones: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func mix(seed, i uint64) uint64 {
	z := seed + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
