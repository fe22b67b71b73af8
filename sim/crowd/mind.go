package crowd

import (
	"math/rand/v2"
	"time"

	"gatecrash/sim/arrival"
	"gatecrash/sim/history"
	"gatecrash/sim/retry"
	"gatecrash/sim/scenario"
)

// Mind is the state machine of one visitor. It is pure: the same plan and the same answers give the same steps. One goroutine at a time may use it.
type Mind struct {
	v      Visitor
	plan   *Plan
	crowd  *scenario.Crowd
	pool   span // of addresses
	budget Budget
	draws  rand.PCG
	rand   *rand.Rand

	op       history.Op    // what was asked last; 0: nothing yet, or the visitor has left
	goal     history.Op    // what the visitor is after: 0 while it only logs in, then book, then cancel
	deadline time.Duration // end of the patience for the goal
	tries    int           // of the goal, by the retry policy
	logins   int           // tries of the log-in under way
	requests uint32        // of the visitor so far
	attempt  uint8         // requests of the intent, or of the cancel, so far
	nth      uint8         // idempotency key in use; 0: none yet
	account  uint32        // logged in as, or about to be
	session  bool          // logged in, as far as the visitor knows
	renewed  bool          // this try has already had its new log-in
	fresh    bool          // the log-in under way follows a session-unknown
	booking  int64
}

// NewMind makes the mind of the i-th visitor. budget is shared by its crowd; nil: retries cost nothing.
func NewMind(p *Plan, i int, budget Budget) *Mind {
	v := p.Visitor(i)
	m := &Mind{v: v, plan: p, crowd: &p.sc.Crowds[v.Crowd], pool: p.addresses[v.Crowd], budget: budget, account: v.Account}
	if budget == nil {
		m.budget = noBudget{}
	}
	m.draws.Seed(v.Seed, uint64(i))
	m.rand = rand.New(&m.draws)
	m.deadline = max(v.Arrive, v.ActAt) + m.crowd.Patience
	return m
}

// noBudget pays for everything.
type noBudget struct{}

func (noBudget) Earn()      {}
func (noBudget) Take() bool { return true }

// Visitor is whose mind it is.
func (m *Mind) Visitor() Visitor { return m.v }

// First is the first step, at the visitor's arrival.
func (m *Mind) First() Step {
	if m.crowd.Login == scenario.LoginNone {
		return m.approach(m.v.Arrive)
	}
	return m.logIn(m.v.Arrive, m.v.Arrive)
}

// Next is the step after an answer. After a step with Op 0 it must not be called again.
func (m *Mind) Next(h Heard) Step {
	if h.Outcome == history.Unfinished {
		return m.leave(h.Now, Unfinished)
	}
	if h.Outcome == history.Ok {
		m.budget.Earn()
		return m.succeed(h)
	}
	if m.op == history.OpLogin {
		return m.afterLogin(h)
	}
	if m.forgotten(h) {
		m.renewed, m.session, m.fresh, m.logins = true, false, true, 0
		return m.logIn(h.Now, h.Now)
	}
	if m.moves(h) {
		return m.again(h, true)
	}
	if m.final(h) {
		return m.leaveBy(h)
	}
	return m.again(h, m.crowd.Retry.Key == "fresh")
}

// succeed goes on after an ok answer.
func (m *Mind) succeed(h Heard) Step {
	switch m.op {
	case history.OpCancel:
		return m.leave(h.Now, Booked)
	case history.OpBook:
		return m.booked(h)
	}
	m.session, m.fresh, m.logins = true, false, 0
	if m.goal == 0 {
		return m.approach(h.Now)
	}
	return m.pursue(h.Now, h.Now)
}

// approach starts the booking: at the visitor's own moment after the opening, or after a think time.
func (m *Mind) approach(now time.Duration) Step {
	at := max(now, m.v.ActAt)
	if !m.v.Waits {
		at = now + arrival.Draw(m.crowd.Think, m.rand)
	}
	m.goal, m.tries = history.OpBook, 1
	m.newKey()
	return m.pursue(now, at)
}

// booked leaves, or starts the cancel after a think time.
func (m *Mind) booked(h Heard) Step {
	if !m.v.Cancels {
		return m.leave(h.Now, Booked)
	}
	at := h.Now + arrival.Draw(m.crowd.Think, m.rand)
	m.goal, m.tries, m.attempt, m.renewed, m.booking = history.OpCancel, 1, 0, false, h.Booking
	m.deadline = at + m.crowd.Patience
	return m.pursue(h.Now, at)
}

// newKey takes the next idempotency key, and with it the next account of a visitor who has several.
func (m *Mind) newKey() {
	m.nth++
	m.attempt = 0
	if next := m.plan.IntentAccount(m.intent()); next != m.account {
		m.account, m.session = next, false
	}
}

func (m *Mind) intent() uint64 { return Intent(int(m.v.Index), m.nth) }

// forgotten reports whether the system lost the session, so that one new log-in is due.
func (m *Mind) forgotten(h Heard) bool {
	return h.Outcome == history.Refused && h.Problem == history.SessionUnknown && !m.renewed && m.crowd.Login == scenario.LoginProof
}

// moves reports whether the visitor goes on with another of its accounts.
func (m *Mind) moves(h Heard) bool {
	several := m.plan.accounts[m.v.Crowd].each > 1
	return several && m.goal == history.OpBook && h.Outcome == history.Refused && (h.Problem == history.AccountLimit || h.Problem == history.RateLimited)
}

// final reports whether another try of the same step is senseless.
func (m *Mind) final(h Heard) bool {
	if h.Outcome != history.Refused {
		return false
	}
	switch h.Problem {
	case history.SoldOutForNow, history.SaleNotOpen, history.SalePaused, history.RateLimited, history.NotAdmitted, history.InFlight,
		history.Overloaded, history.DependencyDown, history.OutcomeUnknown:
		return false
	case history.SessionUnknown:
		return m.op == history.OpLogin || m.crowd.Login != scenario.LoginProof
	}
	return true
}

// afterLogin tries a log-in again, under the same policy as everything else but with tries of its own.
func (m *Mind) afterLogin(h Heard) Step {
	if m.final(h) || m.logins >= m.crowd.Retry.Attempts {
		return m.leaveBy(h)
	}
	at := h.Now + m.wait(h, m.logins)
	if at > m.deadline {
		return m.leave(max(h.Now, m.deadline), GaveUp)
	}
	if !m.budget.Take() {
		return m.leaveBy(h)
	}
	return m.logIn(h.Now, at)
}

// again is the next try of the goal, with another key where that is asked for.
func (m *Mind) again(h Heard, another bool) Step {
	if m.tries >= m.crowd.Retry.Attempts {
		return m.leaveBy(h)
	}
	at := h.Now + m.wait(h, m.tries)
	if at > m.deadline {
		return m.leave(max(h.Now, m.deadline), GaveUp)
	}
	if !m.budget.Take() {
		return m.leaveBy(h)
	}
	m.tries, m.renewed = m.tries+1, false
	if another && m.goal == history.OpBook {
		m.newKey()
	}
	return m.pursue(h.Now, at)
}

func (m *Mind) wait(h Heard, failed int) time.Duration {
	after := h.RetryAfter
	if !m.crowd.Retry.HonourRetryAfter {
		after = 0
	}
	return retry.Wait(m.crowd.Retry.Backoff, failed, after, m.rand)
}

// pursue asks for the goal, after a log-in where the visitor has no session.
func (m *Mind) pursue(now, at time.Duration) Step {
	if !m.session && m.crowd.Login != scenario.LoginNone {
		return m.logIn(now, at)
	}
	s := Step{Op: m.goal, At: at, Intent: m.intent()}
	if m.goal == history.OpCancel {
		s.Booking = m.booking
	} else {
		s.Key, s.Quantity = m.plan.Key(s.Intent), int(m.v.Wants)
	}
	m.attempt++
	s.Attempt = m.attempt
	return m.ask(now, s)
}

func (m *Mind) logIn(now, at time.Duration) Step {
	m.logins++
	return m.ask(now, Step{Op: history.OpLogin, At: at, Attempt: uint8(m.logins), Fresh: m.fresh})
}

// ask completes a request, or leaves when it would come after the end of the patience.
func (m *Mind) ask(now time.Duration, s Step) Step {
	if s.At > m.deadline {
		return m.leave(max(now, m.deadline), GaveUp)
	}
	m.op, s.Account, s.Timeout = s.Op, m.account, m.crowd.Timeout
	s.Address = m.v.Address
	if m.pool.each > 1 {
		s.Address += m.requests % m.pool.each
	}
	m.requests++
	return s
}

// leaveBy leaves by the last answer.
func (m *Mind) leaveBy(h Heard) Step {
	if h.Outcome == history.Refused {
		return m.leave(h.Now, RefusedFinal)
	}
	return m.leave(h.Now, GaveUp)
}

// leave ends the visit. A visitor with a booking leaves as Booked, whatever became of its cancel.
func (m *Mind) leave(at time.Duration, e Ending) Step {
	if m.goal == history.OpCancel {
		e = Booked
	}
	m.op = 0
	return Step{At: at, Ending: e}
}
