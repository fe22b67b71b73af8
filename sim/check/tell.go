package check

import (
	"fmt"
	"strconv"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// since is an instant of the truth in milliseconds since the run's zero; 0 for a row without an instant.
func (f *facts) since(at time.Time) int64 {
	if at.IsZero() || f.in.Run.Started.IsZero() {
		return 0
	}
	return at.Sub(f.in.Run.Started).Milliseconds()
}

// place is where a check failed.
func (f *facts) place(sale string, version int64, key string, at time.Time) result.Violation {
	return result.Violation{Sale: sale, Version: version, Intent: key, AtMS: f.since(at)}
}

func (f *facts) placeLedger(r *target.LedgerRow) result.Violation {
	return f.place(r.Sale, r.Version, r.Key, r.At)
}

func (f *facts) placeBooking(r *target.BookingRow) result.Violation {
	return f.place(r.Sale, r.Version, r.Key, r.At)
}

// placeRequest is where a check failed, by the request that shows it. version is the best witness of the moment.
func (f *facts) placeRequest(r *history.Record, version int64) result.Violation {
	return result.Violation{
		Sale: f.saleName(r.Sale), Version: max(version, 0), Intent: strconv.FormatUint(r.Intent, 10), Attempt: int(r.Attempt), AtMS: r.Done / 1e6,
	}
}

func (f *facts) saleName(i uint16) string {
	if int(i) < len(f.in.Run.Sales) {
		return f.in.Run.Sales[i]
	}
	return fmt.Sprintf("#%d", i)
}

func tellLedger(r *target.LedgerRow) string {
	return fmt.Sprintf("ledger version %d: %s, %+d seats free, booking %d, account %q, key %q, at %s", r.Version, r.Kind, r.Seats, r.Booking, r.Account, r.Key, clock(r.At))
}

func tellBooking(r *target.BookingRow) string {
	return fmt.Sprintf("booking %d: sale %s, version %d, %d seats, %s, account %q, key %q, at %s", r.ID, r.Sale, r.Version, r.Quantity, r.State, r.Account, r.Key, clock(r.At))
}

func tellRequest(r *history.Record) string {
	text := fmt.Sprintf("intent %d attempt %d: %s of %d seats by account %d, sent %s, done %s: %s", r.Intent, r.Attempt, r.Op, r.Quantity, r.Account, ms(r.Sent), ms(r.Done), r.Outcome)
	if r.Problem != history.NoProblem {
		text += " " + r.Problem.String()
	}
	if r.Error != history.NoError {
		text += " (" + r.Error.String() + ")"
	}
	if r.Outcome == history.Ok {
		text += fmt.Sprintf(", booking %d of %d seats, path %s", r.Booking, r.Answered, r.Path)
	}
	if r.Version >= 0 {
		text += fmt.Sprintf(", version %d", r.Version)
	}
	return text
}

// tellAttempts gives the first few requests of an intent.
func (f *facts) tellAttempts(in *intent) []string {
	const most = 5
	var lines []string
	for n, i := range f.requests(in) {
		if n == most {
			return append(lines, fmt.Sprintf("and %d requests more of this intent", int(in.to-in.from)-most))
		}
		lines = append(lines, tellRequest(&f.in.Requests[i]))
	}
	return lines
}

func clock(at time.Time) string { return at.UTC().Format("15:04:05.000000") }

// ms is a time since the run's zero in milliseconds.
func ms(ns int64) string { return strconv.FormatFloat(float64(ns)/1e6, 'f', 3, 64) + " ms" }

// share is a/b; 0 where b is 0.
func share(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
