package ledger

import (
	"bytes"
	"crypto/sha256"
	"strconv"
	"time"

	"gatecrash/system/booking"
)

// row is a booking as the truth holds it.
type row struct {
	booking.Booking
	cancelled int64  // the version of its cancel; 0: live
	payload   []byte // hash of what the intent asked for beside its key
}

func (r row) intent() string { return booking.Intent{Account: r.Account, Key: r.Key}.ID() }

// payload is the hash of all that an intent asks for and that its key does not name.
func payload(in booking.Intent) []byte {
	h := sha256.Sum256([]byte("quantity=" + strconv.Itoa(in.Quantity)))
	return h[:]
}

// decide decides the intents of one sale in order, each on its own version. have is what the truth holds of their accounts: all live
// bookings, and any under the intents' keys. It returns one result for each intent and the bookings to insert, whose IDs, and so the IDs in
// their results, are still 0. It is pure.
func decide(s booking.Sale, now time.Time, have []row, intents []booking.Intent) ([]booking.Result, []row) {
	d := decider{sale: s, state: s.StateAt(now), known: map[string]row{}, live: map[string]int{}}
	for _, r := range have {
		d.add(r)
	}
	results := make([]booking.Result, len(intents))
	for i, in := range intents {
		results[i] = d.one(in)
	}
	return results, d.inserts
}

// decider is the sale as it stands between two intents of a batch.
type decider struct {
	sale    booking.Sale
	state   booking.SaleState
	known   map[string]row // by intent
	live    map[string]int // live seats by account
	inserts []row
}

func (d *decider) add(r row) {
	d.known[r.intent()] = r
	if r.State == booking.Live {
		d.live[r.Account] += r.Quantity
	}
}

// one decides an intent. The order of the questions is the protocol's: a replay is answered whatever the state, the limit and the seats.
func (d *decider) one(in booking.Intent) booking.Result {
	if in.Sale != d.sale.ID {
		return booking.Result{Err: booking.ErrUnknownSale}
	}
	if err := in.Validate(); err != nil {
		return booking.Result{Err: err}
	}
	if r, ok := d.known[in.ID()]; ok {
		return replay(r, in)
	}
	switch {
	case d.state != booking.Open:
		return booking.Result{Err: &booking.StateError{State: d.state}}
	case d.live[in.Account]+in.Quantity > d.sale.PerAccount:
		return booking.Result{Err: booking.ErrAccountLimit}
	case d.sale.Free < int64(in.Quantity):
		return booking.Result{Err: &booking.SoldOutError{Version: d.sale.Version, Free: d.sale.Free}}
	}
	return d.book(in)
}

func (d *decider) book(in booking.Intent) booking.Result {
	d.sale.Version++
	d.sale.Free -= int64(in.Quantity)
	r := row{Booking: booking.Booking{
		Sale: in.Sale, Account: in.Account, Key: in.Key, Quantity: in.Quantity, State: booking.Live, Version: d.sale.Version,
	}, payload: payload(in)}
	d.add(r)
	d.inserts = append(d.inserts, r)
	return booking.Result{Answer: booking.Answer{Booking: r.Booking, Path: booking.PathDB}}
}

func replay(r row, in booking.Intent) booking.Result {
	if !bytes.Equal(r.payload, payload(in)) {
		return booking.Result{Err: booking.ErrKeyReused}
	}
	return booking.Result{Answer: booking.Answer{Booking: r.Booking, Path: booking.PathReplay}}
}

// number gives the bookings that decide left without an ID the ID that their insert returned for their version.
func number(results []booking.Result, ids map[int64]int64) {
	for i := range results {
		if b := &results[i].Answer.Booking; results[i].Err == nil && b.ID == 0 {
			b.ID = ids[b.Version]
		}
	}
}
