package booking

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Service books and cancels: the one path of a request after it has passed session and limiter.
type Service struct {
	Gate     Gate
	Ledger   Ledger
	Fallback Limit                                   // bound on requests that reach the ledger without the gate
	Replays  Replays                                 // coalesced look-ups for requests refused at the gate
	Refill   func(sale string)                       // called when the gate has lost a sale; must not block
	Crash    func(ctx context.Context, point string) // named crash points, see Points; must be cheap
	NewOwner func() string                           // a fresh unguessable owner token
	Observe  func(Event)                             // what happened, for metrics; must not block
	Settings Settings
}

// Settings of the service.
type Settings struct {
	GateOff    bool          // every request goes straight to the ledger, under no fallback bound (the gate-off comparison)
	Lease      time.Duration // life of a debit; > Deadline + the ledger's statement timeout
	Deadline   time.Duration // of the work on one request after its debit, independent of the client's connection
	GateBudget time.Duration // the longest one gate call may take
	RetryAfter time.Duration // told with a refusal by the gate: the reconcile period
}

// Limit is a bound on concurrent work.
type Limit interface {
	// TryAcquire takes a slot, or reports false at once.
	TryAcquire() (release func(), ok bool)
}

// Replays finds the committed booking of an intent that the gate refused. Many requests share a statement.
type Replays interface {
	Find(ctx context.Context, in Intent) (Booking, error)
}

// Names of the crash points in Book and Cancel.
const (
	PointDebited  = "debited-before-transaction"
	PointBooked   = "booked-before-answer" // committed; neither settled nor answered
	PointSettled  = "settled-before-answer"
	PointCanceled = "cancelled-before-credit"
)

// Event names something worth counting.
type Event string

// Events of the service.
const (
	EventFallback      Event = "fallback"       // the gate failed or had lost the sale; the ledger was asked directly
	EventFallbackFull  Event = "fallback_full"  // the fallback bound was reached
	EventGateSoldOut   Event = "gate_sold_out"  // refused at the gate
	EventSettleFailed  Event = "settle_failed"  // left to reconciliation
	EventRefundFailed  Event = "refund_failed"  // left to reconciliation
	EventCreditFailed  Event = "credit_failed"  // left to reconciliation
	EventDebitStranded Event = "debit_stranded" // outcome unknown; the debit stays until its lease ends
)

// Book decides one intent. The two places where gate and truth can part are both here: between the debit and the commit,
// and between the commit and the settle. Each leaves a state that Repair and the lease put right.
func (s *Service) Book(ctx context.Context, in Intent) (Answer, error) {
	if err := in.Validate(); err != nil {
		return Answer{}, err
	}
	if s.Settings.GateOff {
		return s.decide(ctx, in)
	}
	owner := s.NewOwner()
	got, gateErr := s.reserve(ctx, in, owner)
	decide, mayOwn := s.decide, got == Taken
	switch {
	case gateErr != nil:
		decide, mayOwn = s.withoutGate, true // the call may still be carried out, or have been and its answer lost
	case got == Missing:
		s.Refill(in.Sale)
		decide = s.withoutGate
	case got == SoldOut:
		return s.refusedAtGate(ctx, in)
	case got == Taken:
		s.Crash(ctx, PointDebited)
	}
	ans, err := decide(ctx, in)
	switch {
	case err == nil:
		s.Crash(ctx, PointBooked)
		s.settle(ctx, ans.Booking)
		s.Crash(ctx, PointSettled)
	case errors.Is(err, ErrUnknownOutcome):
		s.Observe(EventDebitStranded) // only the row lock can tell; the reconciler asks it when the lease ends
	case mayOwn:
		s.refund(ctx, in, owner)
	}
	return ans, err
}

// decide runs the intent under the row lock on its own deadline, and once more if the first answer was lost.
func (s *Service) decide(ctx context.Context, in Intent) (Answer, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Settings.Deadline)
	defer cancel()
	var unknown error
	for range 2 {
		res, err := s.Ledger.Book(ctx, in.Sale, []Intent{in})
		if err == nil {
			return res[0].Answer, res[0].Err
		}
		if errors.Is(err, ErrUnknownOutcome) {
			unknown = err
			continue
		}
		if unknown == nil {
			return Answer{}, err
		}
		return Answer{}, unknown // the first try may have committed, so the second one's clean failure settles nothing
	}
	return Answer{}, unknown
}

// withoutGate asks the ledger directly, under the fallback bound.
func (s *Service) withoutGate(ctx context.Context, in Intent) (Answer, error) {
	release, ok := s.Fallback.TryAcquire()
	if !ok {
		s.Observe(EventFallbackFull)
		return Answer{}, &RetryError{Err: fmt.Errorf("gate unavailable and fallback full: %w", ErrOverloaded), After: s.Settings.RetryAfter}
	}
	defer release()
	s.Observe(EventFallback)
	return s.decide(ctx, in)
}

// refusedAtGate looks for a committed booking of the intent before it repeats the gate's refusal.
func (s *Service) refusedAtGate(ctx context.Context, in Intent) (Answer, error) {
	s.Observe(EventGateSoldOut)
	b, err := s.Replays.Find(ctx, in)
	switch {
	case err == nil && b.Quantity != in.Quantity:
		return Answer{}, ErrKeyReused
	case err == nil:
		return Answer{Booking: b, Path: PathReplay}, nil
	case errors.Is(err, ErrUnknownBooking):
		return Answer{}, &RetryError{Err: ErrGateSoldOut, After: s.Settings.RetryAfter}
	}
	return Answer{}, err
}

// Cancel cancels an account's booking and returns its seats to the gate.
func (s *Service) Cancel(ctx context.Context, account string, id int64) (Booking, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Settings.Deadline)
	defer cancel()
	b, change, done, err := s.Ledger.Cancel(ctx, account, id)
	if err != nil {
		return Booking{}, err
	}
	if !done || s.Settings.GateOff {
		return b, nil
	}
	s.Crash(ctx, PointCanceled)
	s.gateCall(ctx, EventCreditFailed, func(ctx context.Context) error { return s.Gate.Credit(ctx, b.Sale, change) })
	return b, nil
}

func (s *Service) reserve(ctx context.Context, in Intent, owner string) (Reservation, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Settings.GateBudget)
	defer cancel()
	return s.Gate.Reserve(ctx, in, owner, s.Settings.Lease)
}

func (s *Service) settle(ctx context.Context, b Booking) {
	in := Intent{Sale: b.Sale, Account: b.Account, Key: b.Key, Quantity: b.Quantity}
	s.gateCall(ctx, EventSettleFailed, func(ctx context.Context) error { return s.Gate.Settle(ctx, in, b.Version) })
}

func (s *Service) refund(ctx context.Context, in Intent, owner string) {
	s.gateCall(ctx, EventRefundFailed, func(ctx context.Context) error { return s.Gate.Refund(ctx, in, owner) })
}

// gateCall makes a call whose failure changes no answer: the reconciler finds what it left.
func (s *Service) gateCall(ctx context.Context, failed Event, call func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Settings.GateBudget)
	defer cancel()
	if err := call(ctx); err != nil {
		s.Observe(failed)
	}
}
