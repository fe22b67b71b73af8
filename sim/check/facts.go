package check

import (
	"cmp"
	"slices"
	"sort"

	"gatecrash/sim/history"
	"gatecrash/sim/measure"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// facts are the rows of an Input, indexed once for every check. Building them costs one sort of the requests by intent and one of each sale's rows by version.
type facts struct {
	in       *Input
	sales    []*sale          // by index of the records
	saleOf   map[string]int   // by name
	order    []uint32         // requests that book or cancel, by intent, then by time of sending
	intents  []intent         // ascending by number
	bookings []booking        // one for each row of snapshot 2, same order
	byID     map[int64]uint32 // booking id -> index in bookings; with an id used twice, the first
	arrived  []int64          // by visitor: its first intended request; never: none
	clockErr int64            // ns, across generators

	strangers int64 // requests of visitors that the plan does not have

	line     measure.Timeline // phases of the run
	recovers []recovery       // by fault window
	tallies  map[history.Op]*tally
	drifts   []result.Drift // by sale
	sold     []result.Sale  // by index of the records
	told     []result.Fault // by fault window
}

// intent is one logical wish to book, as the records tell it.
type intent struct {
	number   uint64
	from, to uint32 // its requests are order[from:to]
	booking  int32  // index of its first booking row; -1: none
	sale     uint16
	crowd    uint16
	account  uint32
	visitor  uint32
	quantity uint16
	booked   bool  // a book attempt of it is in the records
	sent     int64 // its first attempt was sent; never: it has only cancels
	answered int64 // its first ok answer to a booking; never: none
	told     int64 // the booking that this answer named
}

// booking is one row of snapshot 2 with what belongs to it.
type booking struct {
	row     *target.BookingRow
	sale    int   // -1: a sale that the run does not have
	intent  int   // index in intents; -1: never attempted
	books   int32 // ledger rows that booked it
	cancels int32 // ledger rows that cancelled it
	undone  int64 // version of its first cancel; never: none
}

func newFacts(in *Input) *facts {
	f := &facts{in: in, clockErr: int64(in.Run.ClockErrMS * 1e6), tallies: map[history.Op]*tally{}}
	f.indexRequests()
	f.indexSales()
	f.indexBookings()
	f.indexLedger()
	for _, s := range f.sales {
		s.finish(f)
	}
	f.count()
	f.drifts = f.measureDrift()
	f.recover()
	f.told = f.faults()
	f.sold = f.saleResults()
	f.line = measure.TimelineOf(&in.Run, &result.Result{Sales: f.sold, Faults: f.told}, in.Faults)
	return f
}

// indexRequests groups what books or cancels by intent.
func (f *facts) indexRequests() {
	type entry struct {
		intent uint64
		index  uint32
	}
	entries := make([]entry, 0, len(f.in.Requests))
	for i := range f.in.Requests {
		if n := f.in.Requests[i].Intent; n != 0 {
			entries = append(entries, entry{n, uint32(i)})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.intent, b.intent) })
	f.order = make([]uint32, len(entries))
	for i, e := range entries {
		f.order[i] = e.index
	}
	for from := 0; from < len(entries); {
		to := from + 1
		for to < len(entries) && entries[to].intent == entries[from].intent {
			to++
		}
		f.addIntent(entries[from].intent, from, to)
		from = to
	}
}

func (f *facts) addIntent(number uint64, from, to int) {
	group := f.order[from:to]
	slices.SortFunc(group, func(a, b uint32) int {
		x, y := &f.in.Requests[a], &f.in.Requests[b]
		return cmp.Or(cmp.Compare(x.Sent, y.Sent), cmp.Compare(x.Attempt, y.Attempt))
	})
	in := intent{number: number, from: uint32(from), to: uint32(to), booking: -1, sent: never, answered: never}
	for _, i := range group {
		in.take(&f.in.Requests[i])
	}
	f.intents = append(f.intents, in)
}

func (in *intent) take(r *history.Record) {
	if !books(r.Op) {
		return
	}
	if !in.booked {
		in.booked, in.sale, in.crowd, in.account, in.visitor, in.quantity = true, r.Sale, r.Crowd, r.Account, r.Visitor, r.Quantity
	}
	in.sent = min(in.sent, r.Sent)
	if r.Outcome == history.Ok && r.Done < in.answered {
		in.answered, in.told = r.Done, r.Booking
	}
}

// requests of an intent, by time of sending.
func (f *facts) requests(in *intent) []uint32 { return f.order[in.from:in.to] }

// find gives the index of an intent by number; -1: the records do not know it.
func (f *facts) find(number uint64) int {
	i := sort.Search(len(f.intents), func(i int) bool { return f.intents[i].number >= number })
	if i < len(f.intents) && f.intents[i].number == number {
		return i
	}
	return -1
}

func (f *facts) indexBookings() {
	rows := f.in.Bookings2
	f.bookings = make([]booking, len(rows))
	f.byID = make(map[int64]uint32, len(rows))
	for i := range rows {
		b := &f.bookings[i]
		*b = booking{row: &rows[i], sale: f.saleIndex(rows[i].Sale), intent: -1, undone: never}
		if n, ok := f.in.ParseKey(rows[i].Key); ok {
			b.intent = f.find(n)
		}
		if b.intent >= 0 && f.intents[b.intent].booking < 0 {
			f.intents[b.intent].booking = int32(i)
		}
		if _, twice := f.byID[rows[i].ID]; !twice {
			f.byID[rows[i].ID] = uint32(i)
		}
		if b.sale >= 0 {
			f.sales[b.sale].bookings = append(f.sales[b.sale].bookings, uint32(i))
		}
	}
}

func (f *facts) indexLedger() {
	rows := f.in.Ledger2
	for i := range rows {
		if s := f.saleIndex(rows[i].Sale); s >= 0 {
			f.sales[s].ledger = append(f.sales[s].ledger, &rows[i])
		}
		at, ok := f.byID[rows[i].Booking]
		if !ok {
			continue
		}
		b := &f.bookings[at]
		switch rows[i].Kind {
		case kindBook:
			b.books++
		case kindCancel:
			b.cancels++
			b.undone = min(b.undone, rows[i].Version)
		}
	}
}

func (f *facts) saleIndex(name string) int {
	if i, ok := f.saleOf[name]; ok {
		return i
	}
	return -1
}

// books reports whether the operation tries to book.
func books(op history.Op) bool { return op == history.OpBook || op == history.OpResumeBook }

// resumes reports whether the operation belongs to the end of the run.
func resumes(op history.Op) bool { return op == history.OpResumeBook || op == history.OpResumeCancel }
