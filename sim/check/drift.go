package check

import (
	"fmt"
	"time"

	"gatecrash/sim/drift"
	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// measureDrift sums the samples up by sale, with the final drift by the second reconciliation and the visitors whom a leak turned away.
func (f *facts) measureDrift() []result.Drift {
	all := drift.Summarise(f.in.Drift, f.in.Run.Sales)
	wrong := drift.WronglyRefused(f.in.Drift, f.refusals())
	for i := range all {
		all[i].Final, all[i].FinalKnown = f.finalDrift(all[i].Sale)
		all[i].WronglyRefused = wrong[all[i].Sale]
	}
	return all
}

// refusals by the gate, without those of the resume.
func (f *facts) refusals() []drift.Refusal {
	var all []drift.Refusal
	for i := range f.in.Requests {
		r := &f.in.Requests[i]
		if r.Op != history.OpBook || r.Outcome != history.Refused || r.Problem != history.SoldOutForNow {
			continue
		}
		all = append(all, drift.Refusal{Sale: f.saleName(r.Sale), Sent: time.Duration(r.Sent), Done: time.Duration(r.Done), Quantity: int64(r.Quantity)})
	}
	return all
}

// finalDrift is the drift after the second reconciliation: what the gate shows against what the truth has free.
func (f *facts) finalDrift(sale string) (int64, bool) {
	for _, r := range f.in.Truth.Reconciled {
		if r.Sale == sale && r.Pass == 2 && r.Known {
			return r.To - r.Free, true
		}
	}
	return 0, false
}

// gateDrift is the health of the gate: after the reconciliations at the end it must agree with the truth, and the second of them must have had nothing to do.
func gateDrift(f *facts, t *trial) {
	if !f.in.Scenario.System.Gate.Enabled {
		t.reason = "the scenario runs without the gate"
		return
	}
	var worst result.Drift
	finals := 0
	for _, d := range f.drifts {
		t.samples += d.Samples - d.Unknown
		worst.MaxSurplus, worst.MaxLeak = max(worst.MaxSurplus, d.MaxSurplus), max(worst.MaxLeak, d.MaxLeak)
		worst.SurplusSeconds, worst.LeakSeconds = worst.SurplusSeconds+d.SurplusSeconds, worst.LeakSeconds+d.LeakSeconds
		worst.WronglyRefused += d.WronglyRefused
		if d.FinalKnown {
			finals++
		}
	}
	t.unit = "seats"
	t.measured = fmt.Sprintf("surplus at most %d for %.1f s, leak at most %d for %.1f s, %d wrongly refused",
		worst.MaxSurplus, worst.SurplusSeconds, worst.MaxLeak, worst.LeakSeconds, worst.WronglyRefused)
	for _, r := range f.in.Truth.Reconciled {
		if wrong := unsettled(r); wrong != "" {
			t.violate(f.place(r.Sale, 0, "", f.in.Run.Started), func() []string { return []string{wrong} })
		}
	}
	if finals < len(f.sales) && t.violations == 0 {
		t.decide(result.Inconclusive, "the gate of %d of %d sales could not be read at the end", len(f.sales)-finals, len(f.sales))
	}
}

// unsettled says what the second reconciliation of a sale still found; empty: nothing.
func unsettled(r result.ReconcileRow) string {
	switch {
	case r.Pass != 2 || !r.Known:
		return ""
	case r.Settled > 0 || r.Refunded > 0 || r.From != r.To:
		return fmt.Sprintf("sale %s: the second reconciliation settled %d, refunded %d and moved the gate from %d to %d", r.Sale, r.Settled, r.Refunded, r.From, r.To)
	case r.Left > 0:
		return fmt.Sprintf("sale %s: %d debits remain after the second reconciliation", r.Sale, r.Left)
	case r.To != r.Free:
		return fmt.Sprintf("sale %s: the gate shows %d seats, the truth has %d free", r.Sale, r.To, r.Free)
	}
	return ""
}
