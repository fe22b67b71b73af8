// Package reconcile keeps the gate near the truth: it is the gate's only writer beside the requests themselves.
//
// Reconciler.Run resolves debits that outlived their lease, repairs each sale's count from the truth, and sets up sales that the gate has lost.
// Drain does the same at the end of a run, when every debit is stranded by definition. Replays is the look-up, shared by many requests, that
// comes before a refusal by the gate is told.
//
// It decides no booking and answers no visitor. system wires it; sim/target/embedded calls Drain.
//
// # Decision
//
// One replica leads, by a lock in Postgres, so that the work is done once. Nothing depends on there being only one: a debit is refunded by
// comparing its owner, and settles and repairs carry versions, so two leaders for a moment do no harm. That is why no step is fenced.
//
// A debit is resolved under the sale's row lock, never by a plain read: a transaction that still holds the lock may yet commit it. Should a
// taker commit after its lease and the refund, its settle subtracts the seats that the refund gave back.
//
// A truth that is behind what the gate has heard of has lost commits (a restore, a failover). No repair can ever be right then, so the gate's
// state of the sale is forgotten and set up anew.
package reconcile
