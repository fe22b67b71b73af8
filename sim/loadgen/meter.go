package loadgen

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"gatecrash/sim/result"
)

const (
	onTime      = 100 * time.Millisecond // a step begun within it is on time
	stall       = 100 * time.Millisecond // a pause of the pacer beyond it is a stall
	window      = time.Second            // of Little's law and of the live percentiles
	windowMin   = 100                    // requests that a window needs for Little's law
	recentSlots = 5                      // seconds of the live percentiles
	hourUS      = int64(time.Hour / time.Microsecond)
)

// meter is the Engine's judgement of itself. Its own lock is held for tens of nanoseconds a request.
type meter struct {
	mu       sync.Mutex
	lateness *hdrhistogram.Histogram // microseconds, 3 digits
	latest   time.Duration
	sum      float64 // of lateness, in microseconds
	clamped  int64
	total    int64
	punctual int64

	stalls  int64
	longest time.Duration

	inFlight int64
	most     int64
	changed  time.Duration // when inFlight changed last
	littles  []little      // by window

	recent [recentSlots]slot // response time
}

// little holds both sides of Little's law for one window, each measured in its own way: the area under the count of requests under way, and the
// time that the requests themselves spent in the window.
type little struct {
	area  time.Duration
	spent time.Duration
	done  int64
}

type slot struct {
	window int64
	hist   *hdrhistogram.Histogram // microseconds, 2 digits
}

func (m *meter) init() {
	m.lateness = hdrhistogram.New(1, hourUS, 3)
	for i := range m.recent {
		m.recent[i] = slot{-1, hdrhistogram.New(1, hourUS, 2)}
	}
}

// enter counts a request that begins and says when it did. The clock is read under the lock: a wait for it is lateness.
func (m *meter) enter(clock func() time.Duration, intended time.Duration) (began time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	began = clock()
	m.count(began - intended)
	m.change(began, 1)
	return began
}

// late counts a step that never began.
func (m *meter) late(lateness time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(lateness)
}

func (m *meter) count(lateness time.Duration) {
	m.total++
	if lateness <= onTime {
		m.punctual++
	}
	us := max(0, lateness.Microseconds())
	if us > hourUS {
		m.clamped++
	}
	_ = m.lateness.RecordValue(min(us, hourUS)) // in range by the line above
	m.sum += float64(us)
	m.latest = max(m.latest, lateness)
}

// leave counts a request that has ended.
func (m *meter) leave(began, done, response time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.change(done, -1)
	for w, from := int64(began/window), began; from < done; w++ {
		until := min(done, time.Duration(w+1)*window)
		m.at(w).spent += until - from
		from = until
	}
	w := int64(done / window)
	m.at(w).done++
	s := &m.recent[w%recentSlots]
	if s.window != w {
		s.window = w
		s.hist.Reset()
	}
	_ = s.hist.RecordValue(min(max(0, response.Microseconds()), hourUS)) // in range
}

// change moves the count of requests under way. An answer's instant is read before the lock is taken, so now may be a little in the past.
func (m *meter) change(now time.Duration, by int64) {
	now = max(now, m.changed)
	for w := int64(m.changed / window); m.changed < now; w++ {
		until := min(now, time.Duration(w+1)*window)
		m.at(w).area += time.Duration(m.inFlight) * (until - m.changed)
		m.changed = until
	}
	m.inFlight += by
	m.most = max(m.most, m.inFlight)
}

func (m *meter) at(w int64) *little {
	for int64(len(m.littles)) <= w {
		m.littles = append(m.littles, little{})
	}
	return &m.littles[w]
}

// round notes how long the pacer needed for what was due.
func (m *meter) round(took time.Duration) { m.pause(took) }

// woke notes how late the pacer woke.
func (m *meter) woke(late time.Duration) { m.pause(late) }

func (m *meter) pause(d time.Duration) {
	if d <= stall {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stalls++
	m.longest = max(m.longest, d)
}

// fill writes what was measured.
func (m *meter) fill(g *result.Generator) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g.Lateness = m.percentiles()
	if m.total > 0 {
		g.OnTimeRatio = float64(m.punctual) / float64(m.total)
	}
	g.Stalls, g.LongestStallMS = m.stalls, m.longest.Milliseconds()
	g.MaxInFlight = m.most
	g.LittleError = m.littleError()
}

func (m *meter) percentiles() result.Percentiles {
	p := result.Percentiles{N: m.total, Clamped: m.clamped, Max: m.latest.Microseconds()}
	if m.total == 0 {
		return p
	}
	h := m.lateness
	at := func(q float64) int64 { return min(h.ValueAtPercentile(q), p.Max) }
	p.Mean = m.sum / float64(m.total)
	p.P50, p.P90, p.P95, p.P99, p.P999 = at(50), at(90), at(95), at(99), at(99.9)
	return p
}

// littleError is the worst |L - λW| / L over the windows with enough requests.
func (m *meter) littleError() (worst float64) {
	for _, l := range m.littles {
		if l.done >= windowMin && l.area > 0 {
			worst = max(worst, (l.area-l.spent).Abs().Seconds()/l.area.Seconds())
		}
	}
	return worst
}

// response gives percentiles of the response times of the last seconds.
func (m *meter) response(now time.Duration) (p50, p99 time.Duration) {
	sum := hdrhistogram.New(1, hourUS, 2)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.recent {
		if s.window > int64(now/window)-recentSlots {
			sum.Merge(s.hist) // same range: nothing is dropped
		}
	}
	if sum.TotalCount() == 0 {
		return 0, 0
	}
	us := func(q float64) time.Duration { return time.Duration(sum.ValueAtPercentile(q)) * time.Microsecond }
	return us(50), us(99)
}
