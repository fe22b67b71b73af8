package check

import (
	"fmt"

	"gatecrash/sim/target"
)

// versionsDense wants one ledger row for each version 1..k of a sale, in lock order, and a sale row that is their fold.
func versionsDense(f *facts, t *trial) {
	for _, s := range f.sales {
		t.samples += int64(len(s.ledger))
		next := int64(1)
		for _, r := range s.ledger {
			if r.Version != next {
				want := next
				t.violate(f.placeLedger(r), func() []string {
					return []string{fmt.Sprintf("sale %s: version %d follows, want %d", s.name, r.Version, want), tellLedger(r)}
				})
			}
			next = r.Version + 1
		}
		s.foldsTo(f, t, next-1)
	}
	t.measured = fmt.Sprintf("%d ledger rows", t.samples)
}

// foldsTo compares the sale row of snapshot 2 with the ledger.
func (s *sale) foldsTo(f *facts, t *trial, last int64) {
	end := s.at(never)
	if s.two.Version == last && s.two.Free == end.free() {
		return
	}
	t.violate(f.place(s.name, last, "", f.in.Run.Started), func() []string {
		return []string{fmt.Sprintf("sale %s: its row says version %d with %d free, the ledger folds to version %d with %d free",
			s.name, s.two.Version, s.two.Free, last, end.free())}
	})
}

// seatsConserved counts each seat once: capacity = free + booked by booking rows, each booking taken once, each cancel returned once.
func seatsConserved(f *facts, t *trial) {
	for i := range f.bookings {
		f.bookings[i].conserved(f, t, uint32(i))
	}
	for _, s := range f.sales {
		for _, r := range s.ledger {
			s.returns(f, t, r)
		}
		s.sums(f, t)
	}
	t.samples = int64(len(f.bookings))
	t.measured = fmt.Sprintf("%d booking rows against the ledger", t.samples)
}

// conserved holds one booking row against its ledger rows.
func (b *booking) conserved(f *facts, t *trial, index uint32) {
	wrong := ""
	switch isCancelled := b.row.State == cancelled; {
	case f.byID[b.row.ID] != index:
		wrong = "its id stands in two booking rows"
	case b.books != 1:
		wrong = fmt.Sprintf("%d ledger rows took its seats, want 1", b.books)
	case isCancelled && b.cancels != 1:
		wrong = fmt.Sprintf("%d ledger rows returned its seats, want 1", b.cancels)
	case !isCancelled && b.cancels != 0:
		wrong = fmt.Sprintf("it is %s and %d ledger rows returned its seats", b.row.State, b.cancels)
	case isCancelled && b.undone <= b.row.Version:
		wrong = fmt.Sprintf("its seats came back at version %d, before it took them", b.undone)
	default:
		return
	}
	t.violate(f.placeBooking(b.row), func() []string { return []string{wrong, tellBooking(b.row)} })
}

// returns holds one ledger row against its booking.
func (s *sale) returns(f *facts, t *trial, r *target.LedgerRow) {
	if r.Kind != kindBook && r.Kind != kindCancel {
		return
	}
	want := int64(0)
	at, found := f.byID[r.Booking]
	if found {
		want = int64(f.bookings[at].row.Quantity)
	}
	if r.Kind == kindBook {
		want = -want
	}
	wrong := ""
	switch {
	case !found:
		wrong = "no booking row has its id"
	case r.Seats != want:
		wrong = fmt.Sprintf("it moves %+d seats, its booking %+d", r.Seats, want)
	case r.Kind == kindBook && f.bookings[at].row.Version != r.Version:
		wrong = fmt.Sprintf("its booking says version %d", f.bookings[at].row.Version)
	case f.bookings[at].row.Account != r.Account || f.bookings[at].row.Key != r.Key:
		wrong = fmt.Sprintf("its booking says account %q, key %q", f.bookings[at].row.Account, f.bookings[at].row.Key)
	default:
		return
	}
	t.violate(f.placeLedger(r), func() []string { return []string{wrong, tellLedger(r)} })
}

// sums holds the sale rows of both snapshots against the booking rows of the same snapshot.
func (s *sale) sums(f *facts, t *trial) {
	live := [2]int64{}
	for i, rows := range [][]target.BookingRow{f.in.Bookings1, f.in.Bookings2} {
		for j := range rows {
			if rows[j].Sale == s.name && rows[j].State != cancelled {
				live[i] += int64(rows[j].Quantity)
			}
		}
	}
	for i, row := range []struct{ capacity, free, version int64 }{{s.one.Capacity, s.one.Free, s.one.Version}, {s.two.Capacity, s.two.Free, s.two.Version}} {
		if row.capacity == row.free+live[i] && row.free >= 0 {
			continue
		}
		t.violate(f.place(s.name, row.version, "", f.in.Run.Started), func() []string {
			return []string{fmt.Sprintf("snapshot %d of sale %s: capacity %d, free %d, %d seats in live booking rows", i+1, s.name, row.capacity, row.free, live[i])}
		})
	}
}
