package drift

import "gatecrash/sim/target"

// intent names a wish within a sale.
type intent struct{ account, key string }

// ledger is the part of a sale's truth that a sample needs: the rows read so far, folded.
type ledger struct {
	sale    string
	version int64            // of the last row read
	free    int64            // at version
	booked  map[intent]int64 // version at which an intent was booked
}

func newLedger(row target.SaleRow) *ledger {
	return &ledger{sale: row.Sale, version: row.Version, free: row.Free, booked: map[intent]int64{}}
}

// take folds newly read rows, and gives free after each of them: the possible states of the truth since the last reading.
// Versions that stand twice are folded twice: whether they may is the business of a check.
func (l *ledger) take(rows []target.LedgerRow) []state {
	states := make([]state, 0, len(rows))
	for _, row := range rows {
		l.version, l.free = row.Version, l.free+row.Seats
		if row.Kind == "book" {
			l.booked[intent{row.Account, row.Key}] = row.Version
		}
		states = append(states, state{l.version, l.free})
	}
	return states
}

// state is free at a version.
type state struct{ version, free int64 }

// interval is what the drift was at the gate's instant: somewhere in [Low, High], where the truth's free seats, less what is debited, were in [FreeLow, FreeHigh].
type interval struct {
	low, high         int64
	freeLow, freeHigh int64
}

// measure computes the interval. states are the truth's possible states at the gate's instant, oldest first and at least one: the one of the reading before, and each since.
func (l *ledger) measure(view target.GateView, states []state) interval {
	from := 0
	for from < len(states)-1 && states[from].version < view.Floor {
		from++ // the gate has heard of a later version, so the truth stood there at least
	}
	var iv interval
	for i, s := range states[from:] {
		e := s.free - l.unbooked(view.Debits, s.version)
		if i == 0 || e < iv.freeLow {
			iv.freeLow = e
		}
		if i == 0 || e > iv.freeHigh {
			iv.freeHigh = e
		}
	}
	iv.low, iv.high = view.Avail-iv.freeHigh, view.Avail-iv.freeLow
	return iv
}

// unbooked is how many seats are debited for intents that had no booking at version.
func (l *ledger) unbooked(debits []target.GateDebit, version int64) (n int64) {
	for _, d := range debits {
		if at, ok := l.booked[intent{d.Account, d.Key}]; !ok || at > version {
			n += int64(d.Quantity)
		}
	}
	return n
}
