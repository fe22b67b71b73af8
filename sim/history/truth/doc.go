// Package truth keeps what the database said at the end of a run: ledger.parquet and bookings.parquet, with both snapshots in one file.
//
// Each file holds a row once. Column snapshot is 1 for rows that the first snapshot has and 2 for those that only the second has; gone is true
// for rows of the first that the second no longer holds as they were, for example a booking that the resume cancelled. So snapshot 1 is the
// rows with snapshot = 1 and snapshot 2 the rows that are not gone, each exactly, equal rows counted as often as they were read.
//
// It judges nothing. Anyone in sim may import it. It stands beside history and not in it, because target imports history.
package truth
