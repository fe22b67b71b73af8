package check

import (
	"fmt"

	"gatecrash/sim/history"
)

// oneBooking wants at most one booking row, live or cancelled, for each (sale, account, key). The first row of an intent is known by its number,
// so only rows that are not the first, or have no number, are compared by text.
func oneBooking(f *facts, t *trial) {
	t.samples = int64(len(f.bookings))
	t.measured = fmt.Sprintf("%d booking rows", t.samples)
	type name struct{ sale, account, key string }
	others := map[name]int{}
	for i := range f.bookings {
		b := &f.bookings[i]
		first := i
		if b.intent >= 0 {
			first = int(f.intents[b.intent].booking)
		}
		if a := f.bookings[first].row; first != i && a.Sale == b.row.Sale && a.Account == b.row.Account && a.Key == b.row.Key {
			f.bookedAgain(t, &f.bookings[first], b)
			continue
		}
		if first == i && b.intent >= 0 {
			continue
		}
		n := name{b.row.Sale, b.row.Account, b.row.Key}
		if at, twice := others[n]; twice {
			f.bookedAgain(t, &f.bookings[at], b)
		} else {
			others[n] = i
		}
	}
}

func (f *facts) bookedAgain(t *trial, a, b *booking) {
	if b.row.Version < a.row.Version {
		a, b = b, a
	}
	t.violate(f.placeBooking(b.row), func() []string {
		lines := []string{fmt.Sprintf("one intent, key %q of account %q, booked again", b.row.Key, b.row.Account), tellBooking(a.row), tellBooking(b.row)}
		if b.intent >= 0 {
			lines = append(lines, f.tellAttempts(&f.intents[b.intent])...)
		}
		return lines
	})
}

// sameAnswer compares every ok answer of an intent with the first one, with what was asked for, and with the booking's row.
func sameAnswer(f *facts, t *trial) {
	for i := range f.intents {
		in := &f.intents[i]
		if in.answered == never {
			continue
		}
		first := f.firstOk(in)
		for _, k := range f.requests(in) {
			r := &f.in.Requests[k]
			if !books(r.Op) || r.Outcome != history.Ok {
				continue
			}
			t.samples++
			if wrong := f.differs(r, first); wrong != "" {
				t.violate(f.placeRequest(r, r.Version), func() []string { return append([]string{wrong}, f.tellAttempts(in)...) })
			}
		}
	}
	t.measured = fmt.Sprintf("%d ok answers", t.samples)
}

// firstOk is the ok answer that came first.
func (f *facts) firstOk(in *intent) *history.Record {
	for _, k := range f.requests(in) {
		if r := &f.in.Requests[k]; books(r.Op) && r.Outcome == history.Ok && r.Done == in.answered {
			return r
		}
	}
	return nil
}

// differs says in what an answer is not what it must be; empty: in nothing.
func (f *facts) differs(r, first *history.Record) string {
	if r.Booking != first.Booking || r.Answered != first.Answered || r.Version != first.Version {
		return fmt.Sprintf("attempt %d was told booking %d of %d seats at version %d, attempt %d booking %d of %d seats at version %d",
			first.Attempt, first.Booking, first.Answered, first.Version, r.Attempt, r.Booking, r.Answered, r.Version)
	}
	if r.Answered != r.Quantity {
		return fmt.Sprintf("%d seats were asked for and %d were told", r.Quantity, r.Answered)
	}
	at, found := f.byID[r.Booking]
	if !found || f.in.Lacks&Rows != 0 {
		return "" // no_lost_booking reports it
	}
	if row := f.bookings[at].row; row.Version != r.Version || row.Quantity != int(r.Answered) {
		return fmt.Sprintf("the answer says %d seats at version %d, the booking row %d seats at version %d", r.Answered, r.Version, row.Quantity, row.Version)
	}
	return ""
}

// noLost looks up every ok answer in the truth at the end: a booking told must be there and be the asker's own, a cancel told must have been carried out.
func noLost(f *facts, t *trial) {
	for i := range f.in.Requests {
		r := &f.in.Requests[i]
		if r.Outcome != history.Ok || r.Intent == 0 {
			continue
		}
		t.samples++
		if wrong := f.lost(r); wrong != "" {
			in := &f.intents[f.find(r.Intent)]
			t.violate(f.placeRequest(r, r.Version), func() []string { return append([]string{wrong}, f.tellAttempts(in)...) })
		}
	}
	t.measured = fmt.Sprintf("%d ok answers", t.samples)
}

// lost says what of an ok answer the truth does not know; empty: it knows all.
func (f *facts) lost(r *history.Record) string {
	at, found := f.byID[r.Booking]
	if !found {
		return fmt.Sprintf("booking %d was told and is in no row of the truth", r.Booking)
	}
	b := &f.bookings[at]
	switch {
	case b.books == 0:
		return fmt.Sprintf("booking %d was told and no ledger row took its seats", r.Booking)
	case b.intent < 0 || f.intents[b.intent].number != r.Intent:
		return fmt.Sprintf("booking %d was told and belongs to key %q of account %q", r.Booking, b.row.Key, b.row.Account)
	case !books(r.Op) && (b.cancels == 0 || b.row.State != cancelled):
		return fmt.Sprintf("the cancel of booking %d was told and it is %s with %d ledger rows that return its seats", r.Booking, b.row.State, b.cancels)
	}
	return ""
}

// noPhantom wants for each booking an attempt of its intent that may have made it, by that account, for that many seats.
func noPhantom(f *facts, t *trial) {
	t.samples = int64(len(f.bookings))
	t.measured = fmt.Sprintf("%d booking rows", t.samples)
	for i := range f.bookings {
		b := &f.bookings[i]
		if wrong := f.phantom(b); wrong != "" {
			t.violate(f.placeBooking(b.row), func() []string {
				lines := []string{wrong, tellBooking(b.row)}
				if b.intent >= 0 {
					lines = append(lines, f.tellAttempts(&f.intents[b.intent])...)
				}
				return lines
			})
		}
	}
	if t.violations > 0 && f.tailLost() {
		t.decide("inconclusive", "%d bookings have no attempt in the records, but records are missing", t.violations)
	}
}

// tailLost reports whether attempts may be missing from the records.
func (f *facts) tailLost() bool { return f.in.TailLost > 0 || !f.in.Run.Ended }

// phantom says why nobody can have asked for a booking; empty: somebody did.
func (f *facts) phantom(b *booking) string {
	if b.sale < 0 {
		return "the run has no such sale"
	}
	if b.intent < 0 || !f.intents[b.intent].booked {
		return "no attempt was made with this key"
	}
	in := &f.intents[b.intent]
	account, ok := f.in.ParseAccount(b.row.Account)
	switch {
	case int(in.sale) != b.sale:
		return fmt.Sprintf("it was asked for in sale %s", f.saleName(in.sale))
	case !ok || account != in.account:
		return fmt.Sprintf("it was asked for by account %d", in.account)
	case b.row.Quantity != int(in.quantity):
		return fmt.Sprintf("%d seats were asked for", in.quantity)
	}
	for _, k := range f.requests(in) {
		if r := &f.in.Requests[k]; books(r.Op) && mayHaveBooked(r) {
			return ""
		}
	}
	return "every attempt failed or was turned away before the ledger"
}

// mayHaveBooked is false for an attempt that by its answer never reached a transaction. A final refusal is left to refused_has_no_booking.
func mayHaveBooked(r *history.Record) bool {
	switch r.Outcome {
	case history.Failed:
		return false
	case history.Refused:
		return final(r)
	}
	return true
}

// final reports whether a refusal was decided for good: asking again with the same key is answered the same, unless seats came back.
func final(r *history.Record) bool {
	if r.Outcome != history.Refused {
		return false
	}
	switch r.Problem {
	case history.SoldOut, history.AccountLimit, history.KeyReused, history.BadRequest, history.UnknownSale:
		return true
	}
	return false
}
