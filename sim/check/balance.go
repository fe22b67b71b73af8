package check

import (
	"fmt"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// operations in the order of reports.
func operations() []history.Op {
	return []history.Op{history.OpLogin, history.OpLook, history.OpBook, history.OpCancel, history.OpResumeBook, history.OpResumeCancel}
}

// tally counts the requests of one operation.
type tally struct {
	result.Requests
	odd      int64 // outcomes that do not exist
	late     int64 // sent more than onTime after they were intended
	gate     int64 // refused by the gate
	database int64 // refused sold out by the database
	replayed int64 // ok from the row of an earlier attempt
}

// count goes over every request once.
func (f *facts) count() {
	for i := range f.in.Requests {
		r := &f.in.Requests[i]
		t := f.tallies[r.Op]
		if t == nil {
			t = &tally{Requests: result.Requests{Op: r.Op.String()}}
			f.tallies[r.Op] = t
		}
		t.take(r)
		if !resumes(r.Op) {
			f.arrive(r)
		}
	}
}

func (t *tally) take(r *history.Record) {
	t.Sent++
	if lateness(r) > onTime {
		t.late++
	}
	switch r.Outcome {
	case history.Ok:
		t.Ok++
		if r.Path == history.PathReplay {
			t.replayed++
		}
	case history.Refused:
		t.Refused++
		if r.Problem == history.SoldOutForNow {
			t.gate++
		}
		if r.Problem == history.SoldOut {
			t.database++
		}
	case history.Failed:
		t.Failed++
	case history.Unknown:
		t.Unknown++
	case history.Unfinished:
		t.Unfinished++
	default:
		t.odd++
	}
}

// arrive keeps the first intended time of a visitor.
func (f *facts) arrive(r *history.Record) {
	if int64(r.Visitor) >= f.in.Run.Planned {
		f.strangers++
		return
	}
	for int(r.Visitor) >= len(f.arrived) {
		f.arrived = append(f.arrived, never)
	}
	f.arrived[r.Visitor] = min(f.arrived[r.Visitor], r.Intended)
}

// of gives the tally of an operation; all zero where there was none.
func (f *facts) of(op history.Op) *tally {
	if t := f.tallies[op]; t != nil {
		return t
	}
	return &tally{Requests: result.Requests{Op: op.String()}}
}

// arrivalsAccounted holds the generator's counts against each other and against the records.
func arrivalsAccounted(f *facts, t *trial) {
	v := f.in.Run.Visitors
	t.samples = v.Started
	t.measured = fmt.Sprintf("%d planned = %d started + %d not; started = %d booked + %d refused + %d gave up + %d unfinished",
		v.Planned, v.Started, v.NotStarted, v.Booked, v.Refused, v.GaveUp, v.Unfinished)
	wrong := func(format string, args ...any) {
		t.violate(result.Violation{}, func() []string { return []string{fmt.Sprintf(format, args...)} })
	}
	if v.Planned != v.Started+v.NotStarted || v.Planned != f.in.Run.Planned {
		wrong("%d visitors planned (the plan has %d), %d started and %d did not", v.Planned, f.in.Run.Planned, v.Started, v.NotStarted)
	}
	if sum := v.Booked + v.Refused + v.GaveUp + v.Unfinished; v.Started != sum {
		wrong("%d visitors started, %d left or stayed", v.Started, sum)
	}
	if f.strangers > 0 {
		wrong("%d requests come from visitors beyond the %d of the plan", f.strangers, f.in.Run.Planned)
	}
	if seen := f.visitorsSeen(); seen > v.Started {
		wrong("%d visitors sent requests, %d started", seen, v.Started)
	}
	if booked := f.visitorsBooked(); v.Booked > booked {
		wrong("%d visitors are counted as booked, the records hold an ok answer for %d", v.Booked, booked)
	}
	for _, op := range operations() {
		if c := f.of(op); c.odd > 0 {
			wrong("%s: %d sent = %d ok + %d refused + %d failed + %d unknown + %d unfinished + %d with no outcome",
				c.Op, c.Sent, c.Ok, c.Refused, c.Failed, c.Unknown, c.Unfinished, c.odd)
		}
	}
	if n := f.in.Run.Records; n > 0 && n != int64(len(f.in.Requests)) {
		wrong("%d requests were written, %d are in the records", n, len(f.in.Requests))
	}
}

func (f *facts) visitorsSeen() int64 {
	n := int64(0)
	for _, at := range f.arrived {
		if at != never {
			n++
		}
	}
	return n
}

// visitorsBooked counts visitors whom the crowd's own attempts told of a booking.
func (f *facts) visitorsBooked() int64 {
	told := make([]bool, len(f.arrived))
	n := int64(0)
	for i := range f.intents {
		in := &f.intents[i]
		if in.answered == never || int(in.visitor) >= len(told) || told[in.visitor] || !f.toldInTime(in) {
			continue
		}
		told[in.visitor] = true
		n++
	}
	return n
}

// toldInTime reports whether an attempt of the crowd, not of the resume, was answered ok.
func (f *facts) toldInTime(in *intent) bool {
	for _, k := range f.requests(in) {
		if r := &f.in.Requests[k]; r.Op == history.OpBook && r.Outcome == history.Ok {
			return true
		}
	}
	return false
}
