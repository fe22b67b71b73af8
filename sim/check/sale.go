package check

import (
	"cmp"
	"slices"
	"sort"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// Kinds of ledger rows and states of bookings, as the truth writes them.
const (
	kindBook   = "book"
	kindCancel = "cancel"
	cancelled  = "cancelled"
)

// sale is one sale with its rows of snapshot 2 in version order.
type sale struct {
	name     string
	limit    int64 // live seats an account may hold; 0: not known
	one, two result.SaleRow
	known    bool  // both sale rows are there
	initial  int64 // capacity before the first ledger row

	ledger   []*target.LedgerRow // by version, then time
	bookings []uint32            // by version, then id
	steps    []step              // one for each version that occurs

	heard  []mark // what was answered by when: ascending time, version = the highest so far
	unsent []mark // what was not even asked for by when: ascending time, version = the lowest from here on
}

// step is the state of a sale after all ledger rows of a version.
type step struct {
	version  int64
	booked   int64
	capacity int64
	last     int // index of the version's last row in ledger
}

// mark is a version and a time.
type mark struct{ at, version int64 }

func (f *facts) indexSales() {
	f.saleOf = map[string]int{}
	for i, name := range f.in.Run.Sales {
		s := &sale{name: name}
		one, ok1 := saleRow(f.in.Truth.Sales1, name)
		two, ok2 := saleRow(f.in.Truth.Sales2, name)
		s.one, s.two, s.known = one, two, ok1 && ok2
		s.limit = int64(two.PerAccount)
		if sc := f.in.Scenario; sc != nil && i < len(sc.Sales) && sc.Sales[i].PerAccount > 0 {
			s.limit = int64(sc.Sales[i].PerAccount)
		}
		f.sales = append(f.sales, s)
		f.saleOf[name] = i
	}
}

func saleRow(rows []result.SaleRow, name string) (result.SaleRow, bool) {
	for _, r := range rows {
		if r.Sale == name {
			return r, true
		}
	}
	return result.SaleRow{}, false
}

// finish sorts the rows and folds the ledger.
func (s *sale) finish(f *facts) {
	slices.SortStableFunc(s.ledger, func(a, b *target.LedgerRow) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), a.At.Compare(b.At), cmp.Compare(a.Booking, b.Booking))
	})
	slices.SortStableFunc(s.bookings, func(a, b uint32) int {
		x, y := f.bookings[a].row, f.bookings[b].row
		return cmp.Or(cmp.Compare(x.Version, y.Version), cmp.Compare(x.ID, y.ID))
	})
	s.initial = s.two.Capacity
	for _, r := range s.ledger {
		if r.Kind != kindBook && r.Kind != kindCancel {
			s.initial -= r.Seats
		}
	}
	s.fold()
	s.heard, s.unsent = s.marks(f)
}

func (s *sale) fold() {
	at := step{capacity: s.initial}
	for i, r := range s.ledger {
		if r.Kind == kindBook || r.Kind == kindCancel {
			at.booked -= r.Seats
		} else {
			at.capacity += r.Seats
		}
		if i+1 < len(s.ledger) && s.ledger[i+1].Version == r.Version {
			continue
		}
		at.version, at.last = r.Version, i
		s.steps = append(s.steps, at)
	}
}

// at gives the state after every row up to a version; missing versions change nothing.
func (s *sale) at(version int64) step {
	i := sort.Search(len(s.steps), func(i int) bool { return s.steps[i].version > version })
	if i == 0 {
		return step{capacity: s.initial, last: -1}
	}
	return s.steps[i-1]
}

// free seats in the truth after a step.
func (st step) free() int64 { return st.capacity - st.booked }

// marks collects when each version was surely there, and when it surely was not.
func (s *sale) marks(f *facts) (heard, unsent []mark) {
	for _, i := range s.bookings {
		b := &f.bookings[i]
		if b.row.Version <= 0 || b.intent < 0 {
			continue
		}
		in := &f.intents[b.intent]
		if in.answered != never && in.told == b.row.ID {
			heard = append(heard, mark{in.answered, b.row.Version})
		}
		if in.sent != never {
			unsent = append(unsent, mark{in.sent, b.row.Version})
		}
		if at := f.cancelAnswered(in, b.row.ID); at != never && b.undone != never {
			heard = append(heard, mark{at, b.undone})
		}
	}
	byTime := func(a, b mark) int { return cmp.Compare(a.at, b.at) }
	slices.SortFunc(heard, byTime)
	slices.SortFunc(unsent, byTime)
	for i := 1; i < len(heard); i++ {
		heard[i].version = max(heard[i].version, heard[i-1].version)
	}
	for i := len(unsent) - 2; i >= 0; i-- {
		unsent[i].version = min(unsent[i].version, unsent[i+1].version)
	}
	return heard, unsent
}

// cancelAnswered is when the first cancel of a booking was answered ok.
func (f *facts) cancelAnswered(in *intent, id int64) int64 {
	at := int64(never)
	for _, i := range f.requests(in) {
		r := &f.in.Requests[i]
		if (r.Op == history.OpCancel || r.Op == history.OpResumeCancel) && r.Outcome == history.Ok && r.Booking == id {
			at = min(at, r.Done)
		}
	}
	return at
}

// floor is the highest version that was answered to somebody before a time: what is decided later is decided at it or above.
func (s *sale) floor(at int64) int64 {
	i := sort.Search(len(s.heard), func(i int) bool { return s.heard[i].at >= at })
	if i == 0 {
		return 0
	}
	return s.heard[i-1].version
}

// ceiling is the lowest version whose first attempt was sent only after a time: what was decided by then was decided below it. never: there is none.
func (s *sale) ceiling(at int64) int64 {
	i := sort.Search(len(s.unsent), func(i int) bool { return s.unsent[i].at > at })
	if i == len(s.unsent) {
		return never
	}
	return s.unsent[i].version
}
