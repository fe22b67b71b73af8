package measure

import (
	"gatecrash/sim/history"
	"gatecrash/sim/result"
)

// ops of a run in the order of reports.
func ops() [opKinds - 1]history.Op {
	return [...]history.Op{history.OpLogin, history.OpLook, history.OpBook, history.OpCancel, history.OpResumeBook, history.OpResumeCancel}
}

// opKinds is the length of an array that operations index; 0 stands for all of them.
const opKinds = history.OpResumeCancel + 1

// allPhases stands for the whole run.
const allPhases = history.Phase(0)

// Times gathers response and service times by operation and phase. Memory is fixed.
type Times struct {
	all [opKinds][history.AfterEnd + 1]*pair
}

// Add counts one request under its phase and under the whole run.
func (t *Times) Add(r *history.Record) {
	for _, p := range [...]history.Phase{allPhases, r.Phase} {
		t.of(r.Op, p).add(r)
		if r.Phase == allPhases {
			return
		}
	}
}

func (t *Times) of(op history.Op, p history.Phase) *pair {
	at := &t.all[op][p]
	if *at == nil {
		*at = newPair(digitsTotal)
	}
	return *at
}

func (p *pair) add(r *history.Record) {
	censored := r.Outcome == history.Unfinished
	p.response.add(r.Done-r.Intended, censored)
	p.service.add(r.Done-r.Sent, censored)
}

// Table gives the times of whatever was sent, the whole run first.
func (t *Times) Table() []result.Times {
	var table []result.Times
	for _, op := range ops() {
		for p, pair := range t.all[op] {
			if pair == nil {
				continue
			}
			table = append(table, result.Times{
				Op: op.String(), Phase: phaseName(history.Phase(p)), Response: pair.response.percentiles(), Service: pair.service.percentiles(),
			})
		}
	}
	return table
}

func phaseName(p history.Phase) string {
	if p == allPhases {
		return "all"
	}
	return p.String()
}

// TimesOf gathers the times of records whose phases are filled in.
func TimesOf(records []history.Record) []result.Times {
	var t Times
	for i := range records {
		t.Add(&records[i])
	}
	return t.Table()
}
