package booking

import (
	"time"
)

// State of a sale. The zero value is not valid.
type SaleState string

// States of a sale. Only an open sale takes new bookings; replays and cancels work in every state.
const (
	Scheduled SaleState = "scheduled" // created, not yet open
	Open      SaleState = "open"
	Paused    SaleState = "paused" // open before, may open again
	Closed    SaleState = "closed" // final
)

// Sale is what is sold: a number of interchangeable seats.
type Sale struct {
	ID         string    `json:"id"`
	Capacity   int64     `json:"capacity"`    // seats; > 0
	Free       int64     `json:"free"`        // seats; invariant: 0 <= Free <= Capacity
	Version    int64     `json:"version"`     // 0 before the first change, then +1 for each ledger row
	State      SaleState `json:"state"`       //
	PerAccount int       `json:"per_account"` // live seats an account may hold; > 0
	OpensAt    time.Time `json:"opens_at"`    // zero: only the operator opens it
}

// StateAt is the state at a time: a scheduled sale whose opening time has passed is open, without anyone opening it.
func (s Sale) StateAt(now time.Time) SaleState {
	if s.State == Scheduled && !s.OpensAt.IsZero() && !s.OpensAt.After(now) {
		return Open
	}
	return s.State
}

// MayBecome says whether a sale in state s may be moved to another: scheduled -> open <-> paused, and all -> closed, which is final.
// A state may always be set again.
func (s SaleState) MayBecome(next SaleState) bool {
	switch {
	case s == next:
		return true
	case s == Closed:
		return false
	case next == Open || next == Closed:
		return true
	}
	return next == Paused && s == Open
}

// MaxQuantity is the most seats one intent may ask for, whatever the account limit says.
const MaxQuantity = 100

// Intent is one logical wish to book. The same (Sale, Account, Key) is the same intent, however many attempts are made of it.
type Intent struct {
	Sale     string
	Account  string
	Key      string // the client's idempotency key, 1 to 128 printable ASCII characters
	Quantity int    // seats; 1..MaxQuantity
}

// ID names the intent within its sale, for the gate: account and key joined so that no two pairs collide.
func (in Intent) ID() string { return intentID(in.Account, in.Key) }

// State of a booking.
type State string

// States of a booking. A cancelled booking stays and keeps its version; its seats are back.
const (
	Live      State = "live"
	Cancelled State = "cancelled"
)

// Booking is what the truth committed for an intent.
type Booking struct {
	ID       int64
	Sale     string
	Account  string
	Key      string
	Quantity int
	State    State
	Version  int64 // the ledger version that booked it, never that of the cancel
}

// Path says which way an answer was found.
type Path string

// Paths of an answer: a new row, or the row of an earlier attempt.
const (
	PathDB     Path = "db"
	PathReplay Path = "replay"
)

// Answer is a booking and the way it was found.
type Answer struct {
	Booking Booking
	Path    Path
}

// Result is the ledger's decision on one intent of a batch: exactly one of Answer and Err is set.
type Result struct {
	Answer Answer
	Err    error // ErrKeyReused, ErrAccountLimit, *SoldOutError, *StateError, ErrUnknownSale
}

// Snapshot is (free, version) of a sale as read in one statement.
type Snapshot struct {
	Free    int64
	Version int64
}

// Change is one ledger row other than a booking: seats returned by a cancel, or a changed capacity.
type Change struct {
	ID      string // unique in the sale
	Seats   int64  // change of free seats: > 0 returned or added, < 0 withdrawn
	Version int64
}
