// Package sample writes synthetic run directories for the tests of the reports: a small simulated sale with faults, drawn from a seed, with
// every file that a report reads. The figures are plausible and mean nothing.
//
// Only tests of reports/… may import it. It imports nothing of the project but sim/result.
package sample
