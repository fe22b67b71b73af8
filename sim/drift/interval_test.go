package drift

import (
	"testing"

	"gatecrash/sim/target"
)

func book(version int64, who string, n int64) target.LedgerRow {
	return target.LedgerRow{Sale: "main", Version: version, Kind: "book", Account: who, Key: "k", Seats: -n}
}

func debit(who string, n int) target.GateDebit {
	return target.GateDebit{Account: who, Key: "k", Quantity: n}
}

func TestInterval(t *testing.T) {
	cases := []struct {
		name      string
		before    []target.LedgerRow // read before the gate
		after     []target.LedgerRow // read after it
		view      target.GateView
		low, high int64
	}{
		{"nothing happened", nil, nil, target.GateView{Avail: 10}, 0, 0},
		{"a debit under way is no drift", nil, nil, target.GateView{Avail: 8, Debits: []target.GateDebit{debit("a", 2)}}, 0, 0},
		{"its commit between the readings changes nothing", nil, []target.LedgerRow{book(1, "a", 2)},
			target.GateView{Avail: 8, Debits: []target.GateDebit{debit("a", 2)}}, 0, 0},
		{"committed and not settled", []target.LedgerRow{book(1, "a", 2)}, nil,
			target.GateView{Avail: 8, Debits: []target.GateDebit{debit("a", 2)}}, 0, 0},
		{"subtracted twice by a repair until it settles", []target.LedgerRow{book(1, "a", 2)}, nil,
			target.GateView{Avail: 6, Floor: 1, Debits: []target.GateDebit{debit("a", 2)}}, -2, -2},
		{"booked past the gate: surplus", []target.LedgerRow{book(1, "a", 3)}, nil, target.GateView{Avail: 10}, 3, 3},
		{"booked past the gate between the readings: either", nil, []target.LedgerRow{book(1, "a", 3)}, target.GateView{Avail: 10}, 0, 3},
		{"booked and settled between the readings: the gate's floor decides", nil, []target.LedgerRow{book(1, "a", 3)},
			target.GateView{Avail: 7, Floor: 1}, 0, 0},
		{"seats lost: leak", nil, nil, target.GateView{Avail: 4}, -6, -6},
		{"a floor beyond what was read uses the last state", []target.LedgerRow{book(1, "a", 3)}, nil, target.GateView{Avail: 7, Floor: 9}, 0, 0},
		{"seats returned by a cancel past the gate", []target.LedgerRow{book(1, "a", 3)},
			[]target.LedgerRow{{Sale: "main", Version: 2, Kind: "cancel", Account: "a", Key: "k", Seats: 3}}, target.GateView{Avail: 7, Floor: 1}, -3, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := newLedger(target.SaleRow{Sale: "main", Capacity: 10, Free: 10})
			l.take(c.before)
			states := []state{{l.version, l.free}}
			if iv := l.measure(c.view, append(states, l.take(c.after)...)); iv.low != c.low || iv.high != c.high {
				t.Errorf("measure() = [%d, %d], want [%d, %d]", iv.low, iv.high, c.low, c.high)
			}
		})
	}
}
