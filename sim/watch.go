package sim

import (
	"context"
	"time"

	"gatecrash/sim/live"
	"gatecrash/sim/loadgen"
)

// stage tells whoever looks what the run is doing. While the crowd plays, watch does.
func (r *run) stage(name string) {
	if r.o.Watch == nil || name == live.Crowd {
		return
	}
	f := live.Frame{Scenario: r.o.Scenario.Name, Stage: name}
	if !r.zero.IsZero() {
		f.At = time.Since(r.zero)
	}
	r.o.Watch(f)
}

// watch shows the crowd a few times a second.
func (r *run) watch(ctx context.Context) {
	if r.o.Watch == nil {
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var window rates
	for {
		select {
		case <-ctx.Done():
			r.o.Watch(r.frame(&window))
			return
		case <-tick.C:
			r.o.Watch(r.frame(&window))
		}
	}
}

func (r *run) frame(window *rates) live.Frame {
	l := r.engine.Live()
	window.add(l)
	f := live.Frame{
		Scenario: r.o.Scenario.Name, Stage: live.Crowd, At: l.At, Planned: l.Planned, Started: l.Started, Left: l.Left, InFlight: l.InFlight,
		Rate: window.of(func(l loadgen.Live) int64 { return l.Started }), Goodput: window.of(func(l loadgen.Live) int64 { return l.Bookings }),
		Requests: l.Answered, P50: l.P50, P99: l.P99, Faults: r.windows(),
	}
	for i, s := range r.o.Scenario.Sales {
		sample, row := r.sampler.Last(i)
		r.mu.Lock()
		open := r.opened[i] >= 0
		r.mu.Unlock()
		f.Sales = append(f.Sales, live.Sale{
			Name: s.Name, Open: open, Capacity: row.Capacity, Free: row.Free, Known: sample.Known, Low: sample.Low, High: sample.High,
		})
	}
	return f
}

// rates keeps the looks of the last seconds.
type rates struct{ looks []loadgen.Live }

// rateLooks are the looks that a rate is taken over: two seconds.
const rateLooks = int(2 * time.Second / watchEvery)

func (w *rates) add(l loadgen.Live) {
	w.looks = append(w.looks, l)
	if len(w.looks) > rateLooks+1 {
		w.looks = w.looks[1:]
	}
}

// of is how fast a count grows, per second.
func (w *rates) of(count func(loadgen.Live) int64) float64 {
	first, last := w.looks[0], w.looks[len(w.looks)-1]
	if last.At <= first.At {
		return 0
	}
	return float64(count(last)-count(first)) / (last.At - first.At).Seconds()
}
