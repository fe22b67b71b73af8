// Package drift measures how far the gate is from the truth while a run goes on: many samples a second, each an exact interval at a stated instant.
//
// # Formula
//
// drift = gate available − (truth free − live debits whose intent has no booking). Above 0 it is surplus (useless contenders are let through),
// below 0 it is leak (buyers are wrongly refused). A gate that cannot be read is unknown, which is not 0.
//
// # Decision
//
// Gate and truth cannot be read at one instant, so a sample reads the truth's ledger, then the gate in one atomic step, then the ledger again.
// At the gate's instant the truth stood at some version v between the two readings, and not below what the gate has heard of.
// With E(v) = free(v) − debits without a booking at v, the drift lies in [avail − max E, avail − min E]. E does not move when a debited intent commits
// (free falls by n, and the debit is no longer subtracted), so the interval is as wide as the commits that passed the gate by, not as wide as the traffic.
package drift
