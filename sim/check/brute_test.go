package check

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// scribble draws a small history that may be nonsense: versions with gaps and doubles, answers at any time, cancels of anything.
func scribble(t *rapid.T) *Input {
	capacity := rapid.Int64Range(1, 3).Draw(t, "capacity")
	in := &Input{ParseKey: keyParser("g"), ParseAccount: parseAccount, Run: result.Run{Sales: []string{"main"}, Started: zero, Planned: 100}, Scenario: newWorldScenario()}
	in.Run.ClockErrMS = float64(rapid.IntRange(0, 3).Draw(t, "clock"))
	n := rapid.IntRange(1, 9).Draw(t, "bookings")
	for i := range n {
		v := rapid.Int64Range(0, 8).Draw(t, "version")
		seats := rapid.Int64Range(1, 3).Draw(t, "seats")
		id := int64(i + 1)
		row := target.BookingRow{ID: id, Sale: "main", Account: "a1", Key: fmt.Sprintf("g-%x", id), Quantity: int(seats), State: "live", Version: v}
		in.Ledger2 = append(in.Ledger2, target.LedgerRow{Sale: "main", Version: v, Kind: kindBook, Booking: id, Seats: -seats, Key: row.Key})
		if rapid.Bool().Draw(t, "cancelled") {
			row.State = cancelled
			in.Ledger2 = append(in.Ledger2, target.LedgerRow{Sale: "main", Version: rapid.Int64Range(v, 9).Draw(t, "undone"), Kind: kindCancel, Booking: id, Seats: seats, Key: row.Key})
		}
		in.Bookings2 = append(in.Bookings2, row)
		for a := range rapid.IntRange(0, 3).Draw(t, "attempts") {
			sent := rapid.Int64Range(0, 9).Draw(t, "sent") * msec
			r := history.Record{Intended: sent, Sent: sent, Done: sent + rapid.Int64Range(0, 4).Draw(t, "took")*msec, Intent: uint64(id), Attempt: uint8(a + 1), Op: history.OpBook,
				Outcome: rapid.SampledFrom([]history.Outcome{history.Ok, history.Unknown, history.Refused}).Draw(t, "outcome"), Booking: id, Version: v}
			in.Requests = append(in.Requests, r)
		}
	}
	in.Truth.Sales2 = []result.SaleRow{{Sale: "main", Capacity: capacity}}
	in.Truth.Sales1 = in.Truth.Sales2
	return in
}

// judged runs one check of the list.
func judged(in *Input, name string) result.Check {
	f := newFacts(in)
	for i := range checks {
		if checks[i].name == name {
			return checks[i].run(f)
		}
	}
	panic("no check " + name)
}

// moments gives the first sending and the first ok answer of a booking's intent.
func moments(in *Input, b target.BookingRow) (sent, answered int64) {
	sent, answered = never, never
	for _, r := range in.Requests {
		if fmt.Sprintf("g-%x", r.Intent) != b.Key {
			continue
		}
		sent = min(sent, r.Sent)
		if r.Outcome == history.Ok {
			answered = min(answered, r.Done)
		}
	}
	return sent, answered
}

func TestRealTimeOrderAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := scribble(t)
		overtaken := map[int64]bool{}
		for _, a := range in.Bookings2 {
			for _, b := range in.Bookings2 {
				_, answered := moments(in, a)
				sent, _ := moments(in, b)
				if a.ID == b.ID || a.Version <= 0 || b.Version <= 0 || answered == never || sent == never {
					continue
				}
				if answered+int64(in.Run.ClockErrMS)*msec < sent && a.Version >= b.Version {
					overtaken[b.ID] = true
				}
			}
		}
		if got := judged(in, "real_time_order"); got.Violations != int64(len(overtaken)) {
			t.Fatalf("real_time_order: got %d violations, want those of bookings %v\n%+v\n%+v", got.Violations, overtaken, in.Bookings2, in.Requests)
		}
	})
}

func TestNoOversellAgainstEveryPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := scribble(t)
		capacity, wrong := in.Truth.Sales2[0].Capacity, false
		for v := int64(0); v <= 10; v++ {
			byLedger, byRows := int64(0), int64(0)
			for _, r := range in.Ledger2 {
				if r.Version <= v {
					byLedger -= r.Seats
				}
			}
			for _, b := range in.Bookings2 {
				undone := int64(never)
				for _, r := range in.Ledger2 {
					if r.Kind == kindCancel && r.Booking == b.ID {
						undone = min(undone, r.Version)
					}
				}
				if b.Version <= v && v < undone {
					byRows += int64(b.Quantity)
				}
			}
			wrong = wrong || byLedger > capacity || byLedger < 0 || byRows > capacity
		}
		if got := judged(in, "no_oversell"); (got.Verdict == result.Fail) != wrong {
			t.Fatalf("no_oversell: got %s, want failed: %v\n%+v", got.Verdict, wrong, in.Ledger2)
		}
	})
}

func TestSoldOutWasTrueAgainstTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := scribble(t)
		sent := rapid.Int64Range(0, 12).Draw(t, "refused sent") * msec
		r := history.Record{Intended: sent, Sent: sent, Done: sent + rapid.Int64Range(0, 4).Draw(t, "refused took")*msec, Intent: 99, Attempt: 1, Op: history.OpBook, Outcome: history.Refused,
			Problem: history.SoldOut, Version: rapid.Int64Range(0, 9).Draw(t, "refused at"), Quantity: uint16(rapid.IntRange(1, 3).Draw(t, "wanted"))}
		free, last, wrong := in.Truth.Sales2[0].Capacity, int64(0), false
		for _, row := range in.Ledger2 {
			last = max(last, row.Version)
			if row.Version <= r.Version {
				free += row.Seats
			}
		}
		clock := int64(in.Run.ClockErrMS) * msec
		for _, b := range in.Bookings2 {
			first, answered := moments(in, b)
			wrong = wrong || b.Version > 0 && answered+clock < r.Sent && r.Version < b.Version && answered != never
			wrong = wrong || b.Version > 0 && first != never && first > r.Done+clock && r.Version >= b.Version
		}
		wrong = wrong || free >= int64(r.Quantity) || r.Version > last
		in.Requests = append(in.Requests, r)
		if got := judged(in, "sold_out_was_true"); (got.Verdict == result.Fail) != wrong {
			t.Fatalf("sold_out_was_true: got %s, want failed: %v\n%+v\n%+v", got.Verdict, wrong, in.Ledger2, in.Requests)
		}
	})
}

// Judge must end with a verdict that is no pass, and not panic, whatever the rows say.
func TestNonsenseIsJudged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := scribble(t)
		in.Requests = append(in.Requests, history.Record{Op: 200, Outcome: 99, Sale: 700, Crowd: 9, Visitor: 1 << 31, Intent: 3, Sent: -5, Done: -9, Problem: 77, Path: 9})
		if r := Judge(in); r.Exit == 0 || len(r.Checks) != len(checks) {
			t.Fatalf("Judge of nonsense: got %s, %d checks", r.Verdict, len(r.Checks))
		}
	})
}
