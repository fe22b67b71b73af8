// Package system is the booking system: Start wires gate, ledger, reconciler, sessions, limiter and HTTP into one replica, and Close takes it down.
//
// It holds settings and wiring and decides nothing. Only cmd (for serve) and sim/target/embedded may import it; it never imports the harness.
//
// # Decision
//
// Postgres must answer at the start, within a bound, because without the truth there is nothing to be a replica of. Redis need not: the gate has its
// fallback, and sessions fail closed until their store is there. /readyz says which.
//
// Waits are ordered so that each ends before the one around it: lock < statement < request, and a debit's lease outlasts the longest request and the
// statement that may still run behind it. An answer as a whole may take the session's budget, two gate calls and the request's deadline.
package system
