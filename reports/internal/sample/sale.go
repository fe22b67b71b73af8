package sample

import (
	"math"
	"math/rand/v2"
)

// Spec is what a synthetic run looks like.
type Spec struct {
	Name     string
	Seed     uint64
	Seconds  int     // length of the crowd's time
	OpensAt  float64 // seconds
	Visitors int
	Capacity int
	Faults   []Fault
}

// Fault is a window in which bookings are slow or refused and the gate may be out of reach.
type Fault struct {
	Name, Inject string
	At, For      float64 // seconds
	Dark         bool    // the gate cannot be read
	Slow         float64 // service time is multiplied by it; 0: by 1
	Cut          float64 // share of booking requests whose outcome is unknown
	Surplus      float64 // seats the gate shows too many after the fault, falling to 0 within 3 s
}

// tick is a tenth of a second of the sale.
type tick struct {
	at                                       float64
	arrivals, sent                           float64
	ok, refused, failed, unknown             float64
	response50, response99, service50, serv9 float64
	free, avail, drift                       float64
	dark                                     bool
}

const ticksPerSecond = 10

// sale simulates the sale of a spec.
type sale struct {
	spec  Spec
	rng   *rand.Rand
	free  float64
	queue float64
}

func (s *sale) run() []tick {
	s.free = float64(s.spec.Capacity)
	ticks := make([]tick, s.spec.Seconds*ticksPerSecond)
	for i := range ticks {
		ticks[i] = s.step(float64(i) / ticksPerSecond)
	}
	return ticks
}

func (s *sale) step(at float64) tick {
	t := tick{at: at, arrivals: s.arrivals(at) / ticksPerSecond * s.jitter(0.2)}
	t.sent = t.arrivals * 2.2
	s.queue += t.arrivals * 1.2
	slow, cut := 1.0, 0.0
	for _, f := range s.spec.Faults {
		if at >= f.At && at < f.At+f.For {
			t.dark = t.dark || f.Dark
			slow, cut = slow*max(1, f.Slow), max(cut, f.Cut)
		}
		if since := at - f.At - f.For; f.Surplus > 0 && since >= 0 && since < 3 {
			t.drift += f.Surplus * (1 - since/3)
		}
	}
	s.serve(&t, slow, cut)
	t.drift = math.Round(t.drift)
	t.free, t.avail = s.free, max(0, s.free-math.Round(2*s.jitter(0.5))+t.drift)
	return t
}

// serve answers from the queue at the system's capacity.
func (s *sale) serve(t *tick, slow, cut float64) {
	capable := 0.0
	if t.at >= s.spec.OpensAt {
		capable = 30 / slow * s.jitter(0.15)
	}
	done := min(s.queue, capable)
	s.queue -= done
	t.unknown = done * cut
	want := (done - t.unknown) * 1.5
	sold := min(s.free, math.Round(want*0.2))
	s.free -= sold
	t.ok = sold / 1.5
	t.refused = done - t.unknown - t.ok
	t.failed = done * 0.02 * (slow - 1)
	t.service50 = 3.5 * slow * s.jitter(0.2)
	t.serv9 = t.service50 * (4 + s.rng.Float64())
	wait := s.queue / max(1, capable*ticksPerSecond) * 1000
	t.response50 = t.service50 + wait*0.4*s.jitter(0.2)
	t.response99 = t.serv9 + wait*1.3*s.jitter(0.1)
}

func (s *sale) jitter(share float64) float64 { return 1 + share*(2*s.rng.Float64()-1) }

// arrivals per second: some before the opening, a flash at it, a tail after.
func (s *sale) arrivals(at float64) float64 {
	n := float64(s.spec.Visitors)
	since := at - s.spec.OpensAt
	if since < 0 {
		return n * 0.05 / max(1, s.spec.OpensAt)
	}
	flash := math.Exp(-since/1.5) * since * n * 0.6 / 2.25
	return flash + n*0.35/12*math.Exp(-since/12)
}
