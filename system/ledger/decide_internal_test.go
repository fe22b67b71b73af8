package ledger

import (
	"errors"
	"testing"
	"time"

	"gatecrash/system/booking"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ask := func(account, key string, n int) booking.Intent {
		return booking.Intent{Sale: "s", Account: account, Key: key, Quantity: n}
	}
	sale := func(free int64, st booking.SaleState) booking.Sale {
		return booking.Sale{ID: "s", Capacity: 10, Free: free, Version: 7, State: st, PerAccount: 4}
	}
	have := func(account, key string, n int, st booking.State) row {
		b := booking.Booking{ID: 9, Sale: "s", Account: account, Key: key, Quantity: n, State: st, Version: 3}
		return row{Booking: b, payload: payload(ask(account, key, n))}
	}
	opensAt := func(at time.Time) booking.Sale {
		s := sale(10, booking.Scheduled)
		s.OpensAt = at
		return s
	}
	for _, c := range []struct {
		name    string
		sale    booking.Sale
		have    []row
		ask     booking.Intent
		err     error
		replay  bool
		version int64
	}{
		{"books at the next version", sale(10, booking.Open), nil, ask("a", "k", 2), nil, false, 8},
		{"books the last seats", sale(2, booking.Open), nil, ask("a", "k", 2), nil, false, 8},
		{"one seat too few", sale(1, booking.Open), nil, ask("a", "k", 2), booking.ErrSoldOut, false, 0},
		{"up to the account's limit", sale(10, booking.Open), []row{have("a", "k1", 2, booking.Live)}, ask("a", "k2", 2), nil, false, 8},
		{"over the account's limit", sale(10, booking.Open), []row{have("a", "k1", 2, booking.Live)}, ask("a", "k2", 3), booking.ErrAccountLimit, false, 0},
		{"cancelled seats do not count", sale(10, booking.Open), []row{have("a", "k1", 4, booking.Cancelled)}, ask("a", "k2", 4), nil, false, 8},
		{"another account's seats do not count", sale(10, booking.Open), []row{have("b", "k1", 4, booking.Live)}, ask("a", "k1", 4), nil, false, 8},
		{"the limit before sold out", sale(0, booking.Open), []row{have("a", "k1", 4, booking.Live)}, ask("a", "k2", 1), booking.ErrAccountLimit, false, 0},
		{"the state before the limit", sale(0, booking.Paused), []row{have("a", "k1", 4, booking.Live)}, ask("a", "k2", 1), booking.ErrNotOpen, false, 0},
		{"a replay before all", sale(0, booking.Closed), []row{have("a", "k1", 4, booking.Live)}, ask("a", "k1", 4), nil, true, 3},
		{"a replay of what was cancelled", sale(10, booking.Open), []row{have("a", "k1", 4, booking.Cancelled)}, ask("a", "k1", 4), nil, true, 3},
		{"a key reused before all", sale(0, booking.Closed), []row{have("a", "k1", 4, booking.Live)}, ask("a", "k1", 3), booking.ErrKeyReused, false, 0},
		{"scheduled without a time", sale(10, booking.Scheduled), nil, ask("a", "k", 1), booking.ErrNotOpen, false, 0},
		{"a moment before the opening", opensAt(now.Add(time.Microsecond)), nil, ask("a", "k", 1), booking.ErrNotOpen, false, 0},
		{"at the opening", opensAt(now), nil, ask("a", "k", 1), nil, false, 8},
		{"another sale's intent", sale(10, booking.Open), nil, booking.Intent{Sale: "r", Account: "a", Key: "k", Quantity: 1}, booking.ErrUnknownSale, false, 0},
		{"nothing asked for", sale(10, booking.Open), nil, ask("a", "k", 0), booking.ErrInvalid, false, 0},
	} {
		results, inserts := decide(c.sale, now, c.have, []booking.Intent{c.ask})
		r := results[0]
		if !errors.Is(r.Err, c.err) || (r.Err == nil) != (c.err == nil) {
			t.Errorf("%s: decide(%+v): got %v, want %v", c.name, c.ask, r.Err, c.err)
			continue
		}
		if got := r.Answer.Booking.Version; got != c.version || (r.Answer.Path == booking.PathReplay) != c.replay {
			t.Errorf("%s: decide(%+v): got version %d by %s, want %d, replay %v", c.name, c.ask, got, r.Answer.Path, c.version, c.replay)
		}
		if want := c.err == nil && !c.replay; (len(inserts) == 1) != want {
			t.Errorf("%s: decide(%+v): got %d inserts, want one: %v", c.name, c.ask, len(inserts), want)
		}
	}
}
