package drift

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// readTimeout bounds each reading of a sample; a slower server is unknown at that instant.
const readTimeout = 150 * time.Millisecond

// flushEvery is the longest that a sample stays in memory.
const flushEvery = time.Second

// Sampler takes samples of every sale and appends them to drift.csv as it goes.
type Sampler struct {
	gate  target.Gate
	truth target.Truth
	every time.Duration
	sales []*watch

	mu      sync.Mutex
	file    *os.File
	buf     *bufio.Writer
	csv     *csv.Writer
	zero    time.Time
	flushed time.Time
	err     error // the first error of writing
}

// watch is one sale under observation. Its fields belong to the goroutine that samples it, but for last and row.
type watch struct {
	name   string
	busy   sync.Mutex // one sample of a sale at a time
	ledger *ledger
	seen   map[target.GateDebit]time.Duration // debits of the last view, with the instant of the view that showed them first

	mu   sync.Mutex
	last Sample
	row  target.SaleRow
}

// Open starts drift.csv at path and reads each sale's row. It must be called before the first booking of a sale.
func Open(ctx context.Context, path string, gate target.Gate, truth target.Truth, sales []string, every time.Duration, zero time.Time) (*Sampler, error) {
	s := &Sampler{gate: gate, truth: truth, every: every, zero: zero}
	for _, name := range sales {
		rows, row, err := truth.Since(ctx, name, 0)
		if err != nil {
			return nil, fmt.Errorf("read sale %q: %w", name, err)
		}
		if len(rows) > 0 {
			return nil, fmt.Errorf("sale %q has %d ledger rows before the first sample", name, len(rows))
		}
		s.sales = append(s.sales, &watch{name: name, ledger: newLedger(row), seen: map[target.GateDebit]time.Duration{}, row: row})
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	s.file, s.buf = f, bufio.NewWriter(f)
	s.csv = csv.NewWriter(s.buf)
	if err := s.csv.Write(result.DriftColumns()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// Run samples every sale until ctx ends. A sample that takes longer than the period delays the next one of its sale, and no other's.
func (s *Sampler) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, w := range s.sales {
		all.Go(func() {
			tick := time.NewTicker(s.every)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					s.sample(ctx, w)
				}
			}
		})
	}
	all.Wait()
}

// Sample takes one sample of every sale now.
func (s *Sampler) Sample(ctx context.Context) {
	for _, w := range s.sales {
		s.sample(ctx, w)
	}
}

// sample reads truth, gate, truth. What cannot be read is unknown.
func (s *Sampler) sample(ctx context.Context, w *watch) {
	w.busy.Lock()
	defer w.busy.Unlock()
	if _, err := s.read(ctx, w); err != nil {
		s.put(w, Sample{Sale: w.name, At: time.Since(s.zero)})
		return
	}
	states := []state{{w.ledger.version, w.ledger.free}}
	began := time.Now()
	view, err := s.view(ctx, w.name)
	at := began.Add(time.Since(began) / 2).Sub(s.zero)
	if err != nil || !view.Present {
		s.put(w, Sample{Sale: w.name, At: at})
		return
	}
	more, err := s.read(ctx, w)
	if err != nil {
		s.put(w, Sample{Sale: w.name, At: at})
		return
	}
	iv := w.ledger.measure(view, append(states, more...))
	s.put(w, Sample{
		Sale: w.name, At: at, Known: true, Avail: view.Avail, Debits: int64(len(view.Debits)), Oldest: w.age(view.Debits, at),
		FreeLow: iv.freeLow, FreeHigh: iv.freeHigh, Low: iv.low, High: iv.high,
	})
}

// age is how long the oldest of the debits was seen at the gate, at the instant of a view. The debit is older than that by at most one period of the sampler.
func (w *watch) age(debits []target.GateDebit, at time.Duration) time.Duration {
	seen := make(map[target.GateDebit]time.Duration, len(debits))
	oldest := at
	for _, d := range debits {
		first, ok := w.seen[d]
		if !ok {
			first = at
		}
		seen[d], oldest = first, min(oldest, first)
	}
	w.seen = seen
	return at - oldest
}

func (s *Sampler) read(ctx context.Context, w *watch) ([]state, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	rows, row, err := s.truth.Since(ctx, w.name, w.ledger.version)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.row = row
	w.mu.Unlock()
	return w.ledger.take(rows), nil
}

func (s *Sampler) view(ctx context.Context, sale string) (target.GateView, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return s.gate.View(ctx, sale)
}

// put appends a sample to the file and remembers it.
func (s *Sampler) put(w *watch, sm Sample) {
	w.mu.Lock()
	w.last = sm
	w.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return
	}
	err := s.csv.Write(sm.row())
	if time.Since(s.flushed) > flushEvery {
		s.flushed = time.Now()
		s.csv.Flush()
		err = errors.Join(err, s.csv.Error(), s.buf.Flush())
	}
	if s.err == nil {
		s.err = err
	}
}

// Last is the newest sample of a sale and its row as the truth last told it.
func (s *Sampler) Last(sale int) (Sample, target.SaleRow) {
	w := s.sales[sale]
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, w.row
}

// SoldRatio is the share of the capacity of all sales that is booked, by the truth as last read.
func (s *Sampler) SoldRatio() float64 {
	var capacity, free int64
	for i := range s.sales {
		_, row := s.Last(i)
		capacity, free = capacity+row.Capacity, free+row.Free
	}
	if capacity == 0 {
		return 0
	}
	return float64(capacity-free) / float64(capacity)
}

// Close flushes and closes drift.csv. It returns the first error of the sampler's life. Calls after the first do nothing.
func (s *Sampler) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	s.csv.Flush()
	err := errors.Join(s.err, s.csv.Error(), s.buf.Flush(), s.file.Close())
	s.file = nil
	return err
}

func (sm Sample) row() []string {
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	at := n(sm.At.Milliseconds())
	if !sm.Known {
		return []string{at, sm.Sale, "0", "", "", "", "", "", "", ""}
	}
	return []string{at, sm.Sale, "1", n(sm.Avail), n(sm.Debits), n(sm.FreeLow), n(sm.FreeHigh), n(sm.Low), n(sm.High), n(sm.Oldest.Milliseconds())}
}
