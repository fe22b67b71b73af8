// Package session knows who is asking: log-in proofs, sessions in Redis, and the one round trip that checks a session and both rate limits.
//
// It fails closed. When Redis does not answer within the budget, the caller gets booking.ErrDependency and nobody is let through.
// Only system/httpapi and package system may import it; MakeProof is there for whoever plays the identity provider.
//
// # Decision
//
// Redis holds the SHA-256 of a token, not the token: a dump of Redis lets nobody in. A plain hash is enough, because tokens are 256 random bits.
// A session ends by key expiry. Unlike a debit, whose record is evidence, a session that has ended needs no trace.
// The address is charged before the session is looked at, so that guessing tokens costs the guesser; an account that is refused does not use up
// its neighbours' allowance at a shared address. The account's bucket is named inside the script, from the session it has just read: one round trip
// instead of two. Redis Cluster would need the account in the token.
package session
