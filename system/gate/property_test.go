package gate_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatecrash/system/booking"
	"gatecrash/system/gate"
)

// TestAgainstModel makes random calls of a gate beside a model of ten lines: a sum over what was told.
// A failure prints its seed; -rapid.seed reruns it.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(r *rapid.T) { play(r, gate.NewMemory(time.Now)) })
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		g := open(t)
		rapid.Check(t, func(r *rapid.T) {
			if err := g.Forget(context.Background(), "s"); err != nil {
				r.Fatal(err)
			}
			play(r, g)
		})
	})
}

// model is the truth and what the gate was told of it.
type model struct {
	free   map[int64]int64 // by version
	heard  map[int64]int64 // change of free seats by version, as settled or credited
	debits map[int]int64   // seats by account
	owner  map[int]string  // by account
	booked map[int]struct{ n, version int64 }
	asof   int64
	last   int64
}

func (m *model) avail() int64 {
	a := m.free[m.asof]
	for v, n := range m.heard {
		if v > m.asof {
			a += n
		}
	}
	for _, n := range m.debits {
		a -= n
	}
	return a
}

func (m *model) commit(seats int64) int64 {
	m.last++
	m.free[m.last] = m.free[m.last-1] + seats
	return m.last
}

func play(r *rapid.T, g count) {
	ctx := context.Background()
	m := &model{free: map[int64]int64{0: 12}, heard: map[int64]int64{}, debits: map[int]int64{}, owner: map[int]string{}, booked: map[int]struct{ n, version int64 }{}}
	if ok, err := g.Init(ctx, "s", booking.Snapshot{Free: 12}, "e"); !ok || err != nil {
		r.Fatalf("init: %v, %v", ok, err)
	}
	who, seats := rapid.IntRange(0, 5), rapid.IntRange(1, 4)
	in := func(a, n int) booking.Intent { return intent(fmt.Sprint("a", a), n) }
	owners := 0
	must := func(err error) {
		if err != nil {
			r.Fatal(err)
		}
	}
	r.Repeat(map[string]func(*rapid.T){
		"reserve": func(r *rapid.T) {
			a, n := who.Draw(r, "account"), seats.Draw(r, "seats")
			owners++
			owner := fmt.Sprint("o", owners)
			got, err := g.Reserve(ctx, in(a, n), owner, time.Hour)
			must(err)
			want := booking.Taken
			b, isBooked := m.booked[a]
			_, heard := m.heard[b.version]
			switch {
			case m.debits[a] > 0:
				want = booking.Held
			case isBooked && heard && b.version > m.asof:
				want = booking.Settled
			case m.avail() < int64(n):
				want = booking.SoldOut
			default:
				m.debits[a], m.owner[a] = int64(n), owner
			}
			if got != want {
				r.Fatalf("reserve(%d, %d): got %v, want %v", a, n, got, want)
			}
		},
		"book": func(r *rapid.T) { // in the truth alone
			a, n := who.Draw(r, "account"), int64(seats.Draw(r, "seats"))
			if _, ok := m.booked[a]; !ok && m.free[m.last] >= n {
				m.booked[a] = struct{ n, version int64 }{n, m.commit(-n)}
			}
		},
		"settle": func(r *rapid.T) {
			a := who.Draw(r, "account")
			if b, ok := m.booked[a]; ok {
				must(g.Settle(ctx, in(a, int(b.n)), b.version))
				m.heard[b.version] = -b.n
				delete(m.debits, a)
			}
		},
		"refund": func(r *rapid.T) {
			a, stranger := who.Draw(r, "account"), rapid.Bool().Draw(r, "stranger")
			owner := m.owner[a]
			if stranger {
				owner = "stranger"
			} else {
				delete(m.debits, a)
			}
			must(g.Refund(ctx, in(a, 1), owner))
		},
		"credit": func(r *rapid.T) { // of a new change, or again of an old one
			v := rapid.Int64Range(1, m.last+1).Draw(r, "version")
			if v > m.last {
				m.commit(int64(seats.Draw(r, "seats")))
			}
			n := m.free[v] - m.free[v-1]
			if n > 0 {
				must(g.Credit(ctx, "s", booking.Change{ID: fmt.Sprint("c", v), Seats: n, Version: v}))
				m.heard[v] = n
			}
		},
		"repair": func(r *rapid.T) {
			v := rapid.Int64Range(0, m.last).Draw(r, "version")
			epoch := rapid.SampledFrom([]string{"e", "e", "e", "other"}).Draw(r, "epoch")
			done, err := g.Repair(ctx, "s", epoch, booking.Snapshot{Free: m.free[v], Version: v})
			must(err)
			if want := epoch == "e" && v >= m.asof; done != want {
				r.Fatalf("repair(%s, %d) at asof %d: got %v, want %v", epoch, v, m.asof, done, want)
			}
			if done {
				m.asof = v
			}
		},
		"": func(r *rapid.T) {
			v, err := g.View(ctx, "s")
			must(err)
			if v.Avail != m.avail() || v.AsOf != m.asof || len(v.Debits) != len(m.debits) {
				r.Fatalf("view: got %+v, want avail %d, asof %d, %d debits", v, m.avail(), m.asof, len(m.debits))
			}
		},
	})
}
