// Package limiter decides how often an account or an address may ask: rates and their buckets.
//
// It does no I/O. The buckets live in Redis, and package session, which must see them in the same round trip as the session, runs the
// Lua given here inside its own script. Only system/session, system/httpapi and package system may import it.
//
// # Decision
//
// A bucket is GCRA (the generic cell rate algorithm, ITU-T I.371): one number, the theoretical arrival time, is the whole state of a bucket,
// against two numbers and a division by elapsed time for a token bucket of the same behaviour. Time is the Redis server's, so replicas with
// different clocks agree, and the rates are of the whole system without being shared out.
// A time further ahead than the bucket can hold is cut: after a clock that was set back a bucket is at most empty, never shut for the difference.
// Lua's numbers are doubles; microseconds since 1970 stay exact in them until the year 2255.
package limiter
