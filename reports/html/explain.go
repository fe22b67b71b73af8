package html

import (
	"strings"

	"gatecrash/sim/result"
)

// explanations say in a sentence what a check means to the owner of a sale.
func explanations() map[string]string {
	return map[string]string{
		"no_oversell":            "At no moment were more seats booked than there are: the ledger is followed version by version, and the booking rows are counted beside it.",
		"versions_dense":         "The ledger has no hole and no repetition, and each sale's own row says the same as its ledger.",
		"one_booking_per_intent": "Nobody was booked twice for one wish, however often the request was repeated.",
		"same_answer":            "Whoever asked again got the same booking, the same number of seats and the same version.",
		"no_lost_booking":        "Every booking that a visitor was told of is in the ledger at the end.",
		"no_phantom_booking":     "Every booking in the ledger was asked for, by that account and with that number of seats.",
		"real_time_order":        "A booking answered before another was first asked for stands before it in the ledger.",
		"sold_out_was_true":      "Where the database said sold out, there were really too few seats at that version.",
		"refused_has_no_booking": "Who was refused for good has no booking.",
		"account_limit":          "No account holds more live seats than the sale allows.",
		"seats_conserved":        "Capacity is free plus booked seats; a cancelled seat came back once.",
		"admission_enforced":     "Every booking came with a valid admission token of its sale and account, and no bad token was taken.",
		"admission_rate":         "The waiting room let in no more visitors than stated, in any window.",
		"queue_order":            "Nobody who came in time was overtaken in the waiting room.",
		"limiter_closed":         "While the limiter's store was down nobody was let past it.",
		"arrivals_accounted":     "Every planned visitor and every request is accounted for.",
		"no_undersell":           "Nobody was sent away by the gate while seats stayed free at the end.",
		"gate_drift":             "How far the gate in Redis parted from the truth in Postgres: surplus lets useless contenders through, leak refuses buyers wrongly.",
		"recovery":               "How long after a fault was healed bookings were flowing again as before it.",
		"load_offered":           "The generator really sent the planned load on time; where it did not, the figures describe the generator and the run is invalid.",
		"faults_bit":             "Each fault has independent evidence that it happened, and requests felt it.",
		"response_time":          "What visitors waited from the moment they meant to act: done − intended.",
		"service_time":           "How long the system took once asked: done − sent.",
		"goodput":                "Bookings per second committed within the visitor's patience.",
		"sold":                   "Share of the seats that was booked before the resume.",
		"outcome":                "Share of the requests that ended in this way.",
	}
}

// explain looks a check up by its name or by the part of it before a detail, as in "recovery:blackout" or "response_time book p99".
func explain(c result.Check) string {
	all := explanations()
	if s, ok := all[c.Name]; ok {
		return s
	}
	base, _, _ := strings.Cut(strings.NewReplacer(":", " ", "/", " ", "(", " ", "[", " ", ".", " ").Replace(c.Name), " ")
	if s, ok := all[base]; ok {
		return s
	}
	if c.Kind == result.Objective {
		return "A threshold that the scenario declares."
	}
	return ""
}
