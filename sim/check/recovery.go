package check

import (
	"fmt"
	"sort"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// Numbers of the recovery rule.
const (
	recoveryWindow = int64(5 * time.Second)        // goodput must be back for this long
	recoveryStep   = int64(250 * time.Millisecond) // windows begin this far apart
	recoveryBefore = int64(10 * time.Second)       // the capability before a fault is the mean of at most this long
	recoveryShare  = 0.9
	recoveryMin    = 5 // intents that must want something in a window for it to say anything
)

// Words for how a system came out of a fault.
const (
	recovered  = "recovered"
	soldOut    = "sold-out" // the seats ran out after the heal: buyers were served
	metastable = "metastable"
	unmeasured = "nothing-to-measure"
)

// recovery is how the system came out of one fault.
type recovery struct {
	window     *result.FaultWindow
	state      string
	after      int64   // ns since the heal; only for recovered and sold-out
	capability float64 // bookings per second before the fault
	why        string  // nothing-to-measure: why
}

func (f *facts) recover() {
	gone := f.soldOutAt()
	answers := f.answerTimes()
	for i := range f.in.Faults {
		w := &f.in.Faults[i]
		f.recovers = append(f.recovers, f.recoveryOf(w, gone, answers))
	}
}

func (f *facts) recoveryOf(w *result.FaultWindow, gone int64, answers []int64) recovery {
	r := recovery{window: w, state: unmeasured}
	end := f.in.Run.EndMS * 1e6
	switch {
	case !w.Applied || !w.Healed:
		r.why = "the fault was not applied and healed"
		return r
	case gone <= w.HealedNS:
		r.why = "the seats had run out before the heal"
		return r
	}
	from := max(w.AppliedNS-recoveryBefore, f.openedAt())
	if w.AppliedNS-from < int64(time.Second) {
		r.why = "the sale had not been open for a second before the fault"
	} else if r.capability = rate(answers, from, w.AppliedNS); r.capability == 0 {
		r.why = "nobody booked before the fault"
	}
	if r.why == "" {
		r.state, r.after, r.why = f.firstGood(w.HealedNS, min(end, gone), r.capability, answers)
	}
	if gone != never && r.state != recovered {
		r.state, r.after, r.why = soldOut, gone-w.HealedNS, ""
	}
	return r
}

// firstGood looks for the first window after the heal in which goodput was back.
func (f *facts) firstGood(heal, end int64, capability float64, answers []int64) (state string, after int64, why string) {
	n := int((end - heal - recoveryWindow) / recoveryStep)
	if end-heal < recoveryWindow {
		return unmeasured, 0, "the run ended less than 5 s after the heal"
	}
	offered := f.offered(heal, n+1)
	said := false
	for k, d := range offered {
		if d < recoveryMin {
			continue
		}
		said = true
		from := heal + int64(k)*recoveryStep
		want := min(float64(d)/(float64(recoveryWindow)/1e9), capability)
		if rate(answers, from, from+recoveryWindow) >= recoveryShare*want {
			return recovered, from - heal, ""
		}
	}
	if !said {
		return unmeasured, 0, "nobody wanted a seat after the heal"
	}
	return metastable, 0, ""
}

// offered counts for each window the intents that tried in it and were neither booked before it nor ever refused for a reason of their own.
func (f *facts) offered(heal int64, n int) []int {
	counts := make([]int, n)
	for i := range f.intents {
		in := &f.intents[i]
		if !in.booked || f.refusedForItself(in) {
			continue
		}
		next := 0
		for _, k := range f.requests(in) {
			r := &f.in.Requests[k]
			if r.Op != history.OpBook || r.Intended < heal {
				continue
			}
			last := min(int((r.Intended-heal)/recoveryStep), n-1)
			first := max(next, int((r.Intended-heal-recoveryWindow)/recoveryStep)+1)
			if r.Intended-heal < recoveryWindow {
				first = next
			}
			for w := first; w <= last && in.answered >= heal+int64(w)*recoveryStep; w++ {
				counts[w]++
			}
			next = max(next, last+1)
		}
	}
	return counts
}

// refusedForItself reports a final refusal that no seat and no recovery would have changed.
func (f *facts) refusedForItself(in *intent) bool {
	for _, k := range f.requests(in) {
		if r := &f.in.Requests[k]; books(r.Op) && final(r) && r.Problem != history.SoldOut {
			return true
		}
	}
	return false
}

// answerTimes are the times of the first ok answers of the crowd's intents, ascending.
func (f *facts) answerTimes() []int64 {
	var all []int64
	for i := range f.intents {
		if in := &f.intents[i]; in.answered != never && f.toldInTime(in) {
			all = append(all, in.answered)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all
}

// rate of the times within [from, to), per second.
func rate(times []int64, from, to int64) float64 {
	if to <= from {
		return 0
	}
	i := sort.Search(len(times), func(i int) bool { return times[i] >= from })
	j := sort.Search(len(times), func(j int) bool { return times[j] >= to })
	return float64(j-i) / (float64(to-from) / 1e9)
}

// soldOutAt is when it was first known that no sale had the seats left that anybody still wanted; never: there were seats to the end.
func (f *facts) soldOutAt() int64 {
	wanted := f.leastWanted()
	at := int64(0)
	for i, s := range f.sales {
		at = max(at, s.knownBelow(wanted[i]))
	}
	if len(f.sales) == 0 {
		return never
	}
	return at
}

// leastWanted is by sale the smallest number of seats that an intent without a booking asked for; 1 where there is none.
func (f *facts) leastWanted() []int64 {
	least := make([]int64, len(f.sales))
	for i := range f.intents {
		in := &f.intents[i]
		if !in.booked || in.booking >= 0 || int(in.sale) >= len(least) {
			continue
		}
		if q := int64(in.quantity); least[in.sale] == 0 || q < least[in.sale] {
			least[in.sale] = q
		}
	}
	for i := range least {
		least[i] = max(least[i], 1)
	}
	return least
}

// knownBelow is the first time at which an answer showed that fewer than n seats had been left.
func (s *sale) knownBelow(n int64) int64 {
	for _, st := range s.steps {
		if st.free() >= n {
			continue
		}
		i := sort.Search(len(s.heard), func(i int) bool { return s.heard[i].version >= st.version })
		if i == len(s.heard) {
			return never
		}
		return s.heard[i].at
	}
	return never
}

// openedAt is when the first sale opened, by the operator's route, else as planned.
func (f *facts) openedAt() int64 {
	at := int64(never)
	for i := range f.sales {
		switch run := &f.in.Run; {
		case i < len(run.OpenedMS) && run.OpenedMS[i] >= 0:
			at = min(at, run.OpenedMS[i]*1e6)
		case i < len(run.OpensMS):
			at = min(at, run.OpensMS[i]*1e6)
		}
	}
	return at
}

// recoveryCheck reports every fault and fails only for faults whose recovery the scenario declares.
func recoveryCheck(f *facts, t *trial) {
	declared := map[string]bool{}
	for _, e := range f.in.Scenario.Expect {
		if e.Recovery != nil {
			declared[e.Recovery.Of] = true
		}
	}
	undeclared := 0
	for _, r := range f.recovers {
		t.note("%s", r.String())
		if r.state != unmeasured {
			t.samples++
		}
		if r.state != metastable {
			continue
		}
		if !declared[r.window.Name] {
			undeclared++
			continue
		}
		t.violate(result.Violation{AtMS: r.window.HealedNS / 1e6}, func() []string { return nil })
	}
	t.measured = fmt.Sprintf("%d of %d faults measured", t.samples, len(f.recovers))
	if undeclared > 0 && t.violations == 0 {
		t.samples = 0
		t.reason = fmt.Sprintf("METASTABLE after %d faults, but the scenario declares no recovery of them", undeclared)
	}
}

func (r recovery) String() string {
	switch r.state {
	case recovered:
		return fmt.Sprintf("%s: recovered %s after the heal; capability before it %.1f bookings/s", r.window.Name, ms(r.after), r.capability)
	case soldOut:
		return fmt.Sprintf("%s: sold out %s after the heal", r.window.Name, ms(r.after))
	case metastable:
		return fmt.Sprintf("%s: METASTABLE: goodput did not come back to %.0f %% of what was offered, or of %.1f bookings/s before the fault", r.window.Name, recoveryShare*100, r.capability)
	}
	return fmt.Sprintf("%s: nothing to measure: %s", r.window.Name, r.why)
}
