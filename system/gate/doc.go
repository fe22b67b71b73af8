// Package gate is the advisory count of a sale's seats, on Redis: it keeps most of those who cannot get a seat away from the ledger.
//
// Each call is one Lua script, in the .lua file beside the .go file of its name. A script reads and validates all, then writes, so that it
// happens whole or not at all. Reserve, settle, refund and credit cost O(1), repair and view O(live debits and changes since the last repair).
//
// The gate decides no booking. It knows nothing of Postgres; system/reconcile tells it the truth. system wires it, sim/target/embedded reads it.
//
// # State
//
// Keys of a sale, all under one hash tag, PREFIX{SALE}:NAME:
//
//	meta     hash    epoch, asof, avail, floor
//	debits   hash    intent -> "n:deadline_ms:owner"
//	due      zset    intent by deadline, for Expired
//	settled  hash    intent -> "version:n", for versions > asof
//	credits  hash    change -> "version:seats", for versions > asof
//	init     string  who is setting the sale up, with a lease
//
// Invariant after every script, where free(asof) is what the truth held free at version asof:
//
//	avail = free(asof) - sum(settled n) + sum(credits seats) - sum(debits n)
//
// Every settle and credit carries its ledger version, so that all calls commute and a repair needs no quiet moment.
//
// # Decision
//
// A debit's lease is a deadline inside its record, by the clock of Redis. A key that expires would delete the evidence of what was taken.
//
// The client retries nothing: an answer lost by the network does not say whether the script ran, and running a reserve twice is not the
// same as running it once (redis/go-redis issues 2339, 1121). A script is sent by its hash and, on NOSCRIPT, once more in full.
// Deadlines of contexts are honoured, which go-redis does not do by itself.
//
// # Memory
//
// Memory has the same semantics in a few maps, for tests of what stands above.
package gate
