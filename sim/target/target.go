package target

import (
	"context"
	"time"

	"gatecrash/sim/history"
)

// Answer to one request of a visitor, as seen by the visitor.
type Answer struct {
	Outcome    history.Outcome
	Status     int
	Problem    history.Problem
	Error      history.ErrorClass
	Path       history.Path
	Booking    int64
	Quantity   int
	Version    int64         // -1: none told
	RetryAfter time.Duration // 0: none told
	Session    string        // login only
	Opens      time.Duration // look only: not used when negative
	Sent       time.Time     // when the first byte was handed to the connection, with monotonic clock; zero: nothing was sent
}

// Visitor is what a request needs to know of its visitor.
type Visitor struct {
	Account  string
	Address  string // the client address the system should see, for example 10.1.2.3
	Session  string
	BadProof bool // log in with a wrong proof
}

// Client speaks to a booking system as its visitors do. Safe for concurrent use by thousands of visitors.
// replica is 0-based; timeout is the visitor's own. No method retries.
type Client interface {
	Login(ctx context.Context, replica int, v Visitor, timeout time.Duration) Answer
	Look(ctx context.Context, replica int, v Visitor, sale string, timeout time.Duration) Answer
	Book(ctx context.Context, replica int, v Visitor, sale, key string, quantity int, timeout time.Duration) Answer
	Cancel(ctx context.Context, replica int, v Visitor, booking int64, timeout time.Duration) Answer
	// Replicas is how many there are to balance over.
	Replicas() int
}

// LedgerRow is one change of a sale's seats as the truth recorded it.
type LedgerRow struct {
	Sale    string
	Version int64
	Kind    string // book, cancel, capacity
	Account string // book and cancel
	Key     string // book and cancel
	Booking int64  // book and cancel; 0 else
	Seats   int64  // change of free seats: negative for a book
	At      time.Time
}

// BookingRow is one booking as the truth holds it.
type BookingRow struct {
	ID       int64
	Sale     string
	Account  string
	Key      string
	Quantity int
	State    string // live, cancelled
	Version  int64
	At       time.Time
}

// SaleRow is the truth's own sum of a sale.
type SaleRow struct {
	Sale       string
	Capacity   int64
	Free       int64
	Version    int64
	PerAccount int
	State      string
}

// Snapshot is the whole truth in one consistent read.
type Snapshot struct {
	Sales    []SaleRow
	Bookings []BookingRow
	Ledger   []LedgerRow
}

// Truth reads the rows that decide.
type Truth interface {
	// Snapshot reads everything in one REPEATABLE READ transaction.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Since reads the ledger rows of a sale with a version above after, in version order, and the sale's row, in one statement or snapshot.
	Since(ctx context.Context, sale string, after int64) ([]LedgerRow, SaleRow, error)
	// Sessions counts the database sessions of the system under test, for the fence.
	Sessions(ctx context.Context) (int, error)
}

// GateView is the advisory count of a sale at one instant.
type GateView struct {
	Present bool
	Avail   int64
	Debits  []GateDebit
	Floor   int64 // highest ledger version the gate has heard of
}

// GateDebit is one debit at the gate.
type GateDebit struct {
	Account  string
	Key      string
	Quantity int
	Lease    time.Time // when its lease ends, by the gate's clock: tells two debits of one intent apart. Zero: not told
}

// Gate reads the advisory count. An error means unknown, which is not 0.
type Gate interface {
	View(ctx context.Context, sale string) (GateView, error)
}
