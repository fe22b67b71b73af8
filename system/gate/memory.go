package gate

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"gatecrash/system/booking"
)

var _ booking.Gate = (*Memory)(nil)

// Memory is a booking.Gate in memory, for tests: one mutex makes each call one step. Its calls never fail for want of a server.
type Memory struct {
	now func() time.Time

	mu     sync.Mutex
	sales  map[string]*memorySale
	claims map[string]time.Time // end of the lease by sale
	lives  int                  // counts Restart
}

type memorySale struct {
	epoch              string
	asof, floor, avail int64
	debits             map[string]booking.Debit
	settled, credits   map[string]booking.Change // by intent, by change
}

// NewMemory gives an empty gate whose clock is now.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{now: now, sales: map[string]*memorySale{}, claims: map[string]time.Time{}}
}

// Restart loses everything, as a server does that starts empty, and changes the incarnation.
func (m *Memory) Restart() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sales, m.claims = map[string]*memorySale{}, map[string]time.Time{}
	m.lives++
}

// Reserve implements booking.Gate.
func (m *Memory) Reserve(_ context.Context, in booking.Intent, owner string, lease time.Duration) (booking.Reservation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, id := m.sales[in.Sale], in.ID()
	if s == nil {
		return booking.Missing, nil
	}
	if _, held := s.debits[id]; held {
		return booking.Held, nil
	}
	if _, settled := s.settled[id]; settled {
		return booking.Settled, nil
	}
	if s.avail < int64(in.Quantity) {
		return booking.SoldOut, nil
	}
	s.avail -= int64(in.Quantity)
	deadline := m.now().Add(lease).UTC().Truncate(time.Millisecond)
	s.debits[id] = booking.Debit{Account: in.Account, Key: in.Key, Owner: owner, Quantity: in.Quantity, Deadline: deadline}
	return booking.Taken, nil
}

// Settle implements booking.Gate.
func (m *Memory) Settle(_ context.Context, in booking.Intent, version int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, id := m.sales[in.Sale], in.ID()
	if s == nil {
		return nil
	}
	before, recorded := s.settled[id]
	if recorded && before.Version != version {
		return fmt.Errorf("settle in sale %q: intent settled at another version", in.Sale)
	}
	if d, held := s.debits[id]; held {
		s.avail += int64(d.Quantity)
		delete(s.debits, id)
	}
	if version > s.asof && !recorded {
		s.avail -= int64(in.Quantity)
		s.settled[id] = booking.Change{Seats: int64(in.Quantity), Version: version}
	}
	s.floor = max(s.floor, version)
	return nil
}

// Refund implements booking.Gate.
func (m *Memory) Refund(_ context.Context, in booking.Intent, owner string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, id := m.sales[in.Sale], in.ID()
	if s == nil {
		return nil
	}
	if d, held := s.debits[id]; held && d.Owner == owner {
		s.avail += int64(d.Quantity)
		delete(s.debits, id)
	}
	return nil
}

// Credit implements booking.Gate.
func (m *Memory) Credit(_ context.Context, sale string, c booking.Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sales[sale]
	if s == nil || c.Version <= s.asof {
		return nil
	}
	if _, recorded := s.credits[c.ID]; !recorded {
		s.avail += c.Seats
		s.credits[c.ID] = c
	}
	s.floor = max(s.floor, c.Version)
	return nil
}

// Init implements booking.Gate.
func (m *Memory) Init(_ context.Context, sale string, snap booking.Snapshot, epoch string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sales[sale] != nil {
		return false, nil
	}
	delete(m.claims, sale)
	m.sales[sale] = &memorySale{
		epoch: epoch, asof: snap.Version, floor: snap.Version, avail: snap.Free,
		debits: map[string]booking.Debit{}, settled: map[string]booking.Change{}, credits: map[string]booking.Change{},
	}
	return true, nil
}

// Claim takes the right to set a sale up; see Gate.Claim.
func (m *Memory) Claim(_ context.Context, sale, _ string, lease time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.claims[sale].After(m.now()) {
		return false, nil
	}
	m.claims[sale] = m.now().Add(lease)
	return true, nil
}

// Repair implements booking.Gate.
func (m *Memory) Repair(_ context.Context, sale, epoch string, snap booking.Snapshot) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sales[sale]
	if s == nil || s.epoch != epoch || snap.Version < s.asof {
		return false, nil
	}
	s.avail = snap.Free - forget(s.settled, snap.Version) + forget(s.credits, snap.Version)
	for _, d := range s.debits {
		s.avail -= int64(d.Quantity)
	}
	s.asof, s.floor = snap.Version, max(s.floor, snap.Version)
	return true, nil
}

// forget drops what a version covers and sums the seats of the rest.
func forget(changes map[string]booking.Change, version int64) (later int64) {
	for id, c := range changes {
		if c.Version <= version {
			delete(changes, id)
		} else {
			later += c.Seats
		}
	}
	return later
}

// View implements booking.Gate. Its debits come in the order of their intents.
func (m *Memory) View(_ context.Context, sale string) (booking.View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sales[sale]
	if s == nil {
		return booking.View{}, nil
	}
	v := booking.View{Present: true, Epoch: s.epoch, AsOf: s.asof, Floor: s.floor, Avail: s.avail}
	for _, d := range s.debits {
		v.Debits = append(v.Debits, d)
	}
	sort.Slice(v.Debits, func(i, j int) bool {
		a, b := v.Debits[i], v.Debits[j]
		return a.Account < b.Account || a.Account == b.Account && a.Key < b.Key
	})
	return v, nil
}

// Expired implements booking.Gate.
func (m *Memory) Expired(_ context.Context, sale string, limit int) ([]booking.Debit, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var past []booking.Debit
	if s := m.sales[sale]; s != nil {
		for _, d := range s.debits {
			if !d.Deadline.After(m.now()) {
				past = append(past, d)
			}
		}
	}
	sort.Slice(past, func(i, j int) bool { return past[i].Deadline.Before(past[j].Deadline) })
	return past[:min(limit, len(past))], nil
}

// Forget implements booking.Gate.
func (m *Memory) Forget(_ context.Context, sale string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sales, sale)
	delete(m.claims, sale)
	return nil
}

// Incarnation implements booking.Gate.
func (m *Memory) Incarnation(context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprintf("memory %d", m.lives), nil
}

// Inflate makes the gate show at least seats; see Gate.Inflate.
func (m *Memory) Inflate(_ context.Context, sale string, seats int64) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sales[sale]
	if s == nil {
		return 0, fmt.Errorf("inflate sale %q: the gate holds nothing of it", sale)
	}
	s.avail = max(s.avail, seats)
	return s.avail, nil
}
