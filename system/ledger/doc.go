// Package ledger is the truth: sales, bookings and the ledger of every change of a sale's seats, on Postgres.
//
// Each change happens in one transaction under the sale's row lock and takes the next version, so that the order of versions is the order of
// commits. A transaction is two round trips: BEGIN, the lock and the reads, pipelined; a decision in Go; the writes and COMMIT, pipelined.
// The deciding code (decide.go) is pure. Each statement stands in a .sql file beside the .go file of its name.
//
// It knows nothing of the gate, sessions or HTTP. system wires it, system/reconcile takes its leadership lock, and sim/target/embedded reads
// its tables; nobody else imports it.
//
// # Decision
//
// The lock is a statement of its own and the reads follow it, each with a snapshot of its own (READ COMMITTED). A statement that locked and
// read at once would see other tables as they were before it waited, and book an intent twice.
//
// Lock, statement and idle-in-transaction timeouts are the server's, shorter than any request's deadline. A context that ends while a
// statement waits makes pgx close the connection (jackc/pgx issues 1845, 2425), so contexts are the last resort, not the usual bound.
//
// Few transactions of a process contend for a row at once (Config.AtOnce); the others stand in line in the process. Postgres serves sessions
// that wait for one row in no order, each follows the versions that were made since it asked, and their timeouts cost a session each: 32
// sessions on one row fell from 500 to 200 bookings a second after any disturbance and stayed there, 4 recover.
//
// An error counts as "may have happened" only if COMMIT had been sent and the server's answer does not rule it out; see outcome.
//
// # Memory
//
// Memory has the same semantics in a few maps, for tests of what stands above.
package ledger
