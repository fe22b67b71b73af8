// Package embedded starts Gatecrash's own booking system as the system under test: replicas are child processes of the same binary (`gatecrash serve`),
// truth and gate are read on connections of the harness's own.
//
// It is the only package of sim that imports system, and it does so for three things: the login proof, the gate's read, and the reconciliation at the end of a run.
// Truth is read by SQL of its own, so that a defect of the ledger's code cannot hide its own rows.
package embedded
