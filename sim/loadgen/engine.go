package loadgen

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gatecrash/sim/crowd"
	"gatecrash/sim/result"
)

// batch is the shortest time between two wakes of the pacer; above 2,000 steps a second it releases several at once.
const batch = 500 * time.Microsecond

// Why says what ended the crowd.
type Why string

// Ends of a crowd.
const (
	CrowdDone    Why = "every visitor left"
	MaxDuration  Why = "max duration"
	Stopped      Why = "stopped"
	RecordsBroke Why = "the records could not be written"
)

// Report of a crowd that was played.
type Report struct {
	Why       Why
	End       time.Duration // the crowd was stopped, since zero
	Visitors  result.Visitors
	Requests  []result.Requests // by operation
	Generator result.Generator
}

// Engine plays one crowd. Live and Stop may be called at any time, by anyone.
type Engine struct {
	cfg   Config
	meter meter
	live  counters

	stop   chan struct{} // closed by Stop
	once   sync.Once
	cancel context.CancelFunc // of the requests under way
	ctx    context.Context    // of the requests; here and not an argument, because workers outlive the call that hands them a guest
	endAt  atomic.Int64       // nanoseconds since zero when the requests under way were given up; 0: not yet

	mu       sync.Mutex
	agenda   agenda
	line     line // due, and no room
	cursor   int  // visitors of the plan who have come
	present  int  // visitors who have come and not left
	busy     int  // requests under way
	idle     int  // workers that wait for a guest
	wakeAt   time.Duration
	stopping bool
	empty    bool          // drained is closed
	drained  chan struct{} // closed when stopping and nothing is under way
	hand     chan *guest
	workers  sync.WaitGroup
	left     [crowd.GaveUp + 1]int64 // visitors by ending
}

// New gives an Engine that has not started.
func New(cfg Config) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("load generator: %w", err)
	}
	cfg = cfg.withDefaults()
	e := &Engine{cfg: cfg, stop: make(chan struct{}), drained: make(chan struct{}), hand: make(chan *guest, cfg.InFlightCap)}
	e.meter.init()
	return e, nil
}

// Stop ends the crowd: nothing new starts, requests under way get their grace. It does not wait.
func (e *Engine) Stop() {
	e.once.Do(func() {
		close(e.stop)
		e.cfg.Pacer.Wake()
	})
}

// Run plays the crowd to its end and returns when nothing is under way any more. Cancelling ctx ends it without grace. An Engine runs once.
// An error means that the records are incomplete; the Report holds all the same.
func (e *Engine) Run(ctx context.Context) (Report, error) {
	e.ctx, e.cancel = context.WithCancel(ctx)
	defer e.cancel()
	defer context.AfterFunc(ctx, e.Stop)()
	self := watchSelf()
	e.cfg.Pacer.Begin()
	why, end := e.play()
	e.drain(ctx, end)
	e.cfg.Pacer.End()
	return e.report(why, end, self), e.cfg.Sink.Err()
}

// play paces the crowd until its end.
func (e *Engine) play() (Why, time.Duration) {
	for {
		now := e.now()
		e.mu.Lock()
		e.welcome(now)
		e.start(now)
		why := e.over(now)
		if why != "" {
			e.stopping = true
			e.mu.Unlock()
			return why, now
		}
		next := max(e.next(), now+batch)
		e.wakeAt = next
		e.mu.Unlock()
		e.meter.round(e.now() - now)
		e.cfg.Pacer.Wait(e.cfg.Zero.Add(next))
		e.meter.woke(e.now() - next)
	}
}

// over says why the crowd has ended; empty: it has not.
func (e *Engine) over(now time.Duration) Why {
	select {
	case <-e.stop:
		return Stopped
	default:
	}
	switch {
	case e.cfg.Sink.Err() != nil:
		return RecordsBroke
	case e.cursor == e.cfg.Plan.Len() && e.present == 0:
		return CrowdDone
	case e.cfg.MaxDuration > 0 && now >= e.cfg.MaxDuration:
		return MaxDuration
	}
	return ""
}

// welcome lets in whoever has come by now.
func (e *Engine) welcome(now time.Duration) {
	for ; e.cursor < e.cfg.Plan.Len(); e.cursor++ {
		v := e.cfg.Plan.Visitor(e.cursor)
		if v.Arrive > now {
			return
		}
		e.live.started.Add(1)
		e.present++
		g := &guest{v: v, visit: e.cfg.Plan.Visit(v), bad: e.cfg.Plan.BadLogin(v.Crowd)}
		if g.step = g.visit.First(); g.step.Op == 0 {
			e.leave(g.step.Ending)
			continue
		}
		e.agenda.add(g)
	}
}

// start begins every step that is due, or puts it in line.
func (e *Engine) start(now time.Duration) {
	for len(e.agenda) > 0 && e.agenda[0].step.At <= now {
		g := e.agenda.next()
		switch {
		case e.busy == e.cfg.InFlightCap:
			e.line.add(g)
			continue
		case e.idle > 0:
			e.idle--
			e.hand <- g // has room for every idle worker
		default:
			e.workers.Go(func() { e.work(g) })
		}
		e.busy++
	}
	e.live.waiting.Store(int64(e.line.len()))
}

// next is when the pacer has something to do.
func (e *Engine) next() time.Duration {
	at := e.now() + time.Hour // something to wait for when all wait for answers; an earlier step wakes it
	if e.cfg.MaxDuration > 0 {
		at = min(at, e.cfg.MaxDuration)
	}
	if e.cursor < e.cfg.Plan.Len() {
		at = min(at, e.cfg.Plan.Visitor(e.cursor).Arrive)
	}
	if len(e.agenda) > 0 {
		at = min(at, e.agenda[0].step.At)
	}
	return at
}

// drain waits for what is under way, at most for the grace, gives up the rest and records what was due and never sent.
func (e *Engine) drain(ctx context.Context, end time.Duration) {
	e.mu.Lock()
	e.emptied()
	e.mu.Unlock()
	grace := time.NewTimer(e.cfg.Grace)
	defer grace.Stop()
	select {
	case <-e.drained:
	case <-grace.C:
	case <-ctx.Done():
	}
	e.endAt.Store(int64(max(e.now(), 1)))
	e.cancel()
	<-e.drained
	close(e.hand)
	e.workers.Wait()
	e.neverSent(end)
}

// emptied tells drain when nothing is under way any more.
func (e *Engine) emptied() {
	if e.stopping && e.busy == 0 && !e.empty {
		e.empty = true
		close(e.drained)
	}
}

func (e *Engine) neverSent(end time.Duration) {
	for e.line.len() > 0 {
		e.unsent(e.line.next())
	}
	for len(e.agenda) > 0 && e.agenda[0].step.At <= end {
		e.unsent(e.agenda.next())
	}
	e.live.waiting.Store(0)
}

func (e *Engine) now() time.Duration { return time.Since(e.cfg.Zero) }

func (e *Engine) leave(how crowd.Ending) {
	e.present--
	if how > crowd.GaveUp {
		panic(fmt.Sprintf("loadgen: a visitor left with the unknown ending %d", how))
	}
	e.left[how]++
}
