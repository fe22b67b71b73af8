// Package history keeps the requests of a run on disk: fixed-size records while it runs, readable up to the last write after a kill -9, and Parquet afterwards.
//
// While the crowd plays, Writer appends records of RecordSize bytes to requests.rec. The caller only encodes into a slab; a goroutine of the
// Writer does the I/O at least every FlushEvery. Reader reads the file back and cuts a torn tail. WriteParquet turns it into
// requests.parquet for everyone else's tools, ReadParquet reads that back by column. Package truth beside this one keeps the ledger's and bookings' rows.
//
// It judges nothing, knows no system under test and no clock. Anyone in sim may import it.
//
// Decision: fixed records and not Parquet on the hot path. A Parquet file without its footer is unreadable, so a kill would lose it whole,
// and closing a row group stalls the writer for tens of milliseconds. A record costs tens of nanoseconds and is complete once written.
//
// Decision: every record carries a checksum (CRC-32C). A kill of the process can only leave a short last record, but a full disk or a lost
// page can leave zeros; those must be seen as a torn tail or as corruption, never as a request with outcome 0.
package history
