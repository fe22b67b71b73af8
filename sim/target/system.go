package target

import (
	"context"
	"time"
)

// System is a booking system under test, as the harness sees it.
type System interface {
	// Client speaks to the system as its visitors do.
	Client() Client
	// Truth reads the rows that decide.
	Truth() Truth
	// Gate reads the advisory count.
	Gate() Gate
	// Processes are the system's replicas.
	Processes() []Process
	// Open opens a sale, by the operator's route.
	Open(ctx context.Context, sale string) error
	// Fresh starts one replica more, after all others are gone, and gives a client that speaks only to it. It is closed with the system.
	Fresh(ctx context.Context) (Client, error)
	// Reconcile resolves every debit, whatever its lease, and repairs the gate. Only when no replica runs.
	Reconcile(ctx context.Context) ([]Reconciled, error)
	// Inflate makes the gate show at least seats of a sale; it reports the count it left there.
	Inflate(ctx context.Context, sale string, seats int64) (int64, error)
	// LockWait is the mean wait for the sale's row lock as the system measured it; 0: not known.
	LockWait(ctx context.Context) time.Duration
	// Close ends every process of the system and waits for them.
	Close(ctx context.Context) error
}

// Process is one replica. Number is 1-based.
type Process interface {
	Number() int
	// PID of the running process; 0 when it does not run.
	PID() int
	// Start starts the process again on the same address and returns when it is ready.
	Start(ctx context.Context) error
	// Kill is SIGKILL; it returns when the process is gone. Killing a process that is gone is no error.
	Kill(ctx context.Context) error
	// Arm makes the process die at the hit-th time it reaches a crash point.
	Arm(ctx context.Context, point string, hit int) error
	// Exited is closed when the present incarnation is gone; How says in what way.
	Exited() <-chan struct{}
	How() Exit
}

// Exit is how a process ended.
type Exit struct {
	PID        int
	Signal     string // "killed" for SIGKILL; empty: none
	Code       int    // -1 with a signal
	ByHarness  bool   // the harness killed it
	CrashPoint string // the crash point it named in its last line, if any
	At         time.Time
}

// Reconciled is what one reconciliation of one sale changed.
type Reconciled struct {
	Sale     string
	Known    bool // false: the gate could not be reached
	Settled  int64
	Refunded int64
	From, To int64 // avail before and after
	Free     int64
	Left     int64 // debits that remain
}
