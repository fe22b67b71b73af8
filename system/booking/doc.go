// Package booking is the domain of the booking system: intents, bookings, the Gate and Ledger interfaces, and Service.Book, the one path of a request.
//
// It does no I/O of its own and imports only the standard library. The adapters (system/gate, system/ledger) and the HTTP layer know it; it knows none of them.
//
// # Decision
//
// Everything after the debit runs on a deadline of its own (context.WithoutCancel): a visitor who hangs up must not leave a transaction half-way.
// A settle, refund or credit that fails changes no answer. The gate is advisory, and the reconciler finds what such a call left behind.
// The intent's payload is its quantity; the ledger stores a hash of it, so that more fields can join without a new column.
package booking
