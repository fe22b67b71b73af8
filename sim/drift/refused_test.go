package drift

import (
	"testing"
	"time"
)

func TestWronglyRefused(t *testing.T) {
	sample := func(ms int, known bool, free int64) Sample {
		return Sample{Sale: "main", At: time.Duration(ms) * time.Millisecond, Known: known, FreeLow: free, FreeHigh: free}
	}
	samples := []Sample{sample(0, true, 10), sample(100, true, 10), sample(200, true, 1), sample(300, false, 0), sample(400, true, 10), sample(500, true, 10)}
	cases := []struct {
		name       string
		sent, done int
		quantity   int64
		want       int64
	}{
		{"seats all the time", 10, 90, 2, 1},
		{"taken in between", 110, 150, 2, 0},
		{"one seat was there", 110, 150, 1, 1},
		{"unknown in between", 210, 350, 1, 0},
		{"no sample after it", 450, 550, 1, 0},
		{"across two samples", 410, 490, 10, 1},
	}
	for _, c := range cases {
		r := Refusal{Sale: "main", Sent: time.Duration(c.sent) * time.Millisecond, Done: time.Duration(c.done) * time.Millisecond, Quantity: c.quantity}
		if got := WronglyRefused(samples, []Refusal{r})["main"]; got != c.want {
			t.Errorf("%s: WronglyRefused(%+v) = %d, want %d", c.name, r, got, c.want)
		}
	}
}
