package check

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrash/sim/history"
	"gatecrash/sim/result"
	"gatecrash/sim/target"
)

// bad is a history with one defect.
type bad struct {
	name string
	from func() *Input
	do   func(in *Input)
	want []string // checks that must fail, and no other
}

var badHistories = []bad{
	{"booked above capacity for a while, by ledger and bookings", calm, func(in *Input) {
		peak, now := int64(0), int64(0)
		for _, r := range in.Ledger2 {
			now -= r.Seats
			peak = max(peak, now)
		}
		resize(in, peak-1)
	}, []string{"no_oversell"}},
	{"sold above capacity at the end", rush, func(in *Input) { resize(in, 195) }, []string{"no_oversell", "seats_conserved"}},
	{"booking rows above capacity that the ledger does not show", rush, func(in *Input) {
		b := in.plain()
		b.ID, b.Quantity = 100000, 50
		in.Bookings2 = append(in.Bookings2, b)
	}, []string{"no_oversell", "one_booking_per_intent", "account_limit", "seats_conserved", "no_phantom_booking"}},
	{"more seats returned than sold", calm, func(in *Input) {
		in.Ledger2[0].Kind, in.Ledger2[0].Seats = kindCancel, 2
	}, []string{"no_oversell", "versions_dense", "seats_conserved", "no_lost_booking"}},

	{"two bookings share a version", calm, func(in *Input) {
		a, b := in.neighbours()
		in.move(b.ID, a.Version)
	}, []string{"versions_dense"}},
	{"a ledger row is missing", calm, func(in *Input) {
		b := in.plain()
		gone := func(r target.LedgerRow) bool { return r.Booking == b.ID }
		in.Ledger1, in.Ledger2 = slices.DeleteFunc(in.Ledger1, gone), slices.DeleteFunc(in.Ledger2, gone)
	}, []string{"versions_dense", "no_lost_booking", "seats_conserved"}},
	{"the sale row is behind its ledger", calm, func(in *Input) { in.Truth.Sales2[0].Version-- }, []string{"versions_dense"}},
	{"the sale row shows a seat too many", calm, func(in *Input) { in.Truth.Sales2[0].Free++ }, []string{"versions_dense", "seats_conserved"}},

	{"an intent booked twice", calm, func(in *Input) { in.insert(in.plain()) }, []string{"one_booking_per_intent"}},
	{"an unknown key booked twice", calm, func(in *Input) {
		b := in.plain()
		b.Key, b.Account, b.Quantity = "other-7", "a249", 1
		in.insert(b)
		in.insert(b)
		in.Bookings2[len(in.Bookings2)-1].ID++
		in.Ledger2[len(in.Ledger2)-1].Booking++
	}, []string{"one_booking_per_intent", "no_phantom_booking"}},
	{"a cancelled intent booked again", calm, func(in *Input) {
		b := in.pick(func(b target.BookingRow, _ []*history.Record) bool { return b.State == cancelled })
		b.State = "live"
		in.insert(b)
	}, []string{"one_booking_per_intent"}},

	{"a replay of another quantity", calm, func(in *Input) { in.replay(in.plain()).Answered++ }, []string{"same_answer"}},
	{"a replay of another version", calm, func(in *Input) { in.replay(in.plain()).Version++ }, []string{"same_answer"}},
	{"a replay of somebody else's booking", calm, func(in *Input) { in.replay(in.plain()).Booking = in.Bookings1[0].ID }, []string{"same_answer", "no_lost_booking"}},
	{"an answer that is not what was asked for", calm, func(in *Input) { in.attempts(in.plain())[0].Quantity++ }, []string{"same_answer", "no_phantom_booking"}},
	{"an answer with a version that its row does not have", calm, func(in *Input) { in.attempts(in.plain())[0].Version = 1 }, []string{"same_answer"}},

	{"a booking told and lost", calm, func(in *Input) { in.lose(in.plain()) }, []string{"no_lost_booking"}},
	{"a cancel told and not carried out", calm, func(in *Input) {
		b := in.plain()
		r := *in.attempts(b)[0]
		r.Op, r.Path, r.Attempt = history.OpCancel, history.NoPath, 1
		r.Intended, r.Sent, r.Done = r.Done+msec, r.Done+msec, r.Done+2*msec
		in.Requests = append(in.Requests, r)
		in.Run.Records++
	}, []string{"no_lost_booking"}},

	{"a booking that nobody asked for", calm, func(in *Input) {
		b := in.plain()
		b.Key, b.Account = "g1-fffff", "a249"
		in.insert(b)
	}, []string{"no_phantom_booking"}},
	{"a booking with a key of another plan", calm, func(in *Input) {
		b := in.plain()
		b.Key, b.Account = "other-7", "a249"
		in.insert(b)
	}, []string{"no_phantom_booking"}},
	{"a booking for another account", calm, func(in *Input) {
		b := in.plain()
		in.eachBooking(func(r *target.BookingRow) {
			if r.ID == b.ID {
				r.Account = "a249x"
			}
		})
		in.eachLedger(func(r *target.LedgerRow) {
			if r.Booking == b.ID {
				r.Account = "a249x"
			}
		})
	}, []string{"no_phantom_booking"}},
	{"a booking of an intent whose only attempt failed", calm, func(in *Input) {
		r := in.attempts(in.plain())[0]
		r.Outcome, r.Problem, r.Version, r.Booking, r.Answered, r.Path = history.Failed, history.DependencyDown, -1, 0, 0, history.NoPath
		in.unbook()
	}, []string{"no_phantom_booking"}},
	{"a booking of an intent that the limiter turned away", calm, func(in *Input) {
		refuse(in.attempts(in.plain())[0], history.RateLimited)
		in.unbook()
	}, []string{"no_phantom_booking"}},

	{"version order against real time", calm, func(in *Input) {
		a, b := in.apart()
		in.swap(a, b)
	}, []string{"real_time_order"}},

	{"sold out told while seats were free", rush, func(in *Input) { in.refusal().Version = 1 }, []string{"sold_out_was_true"}},
	{"sold out told from a stale read", rush, func(in *Input) { in.staleRefusal() }, []string{"sold_out_was_true"}},
	{"sold out told at a version that is not there yet", rush, func(in *Input) { in.refusal().Version = 1 << 40 }, []string{"sold_out_was_true"}},

	{"a retry of a booked intent refused", calm, func(in *Input) { refuse(in.replay(in.plain()), history.AccountLimit) }, []string{"refused_has_no_booking"}},
	{"the only attempt refused and booked all the same", calm, func(in *Input) {
		refuse(in.attempts(in.plain())[0], history.AccountLimit)
		in.unbook()
	}, []string{"refused_has_no_booking"}},
	{"an unknown that was applied is refused by the gate in the resume", calm, func(in *Input) {
		in.resumed(func(r *history.Record) { refuse(r, history.SoldOutForNow) })
	}, []string{"refused_has_no_booking"}},

	{"an account above its limit", calm, func(in *Input) { in.Scenario.Sales[0].PerAccount = 3 }, []string{"account_limit"}},

	{"a cancel returned its seats twice", calm, func(in *Input) {
		b := in.pick(func(b target.BookingRow, _ []*history.Record) bool { return b.State == cancelled })
		in.append(kindCancel, b, int64(b.Quantity))
	}, []string{"seats_conserved"}},
	{"a live booking returned its seats", calm, func(in *Input) {
		b := in.plain()
		in.append(kindCancel, b, int64(b.Quantity))
	}, []string{"seats_conserved"}},
	{"snapshot 1 does not add up", calm, func(in *Input) { in.Truth.Sales1[0].Free-- }, []string{"seats_conserved"}},

	{"a booking while the limiter's store was down", base, func(in *Input) {
		in.Scenario.Expect = nil
		in.Faults[0].HealingNS += 2 * sec
		in.Faults[0].HealedNS += 2 * sec
	}, []string{"limiter_closed"}},

	{"a visitor lost", calm, func(in *Input) { in.Run.Visitors.GaveUp-- }, []string{"arrivals_accounted"}},
	{"an arrival lost", calm, func(in *Input) { in.Run.Visitors.NotStarted++ }, []string{"arrivals_accounted"}},
	{"more visitors than the plan has", calm, func(in *Input) { in.Requests[0].Visitor = 1 << 30 }, []string{"arrivals_accounted"}},
	{"booked visitors that no answer shows", calm, func(in *Input) {
		in.Run.Visitors.Booked += 200
		in.Run.Visitors.GaveUp -= 200
	}, []string{"arrivals_accounted"}},
	{"a request without an outcome", calm, func(in *Input) { in.Requests[0].Outcome = 0 }, []string{"arrivals_accounted"}},
	{"a request lost", calm, func(in *Input) { in.Run.Records++ }, []string{"arrivals_accounted"}},
	{"a cancel's visitor never started", calm, func(in *Input) {
		in.Run.Visitors.Started, in.Run.Visitors.NotStarted, in.Run.Visitors.GaveUp = 249, 1, in.Run.Visitors.GaveUp-1
	}, []string{"arrivals_accounted"}},

	{"seats unsold that the gate refused", calm, func(in *Input) {
		b := in.plain()
		r := in.attempts(b)[0]
		in.lose(b)
		refuse(r, history.SoldOutForNow)
		in.unbook()
	}, []string{"no_undersell"}},

	{"the second reconciliation settled a debit", calm, func(in *Input) { in.Truth.Reconciled[1].Settled = 1 }, []string{"gate_drift"}},
	{"a debit remains", calm, func(in *Input) { in.Truth.Reconciled[1].Left = 3 }, []string{"gate_drift"}},
	{"the gate ends above the truth", calm, func(in *Input) { in.Truth.Reconciled[1].From, in.Truth.Reconciled[1].To = 4000, 4000 }, []string{"gate_drift"}},

	{"recovery too late for the scenario", base, func(in *Input) { in.Scenario.Expect[0].Recovery.Within = -1 }, []string{"recovery:blackout"}},
	{"response time above its bound", base, func(in *Input) { in.Scenario.Expect[1].ResponseTime.Bounds[0].AtMost = time.Microsecond }, []string{"response_time:book:p90:steady"}},
	{"service time above its bound", base, func(in *Input) { in.Scenario.Expect[2].ServiceTime.Bounds[1].AtMost = time.Microsecond }, []string{"service_time:book:max"}},
	{"goodput below its bound", base, func(in *Input) { in.Scenario.Expect[3].Goodput.AtLeast = 1e6 }, []string{"goodput"}},
	{"fewer seats sold than wanted", base, func(in *Input) { in.Scenario.Expect[4].Sold.AtLeast = 1.1 }, []string{"sold"}},
	{"too many unknown", base, func(in *Input) { in.Scenario.Expect[5].Outcome.AtMost = 0.001 }, []string{"outcome:book:unknown"}},
	{"a leak for too long", base, func(in *Input) {
		for i := 10; i < 20; i++ {
			in.Drift[i].Low, in.Drift[i].High = -3, -2
		}
	}, []string{"gate_drift:leak_for", "gate_drift:max_leak"}},
	{"a surplus for too long", base, func(in *Input) {
		for i := 10; i < 20; i++ {
			in.Drift[i].Low, in.Drift[i].High = 2, 3
		}
	}, []string{"gate_drift:surplus_for", "gate_drift:max_surplus"}},
	{"a debit that stays for too long", base, func(in *Input) { in.Drift[12].Oldest = 9 * time.Second }, []string{"gate_drift:debit_for"}},
	{"another final drift than wanted", base, func(in *Input) { *in.Scenario.Expect[6].GateDrift.Final = 5 }, []string{"gate_drift:final"}},
}

func TestBadHistoriesFail(t *testing.T) {
	for _, b := range badHistories {
		t.Run(b.name, func(t *testing.T) {
			in := b.from()
			b.do(in)
			r := Judge(in)
			got := verdicts(r, result.Fail)
			slices.Sort(got)
			want := slices.Sorted(slices.Values(b.want))
			if !slices.Equal(got, want) || r.Verdict != result.Fail || r.Exit != 1 {
				t.Fatalf("Judge: got %q failed, %s, exit %d; want %q failed, exit 1\n%s", got, r.Verdict, r.Exit, want, explain(r))
			}
			for _, c := range r.Checks {
				if c.Verdict != result.Fail {
					continue
				}
				if c.Violations == 0 || len(c.Evidence) == 0 || len(c.Evidence) > maxEvidence+2 || !strings.Contains(c.Evidence[len(c.Evidence)-1], "gatecrash check runs/test") {
					t.Errorf("%s: got %d violations and evidence %q; want some, bounded, with the command that judges again", c.Name, c.Violations, c.Evidence)
				}
				if c.Kind == result.Invariant && c.First == nil {
					t.Errorf("%s: got no first violation", c.Name)
				}
			}
		})
	}
}

// Every check of the list must have a history that it fails or, for those that only ever call a run invalid or inconclusive, see below.
func TestEveryCheckHasABadHistory(t *testing.T) {
	seen := map[string]bool{"load_offered": true, "faults_bit": true, "recovery": true} // TestNeverPass and TestRecovery hold theirs
	for _, b := range badHistories {
		for _, name := range b.want {
			seen[name] = true
		}
	}
	for _, name := range Names() {
		if !seen[name] {
			t.Errorf("%s has no bad history", name)
		}
	}
}

func resize(in *Input, capacity int64) {
	in.eachSale(func(s *result.SaleRow) {
		booked := s.Capacity - s.Free
		s.Capacity, s.Free = capacity, capacity-booked
	})
	for i := range in.Truth.Reconciled {
		r := &in.Truth.Reconciled[i]
		r.From, r.To, r.Free = in.Truth.Sales1[0].Free, in.Truth.Sales1[0].Free, in.Truth.Sales1[0].Free
	}
}

func refuse(r *history.Record, p history.Problem) {
	r.Outcome, r.Problem, r.Status, r.Version, r.Booking, r.Answered, r.Path, r.Error = history.Refused, p, 409, -1, 0, 0, history.NoPath, history.NoError
}

// neighbours gives two plain bookings with versions one after the other and attempts side by side.
func (in *Input) neighbours() (a, b target.BookingRow) {
	for i := 1; i < len(in.Bookings1); i++ {
		a, b = in.Bookings1[i-1], in.Bookings1[i]
		x, y := in.attempts(a), in.attempts(b)
		if b.Version == a.Version+1 && a.State != cancelled && b.State != cancelled && len(x) == 1 && len(y) == 1 &&
			x[0].Outcome == history.Ok && y[0].Outcome == history.Ok && y[0].Sent < x[0].Done && x[0].Sent < y[0].Done {
			return a, b
		}
	}
	panic("no two bookings side by side: change the seed of the history")
}

// apart gives two live bookings with versions one after the other, the second asked for after the first was answered.
func (in *Input) apart() (a, b target.BookingRow) {
	for i := 1; i < len(in.Bookings1); i++ {
		a, b = in.Bookings1[i-1], in.Bookings1[i]
		x, y := in.attempts(a), in.attempts(b)
		if b.Version == a.Version+1 && a.State != cancelled && b.State != cancelled && x[0].Outcome == history.Ok && y[0].Outcome == history.Ok && x[0].Done < y[0].Sent {
			return a, b
		}
	}
	panic("no two bookings apart: change the seed of the history")
}

// swap exchanges the versions of two bookings.
func (in *Input) swap(a, b target.BookingRow) {
	in.move(a.ID, 1<<40)
	in.move(b.ID, a.Version)
	in.move(a.ID, b.Version)
}

// refusal gives a refusal by the database that overlaps nothing else of its intent.
func (in *Input) refusal() *history.Record {
	for i := range in.Requests {
		if r := &in.Requests[i]; r.Op == history.OpBook && r.Problem == history.SoldOut {
			return r
		}
	}
	panic("no refusal: change the seed of the history")
}

// staleRefusal makes a refusal name the version of a much earlier one, at which too few seats were free as well.
func (in *Input) staleRefusal() {
	var refusals []*history.Record
	for i := range in.Requests {
		if r := &in.Requests[i]; r.Op == history.OpBook && r.Problem == history.SoldOut {
			refusals = append(refusals, r)
		}
	}
	for _, early := range refusals {
		for _, late := range refusals {
			if late.Version > early.Version+4 && late.Quantity >= early.Quantity {
				late.Version = early.Version
				return
			}
		}
	}
	panic("no refusals far enough apart: change the seed of the history")
}

// resumed changes the answer by which the resume replayed a booking that is still live.
func (in *Input) resumed(do func(*history.Record)) {
	in.pick(func(b target.BookingRow, all []*history.Record) bool {
		r := all[len(all)-1]
		if b.State == cancelled || r.Op != history.OpResumeBook || r.Path != history.PathReplay {
			return false
		}
		do(r)
		return true
	})
}
