// Package fault breaks things on schedule: each fault is applied, proven by evidence that does not come from the fault itself, reverted, and proven to be over.
//
// It acts on servers only through sim/backend and on the system under test only through sim/target. It decides no verdict: it writes down windows and evidence.
//
// # Decision
//
// A fault's window opens when apply returns, not when it was planned: an api.crash waits for its crash point, and a fault at "half sold" waits for the sale.
// A fault that never got its moment stays unapplied, and the check faults_bit makes the run inconclusive.
//
// postgres.slow_commit stands beside the faults that a first version needs: a duel over the last seat proves little while every commit takes a fraction of a millisecond.
package fault
