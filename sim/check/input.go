package check

import (
	"math"

	"gatecrash/sim/drift"
	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/scenario"
	"gatecrash/sim/target"
)

// Input is all that a judgement needs: the rows of one run directory. Nothing in it is changed by Judge.
type Input struct {
	Dir      string // the run directory as it was given, for messages
	Run      result.Run
	Scenario *scenario.Scenario // at the run's scale
	Truth    result.Truth
	Requests []history.Record // in any order
	TailLost int64            // bytes of a torn last record that were cut

	// Snapshot 1 was taken after drain, fence and reconciliation; snapshot 2 after the resume. In any order.
	Ledger1, Ledger2     []target.LedgerRow
	Bookings1, Bookings2 []target.BookingRow

	Faults []result.FaultWindow
	Drift  []drift.Sample // in order of time

	ParseKey     func(key string) (intent uint64, ok bool)     // the intent's number in the records
	ParseAccount func(account string) (number uint32, ok bool) // the account's number in the records

	Damage []string // what is wrong with the directory, one line each: the run is invalid
	Lacks  Source   // what could not be read: checks that need it are inconclusive
}

// Source is a set of the inputs of a check.
type Source uint8

// Sources.
const (
	Requests Source = 1 << iota // requests.parquet, or requests.rec of a run that did not end
	Rows                        // ledger.parquet, bookings.parquet and the sale rows of truth.json
	Windows                     // faults.json
	Samples                     // drift.csv
	Counts                      // run.json of a run that ended
)

func (s Source) String() string {
	text := ""
	for i, name := range []string{"requests", "ledger and bookings", "faults.json", "drift.csv", "the end of run.json"} {
		if s&(1<<i) == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += name
	}
	return text
}

// never is a time or a version that is not reached.
const never = math.MaxInt64
