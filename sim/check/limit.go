package check

import (
	"fmt"

	"gatecrash/sim/target"
)

// accountLimit follows the live seats of each account through the ledger, and sums the booking rows at the end.
func accountLimit(f *facts, t *trial) {
	for _, s := range f.sales {
		if s.limit <= 0 {
			continue
		}
		s.limitByLedger(f, t)
		s.limitByBookings(f, t)
	}
	t.measured = fmt.Sprintf("%d bookings", t.samples)
}

// limitByLedger judges after all rows of a version, as their order among themselves is not known.
func (s *sale) limitByLedger(f *facts, t *trial) {
	live := make(map[string]int64, len(s.ledger))
	from := 0
	for _, st := range s.steps {
		rows := s.ledger[from : st.last+1]
		from = st.last + 1
		for _, r := range rows {
			if r.Kind == kindBook || r.Kind == kindCancel {
				live[r.Account] -= r.Seats
			}
		}
		for _, r := range rows {
			if r.Kind != kindBook {
				continue
			}
			t.samples++
			if seats := live[r.Account]; seats > s.limit {
				t.violate(f.placeLedger(r), func() []string { return s.tellLimit(r, seats) })
			}
		}
	}
}

func (s *sale) tellLimit(at *target.LedgerRow, seats int64) []string {
	lines := []string{fmt.Sprintf("account %q holds %d live seats of sale %s at version %d, the limit is %d", at.Account, seats, s.name, at.Version, s.limit)}
	for _, r := range s.ledger {
		if r.Account == at.Account && r.Version <= at.Version {
			lines = append(lines, tellLedger(r))
		}
	}
	return lines
}

func (s *sale) limitByBookings(f *facts, t *trial) {
	live := make(map[string]int64, len(s.bookings))
	for _, i := range s.bookings {
		row := f.bookings[i].row
		if row.State == cancelled {
			continue
		}
		live[row.Account] += int64(row.Quantity)
		if seats := live[row.Account]; seats > s.limit && seats-int64(row.Quantity) <= s.limit {
			t.violate(f.placeBooking(row), func() []string {
				return []string{fmt.Sprintf("account %q: %d seats in live booking rows of sale %s up to here, the limit is %d", row.Account, seats, s.name, s.limit), tellBooking(row)}
			})
		}
	}
}
