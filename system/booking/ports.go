package booking

import (
	"context"
	"time"
)

// Reservation is the gate's answer to a reserve.
type Reservation int

// Answers of Gate.Reserve. Only Taken makes the caller the owner of a debit.
const (
	Taken   Reservation = iota + 1 // seats taken, the caller owns the debit
	Held                           // another attempt of this intent holds a debit; go on to the ledger, owning nothing
	Settled                        // this intent was booked; go on to the ledger, which replays it
	SoldOut                        // fewer seats at the gate than asked for
	Missing                        // the gate holds nothing of this sale
)

// Gate is the advisory count of a sale. Every call is one atomic step; an error means that the step may or may not have happened.
// Implemented by system/gate on Redis and by gate.Memory for tests.
type Gate interface {
	// Reserve takes the intent's seats under the owner's token. The lease is the debit's deadline by the gate's own clock.
	Reserve(ctx context.Context, in Intent, owner string, lease time.Duration) (Reservation, error)
	// Settle makes the debit of an intent that committed at version permanent. Idempotent per (intent, version), right with and without a debit.
	Settle(ctx context.Context, in Intent, version int64) error
	// Refund gives a debit back. It does nothing unless the debit is there and owned by owner.
	Refund(ctx context.Context, in Intent, owner string) error
	// Credit adds seats that a cancel or a change of capacity freed at a version. Idempotent per change.
	Credit(ctx context.Context, sale string, c Change) error
	// Init sets up a missing sale; it does nothing if the sale is there. It reports whether it did.
	Init(ctx context.Context, sale string, s Snapshot, epoch string) (bool, error)
	// Repair sets avail from the truth's snapshot. It reports false, and changes nothing, if the epoch is another or the gate has passed the version.
	Repair(ctx context.Context, sale, epoch string, s Snapshot) (bool, error)
	// View is the gate's state of a sale in one atomic read.
	View(ctx context.Context, sale string) (View, error)
	// Expired lists up to limit debits whose deadline has passed by the gate's own clock.
	Expired(ctx context.Context, sale string, limit int) ([]Debit, error)
	// Forget drops all of a sale's state. Used when a sale is closed for good and by tests.
	Forget(ctx context.Context, sale string) error
	// Incarnation names the server process behind the gate and its role: it changes when the server restarted or a replica was promoted.
	Incarnation(ctx context.Context) (string, error)
}

// Debit is seats taken from the gate for an intent and not yet settled or refunded.
type Debit struct {
	Account  string
	Key      string
	Owner    string
	Quantity int
	Deadline time.Time // by the gate's clock
}

// View is the gate's state of one sale.
type View struct {
	Present bool   // false: not initialised, everything else is zero
	Epoch   string //
	AsOf    int64  // ledger version folded in
	Floor   int64  // the highest ledger version the gate has heard of: AsOf or a later settle or credit
	Avail   int64  // seats the gate would still give; may be negative for a moment
	Debits  []Debit
}

// Ledger is the truth. Every method that changes seats does so under the sale's row lock and returns only after commit.
// An error from Book or Cancel as a whole: errors.Is(err, ErrUnknownOutcome) means that the transaction may have committed;
// ErrDependency or ErrOverloaded mean that it certainly did not.
// Implemented by system/ledger on Postgres and by ledger.Memory for tests.
type Ledger interface {
	// Book decides the intents of one sale in order, in one transaction. One bad intent fails alone.
	Book(ctx context.Context, sale string, intents []Intent) ([]Result, error)
	// Lookup reads the committed bookings of the intents, which may be of several sales; results[i].Err is ErrUnknownBooking where there is none.
	// It takes no lock: it may confirm a booking, never deny one that is under way.
	Lookup(ctx context.Context, intents []Intent) ([]Result, error)
	// Resolve decides under the row lock, once for all, which intents of one sale are booked: it waits for any transaction that still holds the
	// lock. results[i].Err is ErrUnknownBooking where one is not.
	Resolve(ctx context.Context, sale string, intents []Intent) ([]Result, error)
	// Cancel cancels an account's live booking once; a second cancel returns the same change with done = false.
	Cancel(ctx context.Context, account string, id int64) (b Booking, c Change, done bool, err error)
	// Get reads a booking of an account. ErrUnknownBooking if there is none or it is another account's.
	Get(ctx context.Context, account string, id int64) (Booking, error)
	// Sale reads a sale.
	Sale(ctx context.Context, sale string) (Sale, error)
	// Sales lists all sales that are not closed.
	Sales(ctx context.Context) ([]Sale, error)
	// Create adds a sale, in state Scheduled. ErrSaleExists if the id is taken by a sale with other settings.
	Create(ctx context.Context, s Sale) (Sale, error)
	// SetState moves a sale to a state. ErrSaleState where that is not allowed.
	SetState(ctx context.Context, sale string, st SaleState) (Sale, error)
	// AddSeats changes the capacity by n (negative withdraws free seats; ErrCapacity if fewer are free). change is the caller's idempotency key.
	AddSeats(ctx context.Context, sale, change string, n int64) (Sale, Change, error)
	// Snapshot reads (free, version) in one statement.
	Snapshot(ctx context.Context, sale string) (Snapshot, error)
}
