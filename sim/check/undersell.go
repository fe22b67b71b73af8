package check

import (
	"fmt"
	"time"

	"gatecrash/sim/history"
)

// noUndersell looks for demand that the gate turned away while the seats for it were free, and stayed free to the end.
// Seats that came back only later are no undersell, nor is a visitor who would have come again had the run not ended.
func noUndersell(f *facts, t *trial) {
	lowest := make([][]int64, len(f.sales))
	for i, s := range f.sales {
		lowest[i] = s.lowestFree()
	}
	seats, visitors := make([]int64, len(f.sales)), 0
	live := f.liveByAccount()
	for i := range f.intents {
		in := &f.intents[i]
		r := f.turnedAway(in)
		if r == nil || int(in.sale) >= len(f.sales) {
			continue
		}
		t.samples++
		s := f.sales[in.sale]
		free := s.freeSince(lowest[in.sale], s.floor(r.Sent))
		if free < int64(in.quantity) || s.limit > 0 && live[holder{in.sale, in.account}]+int64(in.quantity) > s.limit {
			continue
		}
		seats[in.sale] += int64(in.quantity)
		visitors++
		t.violate(f.placeRequest(r, s.floor(r.Sent)), func() []string {
			return append([]string{fmt.Sprintf("at least %d seats were free from before this refusal to the end", free)}, f.tellAttempts(in)...)
		})
	}
	t.unit, t.measured = "seats", "0"
	for i, s := range f.sales {
		if seats[i] > 0 {
			t.measured = fmt.Sprint(min(seats[i], s.one.Free))
			t.note("sale %s: %d seats were free after drain and reconciliation, %d intents for %d seats had been refused by the gate", s.name, s.one.Free, visitors, seats[i])
		}
	}
}

// turnedAway gives the last answer of an intent that never booked, if the gate gave it; nil for every other intent.
func (f *facts) turnedAway(in *intent) *history.Record {
	if !in.booked || in.answered != never || in.booking >= 0 && f.inSnapshot1(in) {
		return nil
	}
	var last *history.Record
	for _, k := range f.requests(in) {
		r := &f.in.Requests[k]
		if r.Op != history.OpBook {
			continue
		}
		if r.Outcome == history.Unknown || r.Outcome == history.Unfinished {
			return nil
		}
		if last == nil || r.Done > last.Done {
			last = r
		}
	}
	if last == nil || last.Outcome != history.Refused || last.Problem != history.SoldOutForNow || !f.leftByItself(in, last) {
		return nil
	}
	return last
}

// inSnapshot1 reports whether the intent's booking was there before the resume.
func (f *facts) inSnapshot1(in *intent) bool {
	b := &f.bookings[in.booking]
	return b.sale >= 0 && b.row.Version <= f.sales[b.sale].one.Version
}

// leftByItself is false when the visitor may have been waiting for its next attempt as the run ended.
func (f *facts) leftByItself(in *intent, last *history.Record) bool {
	if f.in.Run.Visitors.Unfinished == 0 {
		return true
	}
	sc := f.in.Scenario
	if int(in.crowd) >= len(sc.Crowds) {
		return false
	}
	c := sc.Crowds[in.crowd]
	if int(last.Attempt) >= c.Retry.Attempts {
		return true
	}
	pause := time.Duration(last.Done) + c.Retry.Backoff.Cap + sc.System.Gate.ReconcileEvery
	return pause < time.Duration(f.in.Run.EndMS)*time.Millisecond
}

// lowestFree gives for each step the fewest free seats from it to snapshot 1, by the ledger.
func (s *sale) lowestFree() []int64 {
	low := make([]int64, len(s.steps))
	least := int64(never)
	for i := len(s.steps) - 1; i >= 0; i-- {
		if s.steps[i].version <= s.one.Version {
			least = min(least, s.steps[i].free())
		}
		low[i] = least
	}
	return low
}

// freeSince is the fewest free seats at a version and all later ones up to snapshot 1.
func (s *sale) freeSince(lowest []int64, version int64) int64 {
	free := min(s.one.Free, s.at(version).free())
	for i, j := 0, len(s.steps); i < j; {
		m := (i + j) / 2
		if s.steps[m].version <= version {
			i = m + 1
		} else {
			j = m
		}
		if i == j && i < len(s.steps) {
			free = min(free, lowest[i])
		}
	}
	return free
}

// holder is an account in a sale.
type holder struct {
	sale    uint16
	account uint32
}

// liveByAccount sums the live seats of snapshot 1.
func (f *facts) liveByAccount() map[holder]int64 {
	live := make(map[holder]int64, len(f.in.Bookings1))
	for i := range f.in.Bookings1 {
		row := &f.in.Bookings1[i]
		account, ok := f.in.ParseAccount(row.Account)
		if s := f.saleIndex(row.Sale); ok && s >= 0 && row.State != cancelled {
			live[holder{uint16(s), account}] += int64(row.Quantity)
		}
	}
	return live
}
