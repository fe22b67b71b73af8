// Package retry says how a visitor comes back: the wait before the next attempt, and the crowd's shared budget of retries.
//
// Waits are pure functions; Budget is the one thing here that several visitors change at once. It imports sim/scenario only; sim/crowd and sim/loadgen may import it.
//
// # Decision
//
// The budget is the token bucket of M. Brooker, "Fixing retries with token buckets and circuit breakers" (2022): a success earns a share of a retry, a retry costs one.
// It starts with Reserve retries, so that the first failures of a run are retried at all, and never saves more than Savings, so that a long calm does not pay for a storm.
//
// A Retry-After is the least wait, not the wait: the jittered backoff is added to it. Else everyone who was refused in the same moment comes back in the same moment.
package retry
