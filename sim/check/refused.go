package check

import (
	"fmt"

	"gatecrash/sim/history"
)

// refusedHasNone judges final refusals that overlap no other attempt of their intent: there must be no live booking of it before the answer.
// An attempt whose answer was lost may still be carried out at any later time, so it overlaps everything that comes after it.
func refusedHasNone(f *facts, t *trial) {
	for i := range f.intents {
		in := &f.intents[i]
		for _, k := range f.requests(in) {
			r := &f.in.Requests[k]
			if !books(r.Op) || !settled(r) || int(r.Sale) >= len(f.sales) || f.overlaps(in, r) {
				continue
			}
			t.samples++
			if in.booking < 0 {
				continue
			}
			if wrong := f.bookedYetRefused(in, r, &f.bookings[in.booking]); wrong != "" {
				t.violate(f.placeRequest(r, f.bookings[in.booking].row.Version), func() []string {
					return append([]string{wrong, tellBooking(f.bookings[in.booking].row)}, f.tellAttempts(in)...)
				})
			}
		}
	}
	t.measured = fmt.Sprintf("%d final refusals", t.samples)
}

// settled reports whether a refusal ends its intent. In the resume the gate's refusal does too: it was just reconciled, nobody else books, and
// the system looks a committed booking up before it repeats what the gate says.
func settled(r *history.Record) bool {
	return final(r) || r.Op == history.OpResumeBook && r.Outcome == history.Refused && r.Problem == history.SoldOutForNow
}

// overlaps reports whether another request of the intent was under way between the sending of r and its answer. The fence stands between the
// crowd's requests and the resume's: no request of the crowd has an effect after it.
func (f *facts) overlaps(in *intent, r *history.Record) bool {
	for _, k := range f.requests(in) {
		o := &f.in.Requests[k]
		if o == r || resumes(r.Op) && !resumes(o.Op) {
			continue
		}
		if o.Sent <= r.Done && effectEnd(o) >= r.Sent {
			return true
		}
	}
	return false
}

// effectEnd is when a request can have no more effect.
func effectEnd(r *history.Record) int64 {
	if r.Outcome == history.Unknown || r.Outcome == history.Unfinished {
		return never
	}
	return r.Done
}

// bookedYetRefused says how a booking is known to have been live when its intent was refused; empty: it is not known.
func (f *facts) bookedYetRefused(in *intent, r *history.Record, b *booking) string {
	s := f.sales[r.Sale]
	told := r.Problem == history.SoldOut && r.Version >= 0
	floor := s.floor(r.Sent - f.clockErr)
	if resumes(r.Op) {
		floor = max(floor, s.one.Version)
	}
	switch {
	case !f.otherMaker(in, r):
		return "it was booked, and no other attempt of the intent can have booked it"
	case told && b.row.Version <= r.Version && b.undone > r.Version:
		return fmt.Sprintf("it was booked at version %d and live at version %d, at which it was refused", b.row.Version, r.Version)
	case !told && b.row.Version <= floor && !f.cancelBegan(in, r.Done):
		return fmt.Sprintf("it was booked at version %d, and version %d was there before the refused attempt was sent", b.row.Version, floor)
	}
	return ""
}

// otherMaker reports whether another attempt of the intent may have made its booking. An earlier final refusal made none: it is judged by itself.
func (f *facts) otherMaker(in *intent, r *history.Record) bool {
	for _, k := range f.requests(in) {
		o := &f.in.Requests[k]
		if o != r && books(o.Op) && o.Outcome != history.Refused && o.Outcome != history.Failed {
			return true
		}
	}
	return false
}

// cancelBegan reports whether a cancel of the intent's booking was sent before a time.
func (f *facts) cancelBegan(in *intent, at int64) bool {
	for _, k := range f.requests(in) {
		o := &f.in.Requests[k]
		if (o.Op == history.OpCancel || o.Op == history.OpResumeCancel) && o.Sent <= at {
			return true
		}
	}
	return false
}

// limiterClosed wants no new booking while the limiter's store is down. A window begins one request deadline after the store went, so that
// what was past the limiter by then is through, and ends when the revert began: the store may be back before the revert has returned.
func limiterClosed(f *facts, t *trial) {
	for _, w := range f.closedWindows() {
		for i := range f.in.Requests {
			r := &f.in.Requests[i]
			if r.Op != history.OpBook || r.Sent < w.from || r.Sent >= w.to {
				continue
			}
			t.samples++
			if r.Outcome == history.Ok && r.Path == history.PathDB && r.Done < w.to {
				t.violate(f.placeRequest(r, r.Version), func() []string {
					return []string{fmt.Sprintf("the limiter's store was down from %s (%s, one request deadline later) to %s", ms(w.from), w.name, ms(w.to)), tellRequest(r)}
				})
			}
		}
	}
	t.measured = fmt.Sprintf("%d booking requests sent while it was down", t.samples)
}

// closed is a time in which the limiter must refuse everybody.
type closed struct {
	name     string
	from, to int64
}

func (f *facts) closedWindows() []closed {
	var all []closed
	for i := range f.in.Faults {
		w := &f.in.Faults[i]
		if !w.Applied || !w.Proven || w.Inject != "redis.kill" && w.Inject != "redis.pause" {
			continue
		}
		c := closed{name: w.Name, from: w.AppliedNS + f.in.Scenario.System.Timeouts.Request.Nanoseconds(), to: w.HealingNS}
		if c.to == 0 {
			c.to = w.HealedNS
		}
		if c.from < c.to {
			all = append(all, c)
		}
	}
	return all
}
