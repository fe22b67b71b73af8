package check

import (
	"slices"
	"testing"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// Histories that look wrong and are not: no check may fail.
func TestLegalOddities(t *testing.T) {
	tests := []struct {
		name string
		from func() *Input
		do   func(in *Input)
	}{
		{"a retry of a cancelled booking is told of it again", calm, func(in *Input) { in.afterCancel() }},
		{"a retry of a cancelled booking is refused at a later version", rush, func(in *Input) {
			r, undone := in.afterCancel()
			refuse(r, history.SoldOut)
			r.Version = in.fullAfter(undone, r)
		}},
		{"a retry is refused for the account's limit after its own cancel was sent", calm, func(in *Input) {
			r, _ := in.afterCancel()
			refuse(r, history.AccountLimit)
		}},
		{"two attempts side by side, one booked and one refused", calm, func(in *Input) {
			b := in.plain()
			first := *in.attempts(b)[0]
			r := in.replay(b)
			refuse(r, history.AccountLimit)
			r.Intended, r.Sent, r.Done = first.Intended, first.Sent, first.Done
		}},
		{"a refusal, then a booking by an attempt that was given up before it", calm, func(in *Input) {
			b := in.plain()
			lost := in.attempts(b)[0]
			refused := *lost
			refuse(&refused, history.AccountLimit)
			refused.Attempt, refused.Intended, refused.Sent, refused.Done = 2, lost.Done+msec, lost.Done+msec, lost.Done+2*msec
			lost.Outcome, lost.Error, lost.Version, lost.Booking, lost.Answered, lost.Path = history.Unknown, history.ErrTimeout, -1, 0, 0, history.NoPath
			in.Requests = append(in.Requests, refused)
			in.Run.Records++
			in.unbook()
		}},
		{"an answer to one generator, seen by the other within the clock error", calm, func(in *Input) {
			in.Run.ClockErrMS = 1e6
			a, b := in.apart()
			in.swap(a, b)
		}},
		{"seats that came back after the gate had refused them", rush, func(in *Input) {
			b := in.pick(func(b target.BookingRow, all []*history.Record) bool {
				return b.Version > 30 && b.State != cancelled && len(all) == 1
			})
			seats := int64(b.Quantity)
			in.append(kindCancel, b, seats)
			in.Ledger1 = append(in.Ledger1, in.Ledger2[len(in.Ledger2)-1])
			in.Truth.Sales1[0] = in.Truth.Sales2[0]
			in.eachBooking(func(r *target.BookingRow) {
				if r.ID == b.ID {
					r.State = cancelled
				}
			})
			in.Truth.Reconciled = []result.ReconcileRow{{Pass: 2, Sale: "sale0", Known: true, From: in.Truth.Sales1[0].Free, To: in.Truth.Sales1[0].Free, Free: in.Truth.Sales1[0].Free}}
		}},
		{"records lost with a torn tail", calm, func(in *Input) {
			n, _ := in.ParseKey(in.plain().Key)
			in.Requests = slices.DeleteFunc(in.Requests, func(r history.Record) bool { return r.Intent == n })
			in.Run.Records, in.TailLost = 0, 40
			in.unbook()
		}},
		{"capacity added during the sale", rush, func(in *Input) {
			in.append("capacity", target.BookingRow{Sale: "sale0"}, 10)
			in.Ledger1 = append(in.Ledger1, in.Ledger2[len(in.Ledger2)-1])
			in.Truth.Sales2[0].Capacity += 10
			in.Truth.Sales1[0] = in.Truth.Sales2[0]
			free := in.Truth.Sales1[0].Free
			in.Truth.Reconciled = []result.ReconcileRow{{Pass: 2, Sale: "sale0", Known: true, From: free, To: free, Free: free}}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.from()
			tt.do(in)
			if r := Judge(in); len(verdicts(r, result.Fail)) > 0 {
				t.Errorf("Judge: got %q failed, want none\n%s", verdicts(r, result.Fail), explain(r))
			}
		})
	}
}

// afterCancel adds one more attempt of a booking whose cancel was told, after that answer; it replays the booking.
func (in *Input) afterCancel() (r *history.Record, undone int64) {
	for i := range in.Requests {
		c := in.Requests[i]
		if c.Op != history.OpCancel || c.Outcome != history.Ok {
			continue
		}
		b := in.pick(func(b target.BookingRow, _ []*history.Record) bool { return b.ID == c.Booking })
		all := in.attempts(b)
		if len(all) != 1 {
			continue
		}
		for _, row := range in.Ledger2 {
			if row.Kind == kindCancel && row.Booking == b.ID {
				undone = row.Version
			}
		}
		r = in.replay(b)
		r.Intended, r.Sent, r.Done = c.Done+sec, c.Done+sec, c.Done+sec+msec
		return r, undone
	}
	panic("no cancel that was told: change the seed of the history")
}

// fullAfter moves a request to the end of the crowd and gives the last version, at which the sale was full.
func (in *Input) fullAfter(undone int64, r *history.Record) int64 {
	end := in.Run.EndMS * msec
	r.Intended, r.Sent, r.Done = end-2*msec, end-2*msec, end-msec
	if v := in.Truth.Sales1[0]; v.Version > undone && v.Free < int64(r.Quantity) {
		return v.Version
	}
	panic("the sale was not full: change the seed of the history")
}
