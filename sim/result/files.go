package result

// Names of the files of a run directory.
const (
	FileScenario  = "scenario.yaml"
	FileRun       = "run.json"
	FileRecords   = "requests.rec"
	FileRequests  = "requests.parquet"
	FileLedger    = "ledger.parquet"
	FileBookings  = "bookings.parquet"
	FileTruth     = "truth.json" // sale rows at both snapshots, and what the reconciliations changed
	FileFaults    = "faults.json"
	FileSeries    = "series.csv"
	FileDrift     = "drift.csv"
	FileHistogram = "response.hlog"
	FileResult    = "result.json"
	FileJUnit     = "junit.xml"
	FileReport    = "report.html"
	DirPlots      = "plots"
	DirLogs       = "logs"
)

// SeriesColumns gives the header of series.csv: one row for each second of the run and operation "all" first, then each operation.
// second counts from zero and may be negative for what came before; percentiles are of requests that were done in that second, in microseconds.
func SeriesColumns() []string {
	return []string{
		"second", "op", "arrivals", "intended", "sent", "ok", "refused", "failed", "unknown", "unfinished", "bookings", "retries", "in_flight",
		"response_p50_us", "response_p99_us", "service_p50_us", "service_p99_us", "seats_left", "phase",
	}
}

// DriftColumns gives the header of drift.csv: one row for each sample. known is 0 where the gate could not be read; then the other figures are empty.
func DriftColumns() []string {
	return []string{"at_ms", "sale", "known", "avail", "debits", "free_low", "free_high", "drift_low", "drift_high", "oldest_debit_ms"}
}
