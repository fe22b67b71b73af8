package scenario

// CheckNames lists the checks that expect_verdict may name. A test of sim/check holds it against the checks themselves.
func CheckNames() []string {
	return []string{
		"no_oversell", "versions_dense", "one_booking_per_intent", "same_answer", "no_lost_booking", "no_phantom_booking", "real_time_order", "sold_out_was_true",
		"refused_has_no_booking", "account_limit", "seats_conserved", "limiter_closed", "arrivals_accounted",
		"no_undersell", "gate_drift", "recovery", "load_offered", "faults_bit", "response_time", "service_time", "goodput", "sold", "outcome",
	}
}

// CrashPoints lists the points at which an API process can be told to die. A test of cmd holds it against the system's own list.
func CrashPoints() []string {
	return []string{"debited-before-transaction", "booked-before-answer", "settled-before-answer", "cancelled-before-credit", "resolved-before-refund", "mid-reconcile"}
}
