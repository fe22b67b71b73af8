package check

import (
	"fmt"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
)

// findings are worth reading and decide nothing.
func (f *facts) findings() []result.Finding {
	all := []result.Finding{}
	note := func(n int64, format string, args ...any) {
		if n > 0 {
			all = append(all, result.Finding{Severity: "note", Text: fmt.Sprintf(format, args...)})
		}
	}
	warn := func(n int64, format string, args ...any) {
		if n > 0 {
			all = append(all, result.Finding{Severity: "warning", Text: fmt.Sprintf(format, args...)})
		}
	}
	book, truth := f.of(history.OpBook), &f.in.Truth
	note(book.replayed, "%d bookings were told again to a retry of the same key", book.replayed)
	note(truth.Resumed, "%d unknown requests were asked again at the end: %d answered with a booking, %d of them made only then, %d not answered",
		truth.Resumed, truth.ResumedOk, truth.ResumedNew, truth.ResumeLost)
	unheard := f.unheard()
	note(unheard, "%d bookings were committed and never told to their visitor before the resume", unheard)
	twice := f.bookedTwice()
	warn(twice, "%d visitors of crowds with fresh keys hold more than one booking: a new key for a retry makes a new intent", twice)
	for _, r := range f.recovers {
		if r.state == metastable {
			warn(1, "%s", r.String())
		}
	}
	warn(f.in.TailLost, "%d bytes of a torn last record were cut from the requests", f.in.TailLost)
	return all
}

// unheard counts bookings of snapshot 1 that no attempt of the crowd was told of.
func (f *facts) unheard() int64 {
	n := int64(0)
	for i := range f.intents {
		if in := &f.intents[i]; in.booking >= 0 && f.inSnapshot1(in) && !f.toldInTime(in) {
			n++
		}
	}
	return n
}

// bookedTwice counts visitors with more than one live booking in crowds that take a fresh key for each attempt.
func (f *facts) bookedTwice() int64 {
	live, n := map[uint32]int{}, int64(0)
	for i := range f.bookings {
		b := &f.bookings[i]
		if b.intent < 0 || b.row.State == cancelled || !fresh(f.in.Scenario, f.intents[b.intent].crowd) {
			continue
		}
		v := f.intents[b.intent].visitor
		live[v]++
		if live[v] == 2 {
			n++
		}
	}
	return n
}

func fresh(sc *scenario.Scenario, crowd uint16) bool {
	return int(crowd) < len(sc.Crowds) && sc.Crowds[crowd].Retry.Key == "fresh"
}
