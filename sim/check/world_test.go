package check

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"gatecrash/sim/drift"
	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
	"gatecrash/sim/target"
)

const (
	msec = int64(time.Millisecond)
	sec  = int64(time.Second)
)

// world is a tiny model of a booking system that keeps every promise, and of a crowd that makes life hard for it: retries, attempts side by side,
// answers that are lost before or after the commit, cancels, shared accounts, a store that goes down. It writes the history of its run.
type world struct {
	rng      *rand.Rand
	sales    int
	capacity int64
	limit    int64
	visitors int
	length   int64 // ns in which visitors arrive
	lossy    float64
	cancels  float64
	fresh    bool
	blackout bool // redis.kill from a third of the length, for three seconds

	in      *Input
	due     events
	version []int64
	free    []int64
	live    map[holder]int64
	made    map[uint64]*target.BookingRow // by intent
	nextID  int64
	intents uint64
	told    map[uint32]bool
}

// event is what happens at a time: the effect of a request, or a visitor's next move.
type event struct {
	at  int64
	seq int
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any     { x := (*e)[len(*e)-1]; *e = (*e)[:len(*e)-1]; return x }

func newWorld(seed uint64) *world {
	return &world{rng: rand.New(rand.NewPCG(seed, 1)), sales: 1, capacity: 150, limit: 4, visitors: 300, length: 12 * sec, lossy: 0.1, cancels: 0.15}
}

var zero = time.Date(2024, 6, 1, 18, 0, 0, 0, time.UTC)

func (w *world) at(at int64, do func()) { heap.Push(&w.due, event{at, w.due.Len(), do}) }

func (w *world) between(lo, hi int64) int64 { return lo + w.rng.Int64N(hi-lo+1) }

// run plays the crowd, drains, and resumes; it gives the whole input of a judgement.
func (w *world) run() *Input {
	w.setup()
	for v := range w.visitors {
		w.arrive(uint32(v), w.between(0, w.length))
	}
	w.play()
	end := w.end()
	w.in.Run.EndMS = end / msec
	w.snapshot(&w.in.Truth.Sales1, &w.in.Ledger1, &w.in.Bookings1)
	for i := range w.sales {
		free := w.free[i]
		for pass := 1; pass <= 2; pass++ {
			w.in.Truth.Reconciled = append(w.in.Truth.Reconciled, result.ReconcileRow{Pass: pass, Sale: saleNamed(i), Known: true, From: free, To: free, Free: free})
		}
	}
	w.resume(end + sec)
	w.play()
	w.snapshot(&w.in.Truth.Sales2, &w.in.Ledger2, &w.in.Bookings2)
	w.finish(end)
	return w.in
}

func saleNamed(i int) string { return fmt.Sprintf("sale%d", i) }

func (w *world) setup() {
	w.live, w.made, w.told = map[holder]int64{}, map[uint64]*target.BookingRow{}, map[uint32]bool{}
	retry := scenario.Retry{Attempts: 6, Key: "stable", Backoff: scenario.Backoff{Base: 100 * time.Millisecond, Cap: time.Second}}
	if w.fresh {
		retry.Key = "fresh"
	}
	w.in = &Input{
		Dir: "runs/test", ParseKey: keyParser("g1"), ParseAccount: parseAccount,
		Run: result.Run{
			Schema: 1, RunID: "run-1", Scenario: "world", Seed: 1, Scale: 1, Started: zero, Crowds: []string{"fans"}, Planned: int64(w.visitors),
			KeyPrefix: "g1", Ended: true,
		},
		Scenario: &scenario.Scenario{
			Name: "world", System: scenario.System{Gate: scenario.GateSettings{Enabled: true}, Timeouts: scenario.Timeouts{Request: time.Second}},
			Crowds: []scenario.Crowd{{Name: "fans", Visitors: w.visitors, Patience: time.Minute, Retry: retry}},
		},
	}
	for i := range w.sales {
		w.free, w.version = append(w.free, w.capacity), append(w.version, 0)
		w.in.Run.Sales = append(w.in.Run.Sales, saleNamed(i))
		w.in.Run.OpensMS, w.in.Run.OpenedMS = append(w.in.Run.OpensMS, 0), append(w.in.Run.OpenedMS, 0)
		w.in.Scenario.Sales = append(w.in.Scenario.Sales, scenario.Sale{Name: saleNamed(i), Capacity: w.capacity, PerAccount: int(w.limit)})
	}
	if w.blackout {
		w.in.Scenario.Faults = []scenario.Fault{{Name: "blackout", Inject: "redis.kill", For: 3 * time.Second}}
		w.in.Faults = []result.FaultWindow{{
			Name: "blackout", Inject: "redis.kill", Applied: true, AppliedNS: w.length / 3, HealingNS: w.length/3 + 3*sec, Healed: true, HealedNS: w.length/3 + 3*sec + 50*msec,
			Proven: true, Reverted: true, Evidence: []string{"run_id 1 -> 2"},
		}}
	}
}

func (w *world) play() {
	for w.due.Len() > 0 {
		heap.Pop(&w.due).(event).do()
	}
}

// arrive logs a visitor in and lets it book.
func (w *world) arrive(visitor uint32, at int64) {
	account := visitor
	if w.rng.Float64() < 0.3 {
		account = uint32(w.rng.IntN(w.visitors/10 + 1))
	}
	sent := at + w.between(0, 2*msec)
	done := sent + w.between(msec, 5*msec)
	w.put(history.Record{Intended: at, Sent: sent, Done: done, Version: -1, Visitor: visitor, Account: account, Attempt: 1, Op: history.OpLogin, Replica: 1, Outcome: history.Ok})
	v := &buyer{visitor: visitor, account: account, sale: uint16(w.rng.IntN(w.sales)), wants: uint16(1 + w.rng.IntN(3)), cancels: w.rng.Float64() < w.cancels}
	w.newIntent(v)
	w.at(done, func() { w.attempt(v, done) })
}

// buyer is a visitor on its way.
type buyer struct {
	visitor, account uint32
	sale, wants      uint16
	intent           uint64
	tries            uint8
	cancels, done    bool
}

func (w *world) newIntent(v *buyer) {
	w.intents++
	v.intent = w.intents * 7 // numbers need not be dense
}

func (w *world) record(v *buyer, op history.Op, at int64) history.Record {
	sent := at + w.between(0, 3*msec)
	return history.Record{
		Intended: at, Sent: sent, Version: -1, Intent: v.intent, Visitor: v.visitor, Account: v.account, Sale: v.sale, Quantity: v.wants, Attempt: v.tries, Op: op,
		Replica: uint8(1 + w.rng.IntN(2)),
	}
}

// attempt sends one booking request, sometimes a second one beside it.
func (w *world) attempt(v *buyer, at int64) {
	if v.done || v.tries >= 6 {
		return
	}
	v.tries++
	if w.fresh && v.tries > 1 {
		w.newIntent(v)
	}
	r := w.record(v, history.OpBook, at)
	effect := r.Sent + w.between(msec, 20*msec)
	r.Done = effect + w.between(msec, 5*msec)
	switch {
	case w.down(r.Sent) || w.down(effect):
		r.Outcome, r.Problem, r.Status = history.Failed, history.DependencyDown, 503
		w.finishTry(v, r)
	case w.rng.Float64() < w.lossy:
		w.loseAnswer(v, r, effect)
	default:
		w.at(effect, func() { w.finishTry(v, w.decide(v, r)) })
	}
	if w.rng.Float64() < w.lossy/3 && !w.fresh && v.tries < 6 {
		beside := at + w.between(0, 10*msec)
		w.at(beside, func() { w.attempt(v, beside) })
	}
}

func (w *world) down(at int64) bool {
	for _, f := range w.in.Faults {
		if at >= f.AppliedNS && at < f.HealedNS {
			return true
		}
	}
	return false
}

// loseAnswer makes the outcome unknown; the request may still be carried out, before or long after the visitor gave up on it.
func (w *world) loseAnswer(v *buyer, r history.Record, effect int64) {
	r.Outcome, r.Error = history.Unknown, history.ErrTimeout
	r.Done = r.Sent + w.between(msec, 40*msec)
	if w.rng.Float64() < 0.1 {
		r.Outcome, r.Error = history.Unfinished, history.ErrEnd
	}
	if w.rng.Float64() < 0.6 {
		w.at(effect+w.between(0, 100*msec), func() { w.decide(v, r) })
	}
	w.finishTry(v, r)
}

// decide is the transaction under the row lock; it fills in the answer.
func (w *world) decide(v *buyer, r history.Record) history.Record {
	r.Outcome, r.Status, r.Error = history.Refused, 409, history.NoError
	s, h := int(v.sale), holder{v.sale, v.account}
	intent := r.Intent
	switch n := int64(r.Quantity); {
	case w.made[intent] != nil:
		return answer(r, w.made[intent], history.PathReplay)
	case r.Op == history.OpBook && w.free[s] < n && w.rng.Float64() < 0.5:
		r.Problem = history.SoldOutForNow
	case w.live[h]+n > w.limit:
		r.Problem = history.AccountLimit
	case w.free[s] < n:
		r.Problem, r.Version = history.SoldOut, w.version[s]
	default:
		w.version[s]++
		w.nextID++
		w.free[s] -= n
		w.live[h] += n
		b := &target.BookingRow{
			ID: w.nextID, Sale: saleNamed(s), Account: fmt.Sprintf("a%d", v.account), Key: fmt.Sprintf("g1-%x", intent), Quantity: int(n), State: "live",
			Version: w.version[s], At: zero.Add(time.Duration(r.Sent)),
		}
		w.made[intent] = b
		w.in.Bookings2 = append(w.in.Bookings2, *b)
		w.ledger(b, kindBook, -n, b.At)
		return answer(r, b, history.PathDB)
	}
	return r
}

func answer(r history.Record, b *target.BookingRow, path history.Path) history.Record {
	r.Outcome, r.Status, r.Booking, r.Answered, r.Version, r.Path = history.Ok, 201, b.ID, uint16(b.Quantity), b.Version, path
	return r
}

func (w *world) ledger(b *target.BookingRow, kind string, seats int64, at time.Time) {
	s := int(b.Sale[4] - '0')
	w.in.Ledger2 = append(w.in.Ledger2, target.LedgerRow{
		Sale: b.Sale, Version: w.version[s], Kind: kind, Account: b.Account, Key: b.Key, Booking: b.ID, Seats: seats, At: at,
	})
}

// finishTry records an answer and lets the visitor go on.
func (w *world) finishTry(v *buyer, r history.Record) {
	w.put(r)
	next := r.Done + w.between(10*msec, 400*msec)
	switch {
	case r.Outcome == history.Ok:
		v.done = true
		w.told[v.visitor] = true
		if v.cancels {
			v.cancels = false
			later := next + w.between(0, 6*sec)
			w.at(later, func() { w.cancel(v, r.Booking, later) })
		}
	case final(&r), r.Outcome == history.Unfinished:
		v.done = true
	default:
		w.at(next, func() { w.attempt(v, next) })
	}
}

func (w *world) cancel(v *buyer, id int64, at int64) {
	r := w.record(v, history.OpCancel, at)
	r.Booking = id
	effect := r.Sent + w.between(msec, 10*msec)
	r.Done = effect + w.between(msec, 5*msec)
	switch {
	case w.down(r.Sent) || w.down(effect):
		r.Outcome, r.Problem = history.Failed, history.DependencyDown
		w.put(r)
	case w.rng.Float64() < w.lossy:
		r.Outcome, r.Error, r.Done = history.Unknown, history.ErrReset, r.Sent+msec
		if w.rng.Float64() < 0.5 {
			w.at(effect, func() { w.undo(r) })
		}
		w.put(r)
	default:
		w.at(effect, func() { w.put(w.undo(r)) })
	}
}

// undo is the cancel's transaction.
func (w *world) undo(r history.Record) history.Record {
	b := w.made[r.Intent]
	r.Outcome, r.Status, r.Version, r.Answered, r.Error = history.Ok, 200, b.Version, uint16(b.Quantity), history.NoError
	if b.State == cancelled {
		return r
	}
	s := int(r.Sale)
	b.State = cancelled
	w.version[s]++
	w.free[s] += int64(b.Quantity)
	w.live[holder{r.Sale, r.Account}] -= int64(b.Quantity)
	for i := range w.in.Bookings2 {
		if w.in.Bookings2[i].ID == b.ID {
			w.in.Bookings2[i].State = cancelled
		}
	}
	w.ledger(b, kindCancel, int64(b.Quantity), zero.Add(time.Duration(r.Sent)))
	return r
}

// resume asks again for all that is unknown.
func (w *world) resume(from int64) {
	open := map[uint64]history.Record{}
	for _, r := range w.in.Requests {
		if r.Outcome == history.Unknown || r.Outcome == history.Unfinished {
			if old, ok := open[r.Intent]; !ok || r.Attempt >= old.Attempt || r.Op == history.OpCancel {
				open[r.Intent] = r
			}
		}
	}
	at := from
	for i := range w.intents {
		intent := (i + 1) * 7
		old, ok := open[intent]
		if !ok {
			continue
		}
		at += 10 * msec
		v := &buyer{visitor: old.Visitor, account: old.Account, sale: old.Sale, wants: old.Quantity, intent: intent, tries: old.Attempt + 1}
		w.resumeOne(v, old, at)
	}
}

func (w *world) resumeOne(v *buyer, old history.Record, at int64) {
	op := history.OpResumeBook
	if old.Op == history.OpCancel {
		op = history.OpResumeCancel
	}
	r := w.record(v, op, at)
	effect := r.Sent + msec
	r.Done = effect + msec
	w.at(effect, func() {
		if op == history.OpResumeCancel {
			r.Booking = old.Booking
			w.put(w.undo(r))
			return
		}
		w.put(w.decide(v, r))
	})
}

func (w *world) put(r history.Record) { w.in.Requests = append(w.in.Requests, r) }

func (w *world) end() int64 {
	end := w.length
	for i := range w.in.Requests {
		end = max(end, w.in.Requests[i].Done)
	}
	return end + msec
}

func (w *world) snapshot(sales *[]result.SaleRow, ledger *[]target.LedgerRow, bookings *[]target.BookingRow) {
	for i := range w.sales {
		*sales = append(*sales, result.SaleRow{Sale: saleNamed(i), Capacity: w.capacity, Free: w.free[i], Version: w.version[i], PerAccount: int(w.limit), State: "open"})
	}
	*ledger, *bookings = append([]target.LedgerRow(nil), w.in.Ledger2...), append([]target.BookingRow(nil), w.in.Bookings2...)
}

func (w *world) finish(end int64) {
	in := w.in
	for i := range in.Requests {
		if r := &in.Requests[i]; r.Outcome == history.Unfinished {
			r.Done = end
		}
	}
	in.Truth.Complete, in.Truth.Fenced = true, true
	in.Run.Records = int64(len(in.Requests))
	n := int64(w.visitors)
	in.Run.Visitors = result.Visitors{Planned: n, Started: n, Booked: int64(len(w.told)), GaveUp: n - int64(len(w.told))}
	for at := int64(0); at < end; at += 100 * msec {
		for i := range w.sales {
			in.Drift = append(in.Drift, drift.Sample{At: time.Duration(at), Sale: saleNamed(i), Known: true})
		}
	}
}

// newWorldScenario is the least that a judgement needs of a scenario.
func newWorldScenario() *scenario.Scenario {
	return &scenario.Scenario{Name: "world", Sales: []scenario.Sale{{Name: "main", PerAccount: 100}}, Crowds: []scenario.Crowd{{Name: "fans"}}}
}
