package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// rules checks what one key alone cannot know.
func (w *walker) rules(f *fileShape) {
	w.salesRules(f)
	w.systemRules(&f.System)
	w.crowdRules(f)
	w.faultRules(f)
	w.expectRules(f)
}

// salesOf gives the sales, whichever way they are written, and the path of each.
func (f *fileShape) salesOf() (sales []saleShape, paths []string) {
	if f.Sale != nil {
		return []saleShape{*f.Sale}, []string{"sale"}
	}
	for i := range f.Sales {
		paths = append(paths, fmt.Sprintf("sales[%d]", i))
	}
	return f.Sales, paths
}

func saleNames(f *fileShape) []string {
	sales, _ := f.salesOf()
	names := make([]string, len(sales))
	for i, s := range sales {
		names[i] = s.Name
	}
	return names
}

func (w *walker) salesRules(f *fileShape) {
	switch {
	case w.has("sale") && w.has("sales"):
		w.rule("sales", "got both sale and sales, want one of them")
	case !w.has("sale") && len(f.Sales) == 0 && w.clean("sales"):
		w.rule("sale", "got nothing, want keys and values, for example sale: {capacity: 2000}")
	}
	_, paths := f.salesOf()
	for _, path := range paths {
		if !w.has(join(path, "name")) && len(paths) > 1 {
			w.rule(join(path, "name"), "got nothing, want a name, for example main")
		}
	}
	w.unique(saleNames(f), paths)
}

// unique wants every name once; a name that was left out is filled in later.
func (w *walker) unique(names, paths []string) {
	for i, name := range names {
		if first := slices.Index(names, name); first < i && w.has(join(paths[i], "name")) {
			w.rule(join(paths[i], "name"), "got %q a second time, want a name of its own (first in %s)", name, paths[first])
		}
	}
}

func (w *walker) systemRules(s *systemShape) {
	t := s.Timeouts
	if w.clean("system.timeouts") {
		w.below("system.timeouts.lock", t.Lock, "statement", t.Statement)
		w.below("system.timeouts.statement", t.Statement, "request", t.Request)
	}
	// Protocol, section 1: a lease that ends while its taker can still commit would give back a seat that is being sold.
	if least := t.Request + t.Statement; w.clean("system.timeouts", "system.gate") && s.Gate.Enabled && s.Gate.Lease <= least {
		w.rule("system.gate.lease", "got %v, want more than timeouts.request + timeouts.statement = %v, for example %v",
			time.Duration(s.Gate.Lease), time.Duration(least), time.Duration(least)+2*time.Second)
	}
	if w.clean("system.gate", "system.timeouts") && s.Gate.Enabled && s.Gate.Budget >= t.Request {
		w.rule("system.gate.budget", "got %v, want less than timeouts.request = %v, for example 100ms", time.Duration(s.Gate.Budget), time.Duration(t.Request))
	}
}

func (w *walker) below(path string, got duration, name string, bound duration) {
	if got >= bound {
		w.rule(path, "got %v, want less than timeouts.%s = %v: lock < statement < request", time.Duration(got), name, time.Duration(bound))
	}
}

// known wants a name out of a list.
func (w *walker) known(path, what, name string, names []string) bool {
	if slices.Contains(names, name) {
		return true
	}
	if len(names) == 0 {
		w.rule(path, "got %q, want the name of a %s, and the file has none", name, what)
		return false
	}
	w.rule(path, "got %q, want the name of a %s, one of %s%s", name, what, strings.Join(names, ", "), didYouMean(name, names))
	return false
}

func (w *walker) expectRules(f *fileShape) {
	if len(f.Crowds) == 0 && w.clean("crowds") {
		w.rule("crowds", "got no crowd, want at least one, for example crowds: [{name: fans, visitors: 100, arrive: {shape: poisson, for: 10s}}]")
	}
	for i, e := range f.Expect {
		path := fmt.Sprintf("expect[%d]", i)
		w.oneOf(path, "recovery", "response_time", "service_time", "gate_drift", "goodput", "sold", "outcome")
		if e.Recovery != nil && w.clean(path) {
			w.recoveryRule(f, join(path, "recovery.of"), e.Recovery.Of)
		}
		if e.GateDrift != nil {
			w.driftRule(f, join(path, "gate_drift"), e.GateDrift)
		}
	}
}

// oneOf wants exactly one of the keys below a path.
func (w *walker) oneOf(path string, keys ...string) {
	var given []string
	for _, k := range keys {
		if w.has(join(path, k)) {
			given = append(given, k)
		}
	}
	switch {
	case len(given) > 1:
		w.rule(path, "got %s, want one of them", strings.Join(given, " and "))
	case len(given) == 0 && w.clean(path):
		w.rule(path, "got nothing, want one of %s", strings.Join(keys, ", "))
	}
}

func (w *walker) recoveryRule(f *fileShape, path, of string) {
	names := faultNames(f)
	if w.known(path, "fault", of, names) {
		w.heals(f, path, slices.Index(names, of))
	}
}

func (w *walker) driftRule(f *fileShape, path string, d *driftShape) {
	switch {
	case !f.System.Gate.Enabled:
		w.rule(path, "got a bound of the gate's drift, want none with system.gate.enabled: false")
	case d.Final == nil && d.LeakFor == nil && d.SurplusFor == nil && d.DebitFor == nil && d.MaxLeak == nil && d.MaxSurplus == nil && w.clean(path):
		w.rule(path, "got nothing, want one of final, leak_for, surplus_for, debit_for, max_leak, max_surplus, for example {final: 0}")
	}
}
