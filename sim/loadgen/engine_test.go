package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatecrash/sim/crowd"
	"gatecrash/sim/history"
	"gatecrash/sim/target"
)

// memory is a target.Client in memory. answer says what a request gets and how long after it was sent.
type memory struct {
	zero     time.Time
	replicas int
	answer   func(op history.Op, replica int, at time.Duration) (target.Answer, time.Duration)
}

const never = 1000 * time.Hour

func (m *memory) do(ctx context.Context, op history.Op, replica int, timeout time.Duration) target.Answer {
	sent := time.Now()
	a, wait := m.answer(op, replica, sent.Sub(m.zero))
	t := time.NewTimer(min(wait, timeout))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return target.Answer{Outcome: history.Unfinished, Error: history.ErrEnd, Version: -1, Sent: sent}
	case <-t.C:
	}
	if wait > timeout {
		return target.Answer{Outcome: history.Unknown, Error: history.ErrTimeout, Version: -1, Sent: sent}
	}
	if a.Error != history.ErrRefusedConn {
		a.Sent = sent
	}
	return a
}

func (m *memory) Login(ctx context.Context, replica int, v target.Visitor, timeout time.Duration) target.Answer {
	a := m.do(ctx, history.OpLogin, replica, timeout)
	a.Session = "session of " + v.Account
	return a
}

func (m *memory) Look(ctx context.Context, replica int, _ target.Visitor, _ string, timeout time.Duration) target.Answer {
	return m.do(ctx, history.OpLook, replica, timeout)
}

func (m *memory) Book(ctx context.Context, replica int, v target.Visitor, _, _ string, quantity int, timeout time.Duration) target.Answer {
	if v.Session != "session of "+v.Account {
		panic("booked without the session of the log-in")
	}
	a := m.do(ctx, history.OpBook, replica, timeout)
	a.Quantity = quantity
	return a
}

func (m *memory) Cancel(ctx context.Context, replica int, _ target.Visitor, _ int64, timeout time.Duration) target.Answer {
	return m.do(ctx, history.OpCancel, replica, timeout)
}

func (m *memory) Replicas() int { return m.replicas }

var _ target.Client = (*memory)(nil)

// plan is a crowd in which every visitor logs in, thinks, and books with up to attempts attempts.
type plan struct {
	arrive   []time.Duration
	think    time.Duration
	backoff  time.Duration
	timeout  time.Duration
	attempts uint8
}

func (p *plan) Len() int { return len(p.arrive) }
func (p *plan) Visitor(i int) crowd.Visitor {
	return crowd.Visitor{Index: uint32(i), Arrive: p.arrive[i], Account: uint32(i), Wants: 2}
}
func (p *plan) Account(i uint32) string     { return fmt.Sprintf("account-%d", i) }
func (p *plan) Address(uint32) string       { return "10.0.0.1" }
func (p *plan) Sale(uint16) string          { return "main" }
func (p *plan) BadLogin(uint16) bool        { return false }
func (p *plan) Visit(v crowd.Visitor) Visit { return &visit{p: p, v: v} }

type visit struct {
	p       *plan
	v       crowd.Visitor
	booking bool
	tries   uint8
}

func (v *visit) First() crowd.Step {
	return crowd.Step{Op: history.OpLogin, At: v.v.Arrive, Account: v.account(), Attempt: 1, Timeout: v.p.timeout}
}

func (v *visit) Next(h crowd.Heard) crowd.Step {
	switch {
	case h.Outcome == history.Ok && v.booking:
		return crowd.Step{Ending: crowd.Booked}
	case h.Outcome == history.Refused && v.booking:
		return crowd.Step{Ending: crowd.RefusedFinal}
	case h.Outcome == history.Ok:
		v.booking = true
		return v.book(h.Now + v.p.think)
	case !v.booking || v.tries >= v.p.attempts:
		return crowd.Step{Ending: crowd.GaveUp}
	default:
		return v.book(h.Now + v.p.backoff)
	}
}

// account of the visitor's steps is not the one it came with, as after a change of account.
func (v *visit) account() uint32 { return v.v.Account + 1000 }

func (v *visit) book(at time.Duration) crowd.Step {
	v.tries++
	return crowd.Step{Op: history.OpBook, At: at, Account: v.account(), Key: "k", Intent: uint64(v.v.Index) + 1, Attempt: v.tries, Quantity: 2, Timeout: v.p.timeout}
}

// constant gives n arrivals at a rate.
func constant(n int, perSec int) []time.Duration {
	at := make([]time.Duration, n)
	for i := range at {
		at[i] = time.Duration(i) * time.Second / time.Duration(perSec)
	}
	return at
}

// store is a Sink in memory.
type store struct {
	mu      sync.Mutex
	records []history.Record
	err     error
}

func (s *store) Append(_ int, r *history.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, *r)
}

func (s *store) Err() error { return s.err }

func ok(history.Op, int, time.Duration) (target.Answer, time.Duration) {
	return target.Answer{Outcome: history.Ok, Status: 201, Booking: 1, Version: 1}, 5 * time.Millisecond
}

// play runs a whole crowd; call it in a bubble. tweak changes the settings and may start what happens meanwhile.
func play(t *testing.T, p *plan, answer func(history.Op, int, time.Duration) (target.Answer, time.Duration), tweak func(*Config), during func(*Engine)) (Report, []history.Record) {
	t.Helper()
	zero := time.Now().Add(10 * time.Millisecond)
	sink := &store{}
	cfg := Config{Plan: p, Client: &memory{zero, 2, answer}, Sink: sink, Zero: zero, Pacer: NewTimerPacer()}
	if tweak != nil {
		tweak(&cfg)
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	if during != nil {
		go during(e)
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	checkLaws(t, r, sink.records)
	return r, sink.records
}

// checkLaws holds what must be true of every crowd.
func checkLaws(t *testing.T, r Report, records []history.Record) {
	t.Helper()
	v := r.Visitors
	if v.Planned != v.Started+v.NotStarted || v.Started != v.Booked+v.Refused+v.GaveUp+v.Unfinished {
		t.Errorf("visitors do not balance: %+v", v)
	}
	var rows int64
	for _, q := range r.Requests {
		rows += q.Sent
		if q.Sent != q.Ok+q.Refused+q.Failed+q.Unknown+q.Unfinished {
			t.Errorf("requests do not balance: %+v", q)
		}
	}
	if rows != int64(len(records)) {
		t.Errorf("requests: got %d counted, %d recorded", rows, len(records))
	}
	if r.Generator.Lateness.N != rows {
		t.Errorf("lateness: got %d samples, want %d", r.Generator.Lateness.N, rows)
	}
	for _, rec := range records {
		if rec.Account != rec.Visitor+1000 {
			t.Errorf("account: got %d for visitor %d, want the step's", rec.Account, rec.Visitor)
		}
		if rec.Intended < 0 || rec.Intended > rec.Sent || rec.Sent > rec.Done || rec.Outcome == 0 || rec.Op == 0 {
			t.Errorf("record is out of order: %+v", rec)
		}
	}
	if r.Generator.LittleError > 1e-9 {
		t.Errorf("Little's law: got error %v, want 0 in virtual time", r.Generator.LittleError)
	}
}

func TestEveryoneBooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, records := play(t, &plan{arrive: constant(500, 100), think: 300 * time.Millisecond, timeout: time.Second, attempts: 3}, ok, nil, nil)
		if r.Why != CrowdDone || r.Visitors.Booked != 500 || len(records) != 1000 {
			t.Errorf("got %q, %d booked, %d records; want everyone booked in 1000", r.Why, r.Visitors.Booked, len(records))
		}
		if r.Generator.OnTimeRatio != 1 || r.Generator.Stalls != 0 || r.Generator.Lateness.Max > 500 {
			t.Errorf("generator: got %+v, want on time within the pacer's 0.5 ms", r.Generator)
		}
		if want := 5*time.Second - 10*time.Millisecond + 310*time.Millisecond; r.End < want || r.End > want+10*time.Millisecond {
			t.Errorf("end: got %v, want about %v", r.End, want)
		}
	})
}

func TestOneStepAtOnceAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, records := play(t, &plan{arrive: constant(1, 1), timeout: time.Second, attempts: 1}, ok, nil, nil)
		if got, want := records[1].Sent, int64(10*time.Millisecond-5*time.Millisecond); got != want+records[0].Sent {
			t.Errorf("book after a log-in without a pause: sent at %v, want %v after the log-in", got, want)
		}
	})
}

// A target that freezes for two seconds costs the same from intent whatever the cap is.
func TestFreezeIsChargedWhateverTheCap(t *testing.T) {
	freeze := func(_ history.Op, _ int, at time.Duration) (target.Answer, time.Duration) {
		a, wait := ok(0, 0, 0)
		if at >= 2*time.Second && at < 4*time.Second {
			wait += 4*time.Second - at
		}
		return a, wait
	}
	p99 := map[int]time.Duration{}
	for _, cap := range []int{10, 10_000} {
		synctest.Test(t, func(t *testing.T) {
			p := &plan{arrive: constant(5000, 1000), timeout: time.Minute, think: never, attempts: 1}
			r, records := play(t, p, freeze, func(c *Config) { c.InFlightCap, c.MaxDuration = cap, 30*time.Second }, nil)
			if r.Generator.MaxInFlight > int64(cap) {
				t.Errorf("in flight: got %d, want at most %d", r.Generator.MaxInFlight, cap)
			}
			var response []int64
			for _, rec := range records {
				response = append(response, rec.Done-rec.Intended)
			}
			slices.Sort(response)
			p99[cap] = time.Duration(response[len(response)*99/100])
			if late := r.Generator.OnTimeRatio < 0.9; late != (cap == 10) {
				t.Errorf("on time with cap %d: got %v", cap, r.Generator.OnTimeRatio)
			}
		})
	}
	if a, b := p99[10], p99[10_000]; a < 1800*time.Millisecond || b < 1800*time.Millisecond || (a-b).Abs() > b/10 {
		t.Errorf("p99 from intent: got %v with cap 10 and %v with cap 10,000, want both about 2 s", a, b)
	}
}

func TestHangUntilTheEnd(t *testing.T) {
	hang := func(op history.Op, _ int, at time.Duration) (target.Answer, time.Duration) {
		if at >= time.Second {
			return target.Answer{}, never
		}
		return ok(op, 0, at)
	}
	synctest.Test(t, func(t *testing.T) {
		p := &plan{arrive: constant(2000, 1000), timeout: never, attempts: 1}
		r, records := play(t, p, hang, func(c *Config) { c.MaxDuration, c.Grace, c.InFlightCap = 3*time.Second, time.Second, 400 }, nil)
		if r.Why != MaxDuration || r.End != 3*time.Second || r.Visitors.Unfinished == 0 || r.Visitors.NotStarted != 0 {
			t.Errorf("got %q at %v, %+v", r.Why, r.End, r.Visitors)
		}
		unsent := 0
		for _, rec := range records {
			if rec.Outcome != history.Unfinished {
				continue
			}
			if rec.Error != history.ErrEnd || rec.Done != int64(4*time.Second) {
				t.Errorf("unfinished: got error %v, done %v; want end, 4s", rec.Error, time.Duration(rec.Done))
			}
			if rec.Replica == 0 {
				unsent++
			}
		}
		var unfinished int64
		for _, q := range r.Requests {
			unfinished += q.Unfinished
		}
		if unfinished <= 400 || int64(unsent) != unfinished-400 {
			t.Errorf("got %d unfinished, %d of them never sent; want 400 sent ones", unfinished, unsent)
		}
	})
}

func TestStopLetsRequestsFinish(t *testing.T) {
	slow := func(op history.Op, _ int, at time.Duration) (target.Answer, time.Duration) {
		a, _ := ok(op, 0, at)
		return a, 800 * time.Millisecond
	}
	synctest.Test(t, func(t *testing.T) {
		p := &plan{arrive: constant(3000, 1000), timeout: 10 * time.Second, attempts: 1}
		r, records := play(t, p, slow, nil, func(e *Engine) {
			time.Sleep(1010*time.Millisecond + 500*time.Microsecond) // between two steps: one that is due at the very end may be sent or not
			e.Stop()
			e.Stop()
		})
		if r.Why != Stopped || r.Visitors.Started != 1001 || r.Visitors.NotStarted != 1999 {
			t.Errorf("got %q, %+v; want 1001 started", r.Why, r.Visitors)
		}
		for _, rec := range records {
			if rec.Outcome != history.Ok || rec.Sent > int64(r.End) {
				t.Errorf("got %+v, want ok and sent before %v", rec, r.End)
			}
		}
	})
}

func TestCancelledContextEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		zero := time.Now()
		sink := &store{}
		hang := func(history.Op, int, time.Duration) (target.Answer, time.Duration) { return target.Answer{}, never }
		e, err := New(Config{Plan: &plan{arrive: constant(10, 10), timeout: never}, Client: &memory{zero, 1, hang}, Sink: sink, Zero: zero, Grace: time.Hour, Pacer: NewTimerPacer()})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(2*time.Second, cancel)
		r, err := e.Run(ctx)
		if err != nil || r.Why != Stopped || time.Since(zero) != 2*time.Second {
			t.Errorf("Run: got %q after %v, %v; want stopped after 2s", r.Why, time.Since(zero), err)
		}
		checkLaws(t, r, sink.records)
	})
}

func TestRefusedConnectionsGoToTheNextReplica(t *testing.T) {
	refuse := func(op history.Op, replica int, at time.Duration) (target.Answer, time.Duration) {
		if op == history.OpBook && replica == 0 {
			return target.Answer{Outcome: history.Failed, Error: history.ErrRefusedConn, Version: -1}, time.Millisecond
		}
		return ok(op, replica, at)
	}
	synctest.Test(t, func(t *testing.T) {
		r, records := play(t, &plan{arrive: constant(100, 100), timeout: time.Second, attempts: 2, backoff: 100 * time.Millisecond}, refuse, nil, nil)
		if r.Visitors.Booked != 100 {
			t.Errorf("booked: got %d, want all at the second attempt", r.Visitors.Booked)
		}
		failed := 0
		for _, rec := range records {
			if rec.Outcome == history.Failed {
				failed++
				if rec.Replica != 1 || rec.Sent != rec.Intended {
					t.Errorf("failed: got %+v, want replica 1, handed over at once", rec)
				}
			}
		}
		if failed != 50 {
			t.Errorf("failed: got %d, want the half that asked replica 1 first", failed)
		}
	})
}

func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looked := make(chan Live, 1)
		p := &plan{arrive: constant(1000, 100), timeout: time.Second, attempts: 1, think: 100 * time.Millisecond}
		_, _ = play(t, p, ok, nil, func(e *Engine) {
			time.Sleep(5 * time.Second)
			looked <- e.Live()
		})
		mid := <-looked
		if mid.Started < 490 || mid.Started > 500 || mid.Planned != 1000 || mid.Bookings < 450 || mid.Seats != 2*mid.Bookings {
			t.Errorf("Live: got %+v", mid)
		}
		if mid.P99 < 5*time.Millisecond || mid.P99 > 6*time.Millisecond {
			t.Errorf("Live p99: got %v, want about 5 ms", mid.P99)
		}
	})
}

func TestBrokenRecordsEndTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zero, broken := time.Now(), errors.New("disk is full")
		e, err := New(Config{Plan: &plan{arrive: constant(10, 10)}, Client: &memory{zero, 1, ok}, Sink: &store{err: broken}, Zero: zero, Pacer: NewTimerPacer()})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := e.Run(context.Background()); !errors.Is(err, broken) || r.Why != RecordsBroke {
			t.Errorf("Run: got %q, %v; want %v", r.Why, err, broken)
		}
	})
}

// jammedPacer oversleeps once.
type jammedPacer struct {
	Pacer
	jam time.Duration
}

func (p *jammedPacer) Wait(until time.Time) {
	if p.jam > 0 && time.Until(until) > 0 {
		time.Sleep(time.Until(until) + p.jam)
		p.jam = 0
		return
	}
	p.Pacer.Wait(until)
}

func TestStallIsTheGeneratorsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plan{arrive: constant(1000, 500), timeout: time.Second, attempts: 1}
		r, _ := play(t, p, ok, func(c *Config) { c.Pacer = &jammedPacer{NewTimerPacer(), 3 * time.Second} }, nil)
		if g := r.Generator; g.Stalls != 1 || g.LongestStallMS < 2990 || g.LongestStallMS > 3010 || g.OnTimeRatio > 0.6 {
			t.Errorf("generator: got %+v, want one stall of 3 s and many late", g)
		}
		if r.Visitors.Booked != 1000 {
			t.Errorf("booked: got %d, want all 1000 as planned", r.Visitors.Booked)
		}
	})
}

func TestAnyCrowdKeepsTheLaws(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			draw := rand.New(rand.NewPCG(seed, 7))
			var mu sync.Mutex
			answer := func(history.Op, int, time.Duration) (target.Answer, time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				a := target.Answer{Outcome: history.Outcome(draw.IntN(6)), Version: -1}
				return a, time.Duration(draw.ExpFloat64() * float64(100*time.Millisecond))
			}
			p := &plan{arrive: constant(1+draw.IntN(2000), 1+draw.IntN(2000)), think: time.Duration(draw.IntN(1e9)), backoff: time.Duration(draw.IntN(1e8)), timeout: 300 * time.Millisecond, attempts: 4}
			tweak := func(c *Config) {
				c.InFlightCap = 1 + draw.IntN(100)
				c.MaxDuration = time.Duration(draw.IntN(3e9))
				c.Grace = time.Duration(1 + draw.IntN(1e8))
			}
			_, records := play(t, p, answer, tweak, nil)
			for _, rec := range records {
				if response, service := rec.Done-rec.Intended, rec.Done-rec.Sent; service < 0 || response < service {
					t.Errorf("seed %d: response %d, service %d; want response >= service >= 0", seed, response, service)
				}
			}
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
	}
}

func TestSettingsAreChecked(t *testing.T) {
	if _, err := New(Config{InFlightCap: -1}); err == nil {
		t.Error("New without anything: got no error")
	}
	if _, err := New(Config{Plan: &plan{}, Client: &memory{}, Sink: &store{}, Zero: time.Now()}); err == nil {
		t.Error("New with no replica: got no error")
	}
}

func TestNobodyPlanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if r, _ := play(t, &plan{}, ok, nil, nil); r.Why != CrowdDone || r.Visitors.Planned != 0 {
			t.Errorf("got %+v, want an empty crowd that is done", r)
		}
	})
}
