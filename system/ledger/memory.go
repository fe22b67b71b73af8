package ledger

import (
	"context"
	"sort"
	"sync"
	"time"

	"gatecrash/system/booking"
)

var _ booking.Ledger = (*Memory)(nil)

// Entry is one row of the ledger.
type Entry struct {
	Sale    string
	Version int64
	Kind    string // book, cancel, capacity
	Intent  string // the intent's ID; for capacity the caller's change key
	Booking int64  // 0 for capacity
	Seats   int64  // change of the sale's free seats
}

// Memory is a booking.Ledger in memory, for tests: one mutex stands for every row lock. Its calls never fail but by decision.
type Memory struct {
	now func() time.Time

	mu       sync.Mutex
	sales    map[string]booking.Sale
	bookings []row // bookings[i] has ID i+1
	entries  []Entry
}

// NewMemory gives an empty ledger whose clock is now.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{now: now, sales: map[string]booking.Sale{}}
}

// Book implements booking.Ledger.
func (m *Memory) Book(_ context.Context, sale string, intents []booking.Intent) ([]booking.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sales[sale]
	if !ok {
		return refuseAll(len(intents), booking.ErrUnknownSale), nil
	}
	results, inserts := decide(s, m.now(), m.of(sale), intents)
	ids := map[int64]int64{}
	for _, r := range inserts {
		r.ID = int64(len(m.bookings) + 1)
		ids[r.Version] = r.ID
		m.bookings = append(m.bookings, r)
		m.enter(Entry{Sale: sale, Kind: "book", Intent: r.intent(), Booking: r.ID, Seats: -int64(r.Quantity)})
	}
	number(results, ids)
	return results, nil
}

// Lookup implements booking.Ledger.
func (m *Memory) Lookup(_ context.Context, intents []booking.Intent) ([]booking.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return match(intents, m.bookings), nil
}

// Resolve implements booking.Ledger.
func (m *Memory) Resolve(_ context.Context, sale string, intents []booking.Intent) ([]booking.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.sales[sale]; !ok && len(intents) > 0 {
		return nil, booking.ErrUnknownSale
	}
	return match(intents, m.of(sale)), nil
}

// Cancel implements booking.Ledger.
func (m *Memory) Cancel(_ context.Context, account string, id int64) (booking.Booking, booking.Change, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.get(account, id)
	if err != nil {
		return booking.Booking{}, booking.Change{}, false, err
	}
	done := r.State == booking.Live
	if done {
		r.State = booking.Cancelled
		r.cancelled = m.enter(Entry{Sale: r.Sale, Kind: "cancel", Intent: r.intent(), Booking: r.ID, Seats: int64(r.Quantity)})
	}
	return r.Booking, cancelChange(*r), done, nil
}

// Get implements booking.Ledger.
func (m *Memory) Get(_ context.Context, account string, id int64) (booking.Booking, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, err := m.get(account, id)
	if err != nil {
		return booking.Booking{}, err
	}
	return r.Booking, nil
}

// Sale implements booking.Ledger.
func (m *Memory) Sale(_ context.Context, sale string) (booking.Sale, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sale(sale)
}

// Sales implements booking.Ledger.
func (m *Memory) Sales(ctx context.Context) ([]booking.Sale, error) {
	all, err := m.AllSales(ctx)
	var open []booking.Sale
	for _, s := range all {
		if s.State != booking.Closed {
			open = append(open, s)
		}
	}
	return open, err
}

// AllSales lists the closed sales too.
func (m *Memory) AllSales(context.Context) ([]booking.Sale, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []booking.Sale
	for _, s := range m.sales {
		s.State = s.StateAt(m.now())
		all = append(all, s)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all, nil
}

// Create implements booking.Ledger.
func (m *Memory) Create(_ context.Context, s booking.Sale) (booking.Sale, error) {
	if err := checkNew(s); err != nil {
		return booking.Sale{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, err := m.sale(s.ID); err == nil {
		if !sameSettings(old, s) {
			return booking.Sale{}, booking.ErrSaleExists
		}
		return old, nil
	}
	s.Free, s.Version, s.State = s.Capacity, 0, booking.Scheduled
	m.sales[s.ID] = s
	return m.sale(s.ID)
}

// SetState implements booking.Ledger.
func (m *Memory) SetState(_ context.Context, sale string, st booking.SaleState) (booking.Sale, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.sale(sale)
	switch {
	case err != nil:
		return booking.Sale{}, err
	case !s.State.MayBecome(st):
		return booking.Sale{}, booking.ErrSaleState
	}
	s.State = st
	m.sales[sale] = s
	return s, nil
}

// AddSeats implements booking.Ledger.
func (m *Memory) AddSeats(_ context.Context, sale, change string, n int64) (booking.Sale, booking.Change, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.sale(sale)
	if err != nil {
		return booking.Sale{}, booking.Change{}, err
	}
	old := m.changed(sale, change)
	after, c, err := addSeats(s, old, change, n)
	if err != nil {
		return booking.Sale{}, booking.Change{}, err
	}
	if old.Version == 0 {
		stored := m.sales[sale]
		stored.Capacity = after.Capacity
		m.sales[sale] = stored
		m.enter(Entry{Sale: sale, Kind: "capacity", Intent: change, Seats: n})
	}
	return after, c, nil
}

// Snapshot implements booking.Ledger.
func (m *Memory) Snapshot(_ context.Context, sale string) (booking.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.sale(sale)
	if err != nil {
		return booking.Snapshot{}, err
	}
	return booking.Snapshot{Free: s.Free, Version: s.Version}, nil
}

// Entries gives a copy of the ledger, in the order of writing.
func (m *Memory) Entries() []Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Entry(nil), m.entries...)
}

// enter writes a ledger row at the sale's next version, which it returns, and moves the sale's seats.
func (m *Memory) enter(e Entry) int64 {
	s := m.sales[e.Sale]
	s.Version++
	s.Free += e.Seats
	e.Version = s.Version
	m.sales[e.Sale] = s
	m.entries = append(m.entries, e)
	return e.Version
}

func (m *Memory) sale(sale string) (booking.Sale, error) {
	s, ok := m.sales[sale]
	if !ok {
		return booking.Sale{}, booking.ErrUnknownSale
	}
	s.State = s.StateAt(m.now())
	return s, nil
}

func (m *Memory) get(account string, id int64) (*row, error) {
	if id < 1 || id > int64(len(m.bookings)) || m.bookings[id-1].Account != account {
		return nil, booking.ErrUnknownBooking
	}
	return &m.bookings[id-1], nil
}

func (m *Memory) of(sale string) []row {
	var rows []row
	for _, r := range m.bookings {
		if r.Sale == sale {
			rows = append(rows, r)
		}
	}
	return rows
}

func (m *Memory) changed(sale, change string) booking.Change {
	for _, e := range m.entries {
		if e.Sale == sale && e.Kind == "capacity" && e.Intent == change {
			return booking.Change{ID: change, Seats: e.Seats, Version: e.Version}
		}
	}
	return booking.Change{}
}
