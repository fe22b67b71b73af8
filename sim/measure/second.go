package measure

import (
	"fmt"
	"time"

	"gatecrash/sim/history"
)

// maxSeconds bounds the series. A run is minutes or hours; a record two days away is damage, not a run.
const maxSeconds = 48 * 60 * 60

// counts of one operation in one second.
type counts struct {
	arrivals, intended, sent int64
	outcomes                 [history.Unfinished + 1]int64
	bookings, retries        int64
	begun, ended             int64 // of requests under way, for in_flight
}

// seconds holds the counts of a run by second and operation, and the records of each second.
type seconds struct {
	first  int64 // the second of cells[0]; 0, or below it
	cells  [][opKinds]counts
	starts []int   // of each second in byDone
	byDone []int32 // indices of the records, by the second they were done in
}

func secondOf(ns int64) int64 {
	s := ns / int64(time.Second)
	if ns < 0 && ns%int64(time.Second) != 0 {
		s--
	}
	return s
}

// newSeconds counts the records.
func newSeconds(records []history.Record) (*seconds, error) {
	s := &seconds{}
	last, err := s.bounds(records)
	if err != nil {
		return nil, err
	}
	s.cells = make([][opKinds]counts, last-s.first+1)
	seen, booked := map[uint32]int64{}, map[uint64]bool{}
	for i := range records {
		r := &records[i]
		s.count(r, booked)
		if at, ok := seen[r.Visitor]; !ok || r.Intended < at {
			seen[r.Visitor] = r.Intended
		}
	}
	for _, at := range seen {
		s.at(at)[0].arrivals++
	}
	s.sort(records)
	return s, nil
}

func (s *seconds) bounds(records []history.Record) (last int64, err error) {
	for i := range records {
		r := &records[i]
		s.first = min(s.first, secondOf(r.Intended))
		last = max(last, secondOf(r.Done), secondOf(r.Sent), secondOf(r.Intended))
		if s.first < -maxSeconds || last > maxSeconds {
			return 0, fmt.Errorf("series: record %d lies at %v, more than %d s from the run's zero", i, time.Duration(r.Done), maxSeconds)
		}
	}
	return last, nil
}

func (s *seconds) at(ns int64) *[opKinds]counts { return &s.cells[secondOf(ns)-s.first] }

// count counts a request under its operation and under all. A booking counts once for each intent, when its visitor first heard of it.
func (s *seconds) count(r *history.Record, booked map[uint64]bool) {
	news := r.Op == history.OpBook && r.Outcome == history.Ok && !booked[r.Intent]
	if news {
		booked[r.Intent] = true
	}
	for _, op := range [...]history.Op{0, r.Op} {
		s.at(r.Intended)[op].intended++
		s.at(r.Sent)[op].sent++
		s.at(r.Sent)[op].begun++
		done := &s.at(r.Done)[op]
		done.outcomes[r.Outcome]++
		done.ended++
		if news {
			done.bookings++
		}
		if r.Op == history.OpBook && r.Attempt > 1 {
			s.at(r.Sent)[op].retries++
		}
	}
}

// sort groups the records by the second they were done in, by counting.
func (s *seconds) sort(records []history.Record) {
	s.starts = make([]int, len(s.cells)+1)
	for i := range records {
		s.starts[secondOf(records[i].Done)-s.first+1]++
	}
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	next := append([]int(nil), s.starts...)
	s.byDone = make([]int32, len(records))
	for i := range records {
		at := &next[secondOf(records[i].Done)-s.first]
		s.byDone[*at] = int32(i)
		*at++
	}
}

// done gives the indices of the records that were done in the i-th second.
func (s *seconds) done(i int) []int32 { return s.byDone[s.starts[i]:s.starts[i+1]] }
