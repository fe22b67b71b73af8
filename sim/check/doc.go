// Package check judges a run from the rows of its directory alone: one invariant a file, over requests, ledger and bookings.
//
// Load reads a run directory into an Input, Judge gives the verdict and every figure of result.json. `gatecrash run` and `gatecrash check` both go through
// the same two calls, so a verdict can always be repeated. It shares no code with system: a defect there must not hide itself here. It sends nothing,
// writes nothing and starts nothing. cmd, sim and tests may import it; reports read its result from the directory instead.
//
// # How it judges
//
// Every change of a sale's seats takes the next version under the sale's row lock, so version order is lock order: the version is a witness of what came
// before what, and each rule is one pass over rows in version order. No search over interleavings is needed, and the cost is one sort
// (the idea of etcd's revisions in etcd-io/etcd tests/robustness; general search gave no answer within seconds at 10,000 operations with unknowns).
// Of each broken rule the first violation in version order is told with its rows; one defect breaks many rows, and the rest is counted.
//
// Two snapshots are read. Snapshot 1 is taken after drain, fence and reconciliation: goodput, seats sold and undersell are judged on it. Snapshot 2 is
// taken after the resume: the invariants are judged on it, because the resume is part of the history.
//
// # Decision: what too few samples mean
//
// No rule passes without enough samples, but a scenario in which nobody cancels or nothing is refused must be able to pass. So the samples of a rule are the
// rows it inspected, and an inconclusive rule either decides the run's verdict or does not (Check.Decides):
//   - rules about bookings, answers, visitors and the load decide always: a run in which nobody came as far as a booking proves nothing;
//   - limiter_closed decides when a fault took the limiter's store down for long enough, gate_drift when the scenario has a gate, every objective because
//     the scenario asks for it;
//   - the others (real_time_order, sold_out_was_true, refused_has_no_booking, no_undersell, recovery, faults_bit without faults) show "nothing to check"
//     and decide nothing. A check that finds a violation fails, however few its samples.
//
// # Decision: the verdict of a run
//
// Broken invariant, interrupted, invalid, failed objective or health, inconclusive, pass: the first that holds. A failed health check (gate_drift after the
// second reconciliation, no_undersell, a declared recovery that never came) counts like a failed objective: exit 1, after invalid. no_undersell is health and
// no invariant because the gate is advisory: it may turn buyers away while a debit waits for its lease, and a load that came late makes that worse. Invalid are also: a directory whose files
// are not those that run.json names, a run that did not end, a truth that could not be read or was read before the last session was gone, and a system
// that never answered one log-in or booking. expect_verdict is met by a failure only if nothing but the named check failed and the run is valid;
// the verdict keeps its word and the exit code becomes 0. An interrupted run never exits 0.
//
// # Decision: who may have made a booking
//
// no_phantom_booking takes outcomes at their word: an attempt that failed, or was turned away before the ledger (by the gate, the limiter, the session), made
// no booking. A booking of an intent with no other attempt is a phantom, which also finds a harness that records an unknown outcome as failed.
// A final refusal of an intent that has a booking is left to refused_has_no_booking, so that one defect is reported under one name.
package check
