package check

import (
	"cmp"
	"fmt"
	"slices"

	"gatecrash/sim/target"
)

// noOversell folds seats booked over versions twice, once from the ledger and once from the booking rows, so that neither can hide what the other shows.
// Rows that share a version are taken together: which came first is not known, and the fold must not invent an order.
func noOversell(f *facts, t *trial) {
	peak := int64(0)
	for _, s := range f.sales {
		t.samples += int64(len(s.bookings))
		for i := range s.steps {
			st := &s.steps[i]
			peak = max(peak, st.booked-st.capacity)
			if st.booked < 0 || st.booked > st.capacity {
				t.violate(f.placeLedger(s.ledger[st.last]), func() []string { return s.tellOversold("ledger", *st) })
			}
		}
		s.sweepBookings(f, t)
	}
	t.unit, t.measured = "seats", fmt.Sprintf("%d booking rows", t.samples)
	if t.violations > 0 {
		t.measured = fmt.Sprintf("at most %d seats above capacity", max(peak, 0))
	}
}

// sweepBookings counts the seats of booking rows that are live at each version.
func (s *sale) sweepBookings(f *facts, t *trial) {
	type change struct {
		version, seats int64
		row            *target.BookingRow
	}
	var changes []change
	for _, i := range s.bookings {
		b := &f.bookings[i]
		if b.row.State == cancelled && b.undone == never {
			continue // seats_conserved reports it; when it ended is not known
		}
		changes = append(changes, change{b.row.Version, int64(b.row.Quantity), b.row})
		if b.undone != never {
			changes = append(changes, change{max(b.undone, b.row.Version), -int64(b.row.Quantity), b.row})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.version, b.version) })
	booked := int64(0)
	for i, c := range changes {
		booked += c.seats
		if i+1 < len(changes) && changes[i+1].version == c.version {
			continue
		}
		st := step{version: c.version, booked: booked, capacity: s.at(c.version).capacity}
		if booked > st.capacity {
			t.violate(f.place(s.name, c.version, c.row.Key, c.row.At), func() []string {
				return []string{fmt.Sprintf("booking rows: %d seats live at version %d, capacity %d", st.booked, st.version, st.capacity), tellBooking(c.row)}
			})
		}
	}
}

// tellOversold gives the rows that led to a step.
func (s *sale) tellOversold(by string, st step) []string {
	lines := []string{fmt.Sprintf("%s: %d seats booked at version %d, capacity %d", by, st.booked, st.version, st.capacity)}
	for _, r := range s.ledger[max(0, st.last-3) : st.last+1] {
		lines = append(lines, tellLedger(r))
	}
	return lines
}
