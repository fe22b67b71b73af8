package drift

import (
	"sort"
	"time"
)

// Refusal is one visitor told "sold out for now" by the gate.
type Refusal struct {
	Sale     string
	Sent     time.Duration // since the run's zero
	Done     time.Duration
	Quantity int64
}

// WronglyRefused counts, by sale, the refusals told while the seats were certainly there: the last sample before the request was sent and the first one
// after it was answered, with those between, all show at least that many seats free of bookings and debits.
func WronglyRefused(samples []Sample, refusals []Refusal) map[string]int64 {
	bySale := map[string][]Sample{}
	for _, s := range samples {
		bySale[s.Sale] = append(bySale[s.Sale], s)
	}
	wrong := map[string]int64{}
	for _, r := range refusals {
		if certainlyFree(bySale[r.Sale], r) {
			wrong[r.Sale]++
		}
	}
	return wrong
}

func certainlyFree(samples []Sample, r Refusal) bool {
	before := sort.Search(len(samples), func(i int) bool { return samples[i].At > r.Sent }) - 1
	after := sort.Search(len(samples), func(i int) bool { return samples[i].At >= r.Done })
	if before < 0 || after == len(samples) {
		return false
	}
	for _, s := range samples[before : after+1] {
		if !s.Known || s.FreeLow < r.Quantity {
			return false
		}
	}
	return true
}
