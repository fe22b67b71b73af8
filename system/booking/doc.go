// Package booking is the domain of the booking system: intents, bookings, the Gate and Ledger interfaces, and Service.Book, the one path of a request.
//
// It does no I/O of its own and imports only the standard library. The adapters (system/gate, system/ledger) and the HTTP layer know it; it knows none of them.
//
// # Decision
//
// Everything after the debit runs on a deadline of its own (context.WithoutCancel): a visitor who hangs up must not leave a transaction half-way.
// A settle, refund or credit that fails changes no answer. The gate is advisory, and the reconciler finds what such a call left behind.
//
// A reserve that failed is treated as one that may have taken seats: its caller settles or refunds as if it owned the debit. Both calls are right with and
// without one, and otherwise every timeout of a slow gate would strand its seats until the lease ends, refusing buyers while seats are free.
//
// The intent's payload is its quantity; the ledger stores a hash of it, so that more fields can join without a new column.
package booking
