package measure

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// Series is what series.csv and response.hlog are made of.
type Series struct {
	Records  []history.Record // of the crowd and of the resume, in any order
	Timeline Timeline
	Zero     time.Time // wall clock at the run's zero; start time of the histogram log
	// Arrivals are the planned arrivals of those who came, in nanoseconds since zero. nil: a visitor arrives with its first request.
	Arrivals []int64
	// SeatsLeft is how many seats of all sales were free at an instant; false: not known. nil: never known.
	SeatsLeft func(at int64) (int64, bool)
}

// writer writes both files in one pass over the seconds.
type writer struct {
	Series
	seconds *seconds
	rows    *csv.Writer
	log     *hdrhistogram.HistogramLogWriter
	times   [opKinds]*pair // of the present second; index 0 is all operations
	flight  [opKinds]int64 // requests under way at the end of the present second
}

// Write writes series.csv to table and response.hlog to log. "all" is every operation, the resume's included; it has its own rows, after the crowd's end.
func (s Series) Write(table, log io.Writer) error {
	w := &writer{Series: s}
	var err error
	if w.seconds, err = newSeconds(s.Records); err != nil {
		return err
	}
	w.arrive()
	for op := range w.times {
		w.times[op] = newPair(digitsSecond)
	}
	rows, lines := bufio.NewWriter(table), bufio.NewWriter(log)
	w.rows, w.log = csv.NewWriter(rows), hdrhistogram.NewHistogramLogWriter(lines)
	if err := w.write(); err != nil {
		return err
	}
	w.rows.Flush()
	for _, err := range []error{w.rows.Error(), rows.Flush(), lines.Flush()} {
		if err != nil {
			return fmt.Errorf("write series: %w", err)
		}
	}
	return nil
}

// arrive replaces the arrivals seen by those planned.
func (w *writer) arrive() {
	if w.Arrivals == nil {
		return
	}
	for i := range w.seconds.cells {
		w.seconds.cells[i][0].arrivals = 0
	}
	for _, at := range w.Arrivals {
		if i := secondOf(at) - w.seconds.first; i >= 0 && i < int64(len(w.seconds.cells)) {
			w.seconds.cells[i][0].arrivals++
		}
	}
}

func (w *writer) write() error {
	if err := w.rows.Write(result.SeriesColumns()); err != nil {
		return err
	}
	if err := w.head(); err != nil {
		return err
	}
	used := w.used()
	for i := range w.seconds.cells {
		if err := w.second(i, used); err != nil {
			return err
		}
	}
	return nil
}

// used lists the operations that occur.
func (w *writer) used() (used []history.Op) {
	for _, op := range ops() {
		for i := range w.seconds.cells {
			if w.seconds.cells[i][op].intended > 0 {
				used = append(used, op)
				break
			}
		}
	}
	return used
}

func (w *writer) second(i int, used []history.Op) error {
	for _, p := range w.times {
		p.reset()
	}
	for _, at := range w.seconds.done(i) {
		r := &w.Records[at]
		w.times[0].add(r)
		w.times[r.Op].add(r)
	}
	for _, op := range append([]history.Op{0}, used...) {
		if err := w.rows.Write(w.row(i, op)); err != nil {
			return err
		}
		if op == 0 {
			continue
		}
		if err := w.intervals(i, op); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) row(i int, op history.Op) []string {
	c, t := w.seconds.cells[i][op], w.times[op]
	w.flight[op] += c.begun - c.ended
	second := w.seconds.first + int64(i)
	name := "all"
	if op != 0 {
		name = op.String()
	}
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	us := func(t *tally, percentile float64) string {
		if t.n == 0 {
			return ""
		}
		return whole(t.at(percentile) / 1000)
	}
	return []string{
		whole(second), name, whole(c.arrivals), whole(c.intended), whole(c.sent),
		whole(c.outcomes[history.Ok]), whole(c.outcomes[history.Refused]), whole(c.outcomes[history.Failed]),
		whole(c.outcomes[history.Unknown]), whole(c.outcomes[history.Unfinished]),
		whole(c.bookings), whole(c.retries), whole(w.flight[op]),
		us(t.response, 50), us(t.response, 99), us(t.service, 50), us(t.service, 99),
		w.seats(second), w.Timeline.At(second*int64(time.Second) + int64(time.Second)/2).String(),
	}
}

// seats left at the end of the second.
func (w *writer) seats(second int64) string {
	if w.SeatsLeft == nil {
		return ""
	}
	n, known := w.SeatsLeft((second + 1) * int64(time.Second))
	if !known {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
