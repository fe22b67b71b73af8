package loadgen

import (
	"time"

	"gatecrash/sim/crowd"
	"gatecrash/sim/history"
	"gatecrash/sim/target"
)

// work sends the steps of one guest after the other until the Engine has no more.
func (e *Engine) work(g *guest) {
	for g != nil {
		next := e.attempt(g)
		if g = e.settle(g, next); g == nil {
			g = <-e.hand // nil when closed
		}
	}
}

// settle files a guest after its answer, and gives the worker another one that waits; nil: none does.
func (e *Engine) settle(g *guest, next crowd.Step) *guest {
	e.mu.Lock()
	defer e.mu.Unlock()
	g.step = next
	switch {
	case next.Op == 0:
		e.leave(next.Ending)
	case e.stopping:
		e.agenda.add(g) // stays until the end, unfinished
	case next.At <= e.now() && e.line.len() == 0:
		return g
	default:
		e.agenda.add(g)
		if next.At < e.wakeAt {
			e.wakeAt = next.At
			e.cfg.Pacer.Wake()
		}
	}
	return e.another()
}

// another takes the next in line, or gives up the room.
func (e *Engine) another() *guest {
	if !e.stopping && e.line.len() > 0 {
		e.live.waiting.Add(-1)
		return e.line.next()
	}
	e.busy--
	e.idle++
	e.emptied()
	if e.present == 0 && e.cursor == e.cfg.Plan.Len() {
		e.cfg.Pacer.Wake() // it was the last
	}
	return nil
}

// attempt sends the guest's step, records what came of it, and asks the visit for the next.
func (e *Engine) attempt(g *guest) crowd.Step {
	began := e.meter.enter(e.now, g.step.At)
	replica := (int(g.v.Index) + int(g.step.Attempt)) % e.cfg.Client.Replicas()
	a := e.send(g, replica)
	done := e.now()
	e.meter.leave(began, done, done-g.step.At)
	e.normalise(&a)
	r := recordOf(g, &a, e.cfg.Zero, began, done)
	r.Replica = uint8(replica + 1)
	if end := e.endAt.Load(); a.Outcome == history.Unfinished && end > 0 {
		r.Done = max(end, r.Sent)
	}
	e.cfg.Sink.Append(int(g.v.Index), &r)
	e.live.count(&r)
	if g.step.Op == history.OpLogin && a.Outcome == history.Ok {
		g.session = a.Session
	}
	return g.visit.Next(crowd.Heard{
		Now: done, Outcome: a.Outcome, Problem: a.Problem, Error: a.Error, RetryAfter: a.RetryAfter, Booking: a.Booking,
	})
}

func (e *Engine) send(g *guest, replica int) target.Answer {
	s, c := g.step, e.cfg.Client
	v := target.Visitor{Account: e.cfg.Plan.Account(s.Account), Address: e.cfg.Plan.Address(s.Address), Session: g.session, BadProof: g.bad}
	switch s.Op {
	case history.OpLogin:
		return c.Login(e.ctx, replica, v, s.Timeout)
	case history.OpLook:
		return c.Look(e.ctx, replica, v, e.cfg.Plan.Sale(g.v.Sale), s.Timeout)
	case history.OpBook:
		return c.Book(e.ctx, replica, v, e.cfg.Plan.Sale(g.v.Sale), s.Key, s.Quantity, s.Timeout)
	case history.OpCancel:
		return c.Cancel(e.ctx, replica, v, s.Booking, s.Timeout)
	}
	panic("loadgen: a visit does not " + s.Op.String())
}

// normalise holds the client to its word: only the end of the run leaves a request unfinished, and an answer without an outcome says nothing.
func (e *Engine) normalise(a *target.Answer) {
	if a.Outcome == history.Unfinished && e.endAt.Load() == 0 && e.ctx.Err() == nil {
		a.Outcome = history.Unknown
	}
	if a.Outcome == 0 {
		a.Outcome, a.Error = history.Unknown, history.ErrProtocol
	}
	if a.Outcome == history.Unfinished {
		a.Error = history.ErrEnd
	}
}

// unsent records a step that was due and found no room before the end.
func (e *Engine) unsent(g *guest) {
	end := time.Duration(e.endAt.Load())
	a := target.Answer{Outcome: history.Unfinished, Error: history.ErrEnd, Version: -1}
	r := recordOf(g, &a, e.cfg.Zero, end, end)
	e.cfg.Sink.Append(int(g.v.Index), &r)
	e.meter.late(end - g.step.At)
	e.live.count(&r)
}

// recordOf is the record of one attempt. Sent is when the request began to be written; where none was, when it was handed to the client.
func recordOf(g *guest, a *target.Answer, zero time.Time, began, done time.Duration) history.Record {
	sent := began
	if !a.Sent.IsZero() {
		sent = min(max(a.Sent.Sub(zero), began), done)
	}
	r := history.Record{
		Intended: int64(g.step.At), Sent: int64(max(sent, g.step.At)), Done: int64(max(done, sent, g.step.At)),
		Version: a.Version, Intent: g.step.Intent, Visitor: g.v.Index, Account: g.step.Account, Sale: g.v.Sale, Crowd: g.v.Crowd,
		Status: uint16(a.Status), Quantity: uint16(g.step.Quantity), Answered: uint16(a.Quantity), Attempt: g.step.Attempt,
		Op: g.step.Op, Outcome: a.Outcome, Problem: a.Problem, Error: a.Error, Path: a.Path, Booking: a.Booking,
	}
	if r.Op == history.OpCancel {
		r.Booking = g.step.Booking
	}
	return r
}
