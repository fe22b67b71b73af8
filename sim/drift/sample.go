package drift

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"gatecrash/sim/result"
)

// Sample is the drift of one sale at one instant. With Known false the gate or the truth could not be read, and all else is zero.
type Sample struct {
	Sale              string
	At                time.Duration // since the run's zero
	Known             bool
	Avail             int64         // seats the gate shows
	Debits            int64         // debits at the gate, by number
	FreeLow, FreeHigh int64         // truth free − live debits without a booking: seats that the gate should show
	Low, High         int64         // drift in seats. Invariant: Low <= High
	Oldest            time.Duration // how long the oldest debit was seen at the gate, short of its age by at most one period of the sampler; to the millisecond
}

// Read reads drift.csv. A torn last line, as a killed run leaves it, is dropped.
func Read(path string) ([]Sample, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil || !slices.Equal(head, result.DriftColumns()) {
		return nil, fmt.Errorf("read %s: not a drift file, its first line must be %v", path, result.DriftColumns())
	}
	var all []Sample
	var torn error
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if torn != nil {
			return nil, fmt.Errorf("read %s: %w", path, torn)
		}
		if err != nil {
			torn = err
			continue
		}
		sm, err := parse(row)
		if err != nil {
			torn = err
			continue
		}
		all = append(all, sm)
	}
}

func parse(row []string) (Sample, error) {
	if len(row) != len(result.DriftColumns()) {
		return Sample{}, fmt.Errorf("%d fields, want %d", len(row), len(result.DriftColumns()))
	}
	at, err := strconv.ParseInt(row[0], 10, 64)
	if err != nil {
		return Sample{}, err
	}
	sm := Sample{At: time.Duration(at) * time.Millisecond, Sale: row[1], Known: row[2] == "1"}
	if !sm.Known {
		return sm, nil
	}
	var oldest int64
	for i, into := range []*int64{&sm.Avail, &sm.Debits, &sm.FreeLow, &sm.FreeHigh, &sm.Low, &sm.High, &oldest} {
		if *into, err = strconv.ParseInt(row[3+i], 10, 64); err != nil {
			return Sample{}, err
		}
	}
	sm.Oldest = time.Duration(oldest) * time.Millisecond
	return sm, nil
}

// maxHold is the longest that a sample stands for the time after it; a longer gap is unknown.
const maxHold = time.Second

// Summarise gives the drift of each sale over its samples, in the order of sales. A sample stands until the next one of its sale.
func Summarise(samples []Sample, sales []string) []result.Drift {
	all := make([]result.Drift, 0, len(sales))
	for _, name := range sales {
		own := slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.Sale != name })
		all = append(all, summarise(name, own))
	}
	return all
}

func summarise(name string, samples []Sample) result.Drift {
	d := result.Drift{Sale: name, Samples: int64(len(samples))}
	var leak, surplus streak
	for i, s := range samples {
		if !s.Known {
			d.Unknown++
		}
		d.MaxSurplus, d.MaxLeak = max(d.MaxSurplus, s.Low), max(d.MaxLeak, -s.High)
		d.LongestDebitS = max(d.LongestDebitS, s.Oldest.Seconds())
		var hold time.Duration
		if i+1 < len(samples) {
			hold = min(samples[i+1].At-s.At, maxHold)
		}
		leak.add(s.Known && s.High < 0, hold)
		surplus.add(s.Known && s.Low > 0, hold)
	}
	d.LeakSeconds, d.LongestLeakS = leak.total.Seconds(), leak.longest.Seconds()
	d.SurplusSeconds, d.LongestSurplus = surplus.total.Seconds(), surplus.longest.Seconds()
	if n := len(samples); n > 0 && samples[n-1].Known && samples[n-1].Low == samples[n-1].High {
		d.FinalKnown, d.Final = true, samples[n-1].Low
	}
	return d
}

// streak adds up how long something held, in all and in a row.
type streak struct{ total, longest, now time.Duration }

func (s *streak) add(holds bool, d time.Duration) {
	if !holds {
		s.now = 0
		return
	}
	s.total += d
	s.now += d
	s.longest = max(s.longest, s.now)
}
