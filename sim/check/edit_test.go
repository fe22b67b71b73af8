package check

import (
	"slices"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// calm is a good history without a fault and with more seats than anybody wants, so that a defect can be put in alone.
func calm() *Input {
	w := newWorld(9)
	w.visitors, w.capacity, w.cancels = 250, 900, 0.3
	return w.run()
}

// rush is a good history in which the seats run out.
func rush() *Input {
	w := newWorld(11)
	w.visitors, w.capacity = 400, 200
	return w.run()
}

// eachLedger, eachBooking and eachSale change a row in both snapshots.
func (in *Input) eachLedger(do func(r *target.LedgerRow)) {
	for _, rows := range [][]target.LedgerRow{in.Ledger1, in.Ledger2} {
		for i := range rows {
			do(&rows[i])
		}
	}
}

func (in *Input) eachBooking(do func(r *target.BookingRow)) {
	for _, rows := range [][]target.BookingRow{in.Bookings1, in.Bookings2} {
		for i := range rows {
			do(&rows[i])
		}
	}
}

func (in *Input) eachSale(do func(r *result.SaleRow)) {
	do(&in.Truth.Sales1[0])
	do(&in.Truth.Sales2[0])
}

// attempts gives the booking requests of a booking's intent, by time of sending.
func (in *Input) attempts(b target.BookingRow) []*history.Record {
	n, _ := in.ParseKey(b.Key)
	var all []*history.Record
	for i := range in.Requests {
		if r := &in.Requests[i]; r.Intent == n && books(r.Op) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *history.Record) int { return int(a.Sent - b.Sent) })
	return all
}

func outcomes(all []*history.Record) []history.Outcome {
	var o []history.Outcome
	for _, r := range all {
		o = append(o, r.Outcome)
	}
	return o
}

// pick gives a booking of snapshot 1 whose attempts fit; the mutations below are written for one.
func (in *Input) pick(fits func(b target.BookingRow, attempts []*history.Record) bool) target.BookingRow {
	for _, b := range in.Bookings1 {
		if fits(b, in.attempts(b)) {
			return b
		}
	}
	panic("no booking fits the mutation: change the seed of the history")
}

// plain gives a live booking with one attempt, answered ok, in the middle of the sale.
func (in *Input) plain() target.BookingRow {
	return in.pick(func(b target.BookingRow, all []*history.Record) bool {
		return b.Version > 20 && b.State != cancelled && slices.Equal(outcomes(all), []history.Outcome{history.Ok})
	})
}

// replay makes the second attempt of a booking with one attempt: an answer that replays it.
func (in *Input) replay(b target.BookingRow) *history.Record {
	r := *in.attempts(b)[0]
	r.Attempt++
	r.Intended, r.Sent, r.Done, r.Path = r.Done+sec, r.Done+sec, r.Done+sec+msec, history.PathReplay
	in.Requests = append(in.Requests, r)
	in.Run.Records++
	return &in.Requests[len(in.Requests)-1]
}

// append puts one more row into the ledger of both snapshots.
func (in *Input) append(kind string, b target.BookingRow, seats int64) int64 {
	v := in.Truth.Sales2[0].Version + 1
	row := target.LedgerRow{Sale: b.Sale, Version: v, Kind: kind, Account: b.Account, Key: b.Key, Booking: b.ID, Seats: seats, At: b.At}
	in.Ledger2 = append(in.Ledger2, row)
	in.Truth.Sales2[0].Version, in.Truth.Sales2[0].Free = v, in.Truth.Sales2[0].Free+seats
	return v
}

// insert adds a booking at the end of snapshot 2.
func (in *Input) insert(b target.BookingRow) {
	b.ID = 100000
	b.Version = in.Truth.Sales2[0].Version + 1
	in.Bookings2 = append(in.Bookings2, b)
	in.append(kindBook, b, -int64(b.Quantity))
}

// lose takes a live booking out of the truth without a trace, as if its commit had been lost and every later one moved up.
func (in *Input) lose(b target.BookingRow) {
	n := int64(b.Quantity)
	same := func(r target.LedgerRow) bool { return r.Booking == b.ID }
	gone := func(r target.BookingRow) bool { return r.ID == b.ID }
	in.Ledger1, in.Ledger2 = slices.DeleteFunc(in.Ledger1, same), slices.DeleteFunc(in.Ledger2, same)
	in.Bookings1, in.Bookings2 = slices.DeleteFunc(in.Bookings1, gone), slices.DeleteFunc(in.Bookings2, gone)
	in.eachLedger(func(r *target.LedgerRow) {
		if r.Version > b.Version {
			r.Version--
		}
	})
	in.eachBooking(func(r *target.BookingRow) {
		if r.Version > b.Version {
			r.Version--
		}
	})
	for i := range in.Requests {
		if r := &in.Requests[i]; r.Version > b.Version {
			r.Version--
		}
	}
	in.eachSale(func(s *result.SaleRow) { s.Version, s.Free = s.Version-1, s.Free+n })
	for i := range in.Truth.Reconciled {
		r := &in.Truth.Reconciled[i]
		r.From, r.To, r.Free = r.From+n, r.To+n, r.Free+n
	}
}

// unbook makes one visitor, who was told of a booking, one who was not.
func (in *Input) unbook() {
	in.Run.Visitors.Booked--
	in.Run.Visitors.GaveUp++
}

// move gives a booking another version, in every place.
func (in *Input) move(id, version int64) {
	in.eachLedger(func(r *target.LedgerRow) {
		if r.Booking == id && r.Kind == kindBook {
			r.Version = version
		}
	})
	in.eachBooking(func(r *target.BookingRow) {
		if r.ID == id {
			r.Version = version
		}
	})
	for i := range in.Requests {
		if r := &in.Requests[i]; r.Outcome == history.Ok && r.Booking == id {
			r.Version = version
		}
	}
}
