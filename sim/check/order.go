package check

import (
	"fmt"

	"gatecrash/sim/history"
)

// realTimeOrder compares lock order with real time. For A answered before the first attempt of B was sent, version(A) < version(B) must hold.
// In descending version order it is enough to keep the earliest answer of all versions at or above: one pass finds every B that is overtaken.
func realTimeOrder(f *facts, t *trial) {
	for _, s := range f.sales {
		s.orderOf(f, t)
	}
	t.measured = fmt.Sprintf("%d bookings whose intent was recorded", t.samples)
}

func (s *sale) orderOf(f *facts, t *trial) {
	earliest, by := int64(never), -1
	for to := len(s.bookings); to > 0; {
		from := to - 1
		version := f.bookings[s.bookings[from]].row.Version
		for from > 0 && f.bookings[s.bookings[from-1]].row.Version == version {
			from--
		}
		group := s.bookings[from:to]
		to = from
		for _, k := range group {
			if in := f.ordered(&f.bookings[k]); in != nil && in.told == f.bookings[k].row.ID && in.answered < earliest {
				earliest, by = in.answered, int(k)
			}
		}
		for _, k := range group {
			s.overtaken(f, t, int(k), earliest, by)
		}
	}
}

// overtaken judges one booking B against the earliest answer of any version at or above its own.
func (s *sale) overtaken(f *facts, t *trial, k int, earliest int64, by int) {
	b := &f.bookings[k]
	in := f.ordered(b)
	if in == nil {
		return
	}
	t.samples++
	if by < 0 || earliest+f.clockErr >= in.sent {
		return
	}
	a := &f.bookings[by]
	t.violate(f.placeBooking(b.row), func() []string {
		return []string{
			fmt.Sprintf("version %d was answered at %s, before version %d was first asked for at %s", a.row.Version, ms(earliest), b.row.Version, ms(in.sent)),
			tellBooking(a.row), tellBooking(b.row),
		}
	})
}

// ordered gives the intent of a booking that takes part in the order; nil: it has no version or no attempt.
func (f *facts) ordered(b *booking) *intent {
	if b.row.Version <= 0 || b.intent < 0 || f.intents[b.intent].sent == never {
		return nil
	}
	return &f.intents[b.intent]
}

// soldOutWasTrue judges every refusal by the database, which names the version at which it held.
func soldOutWasTrue(f *facts, t *trial) {
	for i := range f.in.Requests {
		r := &f.in.Requests[i]
		if !books(r.Op) || r.Outcome != history.Refused || r.Problem != history.SoldOut || r.Version < 0 || int(r.Sale) >= len(f.sales) {
			continue
		}
		t.samples++
		if wrong := f.falselySoldOut(f.sales[r.Sale], r); wrong != "" {
			t.violate(f.placeRequest(r, r.Version), func() []string {
				lines := []string{wrong, tellRequest(r)}
				if st := f.sales[r.Sale].at(r.Version); st.last >= 0 {
					lines = append(lines, tellLedger(f.sales[r.Sale].ledger[st.last]))
				}
				return lines
			})
		}
	}
	t.measured = fmt.Sprintf("%d refusals by the database", t.samples)
}

// falselySoldOut says why a refusal was wrong; empty: it was right.
func (f *facts) falselySoldOut(s *sale, r *history.Record) string {
	if free := s.at(r.Version).free(); free >= int64(r.Quantity) {
		return fmt.Sprintf("%d seats were free at version %d and %d were asked for", free, r.Version, r.Quantity)
	}
	if floor := s.floor(r.Sent - f.clockErr); r.Version < floor {
		return fmt.Sprintf("it was decided at version %d, but version %d was answered before it was sent", r.Version, floor)
	}
	if ceiling := s.ceiling(r.Done + f.clockErr); r.Version >= ceiling {
		return fmt.Sprintf("it was decided at version %d, but version %d was asked for only after it was answered", r.Version, ceiling)
	}
	if last := s.at(never).version; r.Version > last {
		return fmt.Sprintf("it was decided at version %d, but the ledger ends at %d", r.Version, last)
	}
	return ""
}
