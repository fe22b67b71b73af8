package loadgen

import (
	"sync/atomic"
	"time"

	"gatecrash/sim/crowd"
	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// ops are the operations of a crowd, in the order of reports.
func ops() [4]history.Op {
	return [...]history.Op{history.OpLogin, history.OpLook, history.OpBook, history.OpCancel}
}

// counters are read while the crowd plays.
type counters struct {
	started  atomic.Int64
	waiting  atomic.Int64
	bookings atomic.Int64
	seats    atomic.Int64
	retries  atomic.Int64
	outcomes [history.OpResumeCancel + 1][history.Unfinished + 1]atomic.Int64
}

func (c *counters) count(r *history.Record) {
	c.outcomes[r.Op][r.Outcome].Add(1)
	if r.Op != history.OpBook {
		return
	}
	if r.Attempt > 1 {
		c.retries.Add(1)
	}
	if r.Outcome == history.Ok {
		c.bookings.Add(1)
		c.seats.Add(int64(r.Answered))
	}
}

func (c *counters) requests() []result.Requests {
	kinds := ops()
	all := make([]result.Requests, len(kinds))
	for i, op := range kinds {
		n := &c.outcomes[op]
		r := result.Requests{
			Op: op.String(), Ok: n[history.Ok].Load(), Refused: n[history.Refused].Load(), Failed: n[history.Failed].Load(),
			Unknown: n[history.Unknown].Load(), Unfinished: n[history.Unfinished].Load(),
		}
		r.Sent = r.Ok + r.Refused + r.Failed + r.Unknown + r.Unfinished
		all[i] = r
	}
	return all
}

// Live is a look at a crowd while it plays.
type Live struct {
	At       time.Duration // since zero
	Planned  int64         // visitors
	Started  int64         // visitors who have come
	Left     int64         // visitors who have left
	InFlight int64         // requests under way
	Waiting  int64         // steps that are due and found no room
	Answered []result.Requests
	Bookings int64 // ok answers to book; a cancel takes nothing off
	Seats    int64 // of those
	Retries  int64
	P50, P99 time.Duration // response time over the last seconds
	Stalls   int64         // pauses of the pacer above 100 ms
}

// Live gives the counters of this moment. They are read one after the other, so sums may be apart by what happened meanwhile.
func (e *Engine) Live() Live {
	l := Live{
		At: e.now(), Planned: int64(e.cfg.Plan.Len()), Started: e.live.started.Load(), Waiting: e.live.waiting.Load(),
		Answered: e.live.requests(), Bookings: e.live.bookings.Load(), Seats: e.live.seats.Load(), Retries: e.live.retries.Load(),
	}
	l.P50, l.P99 = e.meter.response(l.At)
	e.mu.Lock()
	for _, n := range e.left {
		l.Left += n
	}
	e.mu.Unlock()
	e.meter.mu.Lock()
	l.InFlight, l.Stalls = e.meter.inFlight, e.meter.stalls
	e.meter.mu.Unlock()
	return l
}

func (e *Engine) report(why Why, end time.Duration, self self) Report {
	r := Report{Why: why, End: end, Requests: e.live.requests()}
	r.Generator.InFlightCap = int64(e.cfg.InFlightCap)
	e.meter.fill(&r.Generator)
	self.fill(&r.Generator)
	e.mu.Lock()
	defer e.mu.Unlock()
	planned, started := int64(e.cfg.Plan.Len()), e.live.started.Load()
	r.Visitors = result.Visitors{
		Planned: planned, Started: started, NotStarted: planned - started,
		Booked: e.left[crowd.Booked], Refused: e.left[crowd.RefusedFinal], GaveUp: e.left[crowd.GaveUp],
		Unfinished: e.left[crowd.Unfinished] + int64(e.present),
	}
	return r
}
