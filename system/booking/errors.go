package booking

import (
	"errors"
	"fmt"
	"time"
)

// Errors of the domain. Callers decide by errors.Is and errors.As, never by text.
var (
	ErrUnknownSale    = errors.New("unknown sale")
	ErrUnknownBooking = errors.New("unknown booking")
	ErrSoldOut        = errors.New("sold out")                                    // decided by the truth; see SoldOutError
	ErrGateSoldOut    = errors.New("sold out for now")                            // decided by the gate; not final
	ErrAccountLimit   = errors.New("account limit reached")                       //
	ErrKeyReused      = errors.New("idempotency key reused with another payload") //
	ErrNotOpen        = errors.New("sale not open")                               // see StateError
	ErrSaleExists     = errors.New("sale exists")                                 //
	ErrCapacity       = errors.New("capacity below what is booked")               //
	ErrSaleState      = errors.New("state change not allowed")                    //
	ErrOverloaded     = errors.New("overloaded")                                  // nothing happened; try later
	ErrDependency     = errors.New("dependency down")                             // nothing happened; try later
	ErrUnknownOutcome = errors.New("outcome unknown")                             // may have happened; ask again with the same key
	ErrInvalid        = errors.New("invalid request")                             // never sent to gate or ledger
)

// SoldOutError is a refusal by the truth: at Version, Free seats were left and more were asked for.
type SoldOutError struct {
	Version int64
	Free    int64
}

// Error implements error.
func (e *SoldOutError) Error() string {
	return fmt.Sprintf("sold out: %d seats free at version %d", e.Free, e.Version)
}

// Is makes errors.Is(err, ErrSoldOut) true.
func (e *SoldOutError) Is(target error) bool { return target == ErrSoldOut }

// StateError is a refusal because of the sale's state.
type StateError struct{ State SaleState }

// Error implements error.
func (e *StateError) Error() string { return "sale is " + string(e.State) }

// Is makes errors.Is(err, ErrNotOpen) true.
func (e *StateError) Is(target error) bool { return target == ErrNotOpen }

// RetryError carries how long a client should wait before it tries again.
type RetryError struct {
	Err   error
	After time.Duration
}

// Error implements error.
func (e *RetryError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *RetryError) Unwrap() error { return e.Err }
