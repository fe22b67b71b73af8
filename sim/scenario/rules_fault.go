package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// faultKeys are the keys of each kind of fault beside name, inject, at and when; those that it needs are marked.
func faultKeys(inject string) []string {
	switch inject {
	case "gate.inflate":
		return []string{"for", "sale", "seats!"}
	case "api.crash":
		return []string{"replica", "point", "hit", "restart_after"}
	case "postgres.slow_commit":
		return []string{"for", "delay!"}
	case "redis.flush":
		return nil
	}
	return []string{"for"}
}

// faultNames gives the faults' names. One that was left out is what is injected, numbered from the second on.
func faultNames(f *fileShape) []string {
	names := make([]string, len(f.Faults))
	for i := range f.Faults {
		names[i] = f.Faults[i].Name
	}
	for i := range names {
		if names[i] != "" {
			continue
		}
		names[i] = f.Faults[i].Inject
		for n := 2; slices.Index(names, names[i]) != i || slices.Contains(names[i+1:], names[i]); n++ {
			names[i] = fmt.Sprintf("%s-%d", f.Faults[i].Inject, n)
		}
	}
	return names
}

func (w *walker) faultRules(f *fileShape) {
	names, paths := faultNames(f), make([]string, len(f.Faults))
	for i := range f.Faults {
		paths[i] = fmt.Sprintf("faults[%d]", i)
		w.faultRule(f, &f.Faults[i], paths[i])
	}
	w.unique(names, paths)
	for i := range f.Faults {
		w.afterRules(f, names, i)
	}
}

func (w *walker) faultRule(f *fileShape, one *faultShape, path string) {
	if !w.clean(join(path, "inject")) {
		return
	}
	w.kindKeys(one.Inject, path)
	w.momentRules(f, one, path)
	switch one.Inject {
	case "api.crash":
		w.crashRules(f, one, path)
	case "gate.inflate":
		w.saleRule(f, path, &one.Sale)
	}
	if strings.HasPrefix(one.Inject, "gate.") && !f.System.Gate.Enabled {
		w.rule(join(path, "inject"), "got %q, want no fault of the gate with system.gate.enabled: false", one.Inject)
	}
}

func (w *walker) kindKeys(inject, path string) {
	allowed := faultKeys(inject)
	for _, key := range []string{"for", "replica", "point", "hit", "restart_after", "sale", "seats", "delay"} {
		full := join(path, key)
		switch needs := slices.Contains(allowed, key+"!"); {
		case needs && !w.has(full):
			w.rule(full, "got nothing, want it with %s", inject)
		case !needs && w.has(full) && !slices.Contains(allowed, key):
			w.rule(full, "got a key that %s does not have, want only %s", inject, strings.ReplaceAll(strings.Join(append(allowed, "name", "at", "when"), ", "), "!", ""))
		}
	}
}

func (w *walker) momentRules(f *fileShape, one *faultShape, path string) {
	switch at, when := w.has(join(path, "at")), w.has(join(path, "when")); {
	case at && when:
		w.rule(join(path, "when"), "got both at and when, want one of them")
	case !at && !when:
		w.rule(join(path, "at"), "got neither at nor when, want one of them, for example at: 10s")
	}
	w.beforeEnd(f, join(path, "at"), one.At)
	if one.When != nil {
		w.beforeEnd(f, join(path, "when.at"), one.When.At)
		w.oneOf(join(path, "when"), "at", "sold", "after_open", "after")
	}
}

func (w *walker) beforeEnd(f *fileShape, path string, at *duration) {
	if at != nil && *at >= f.MaxDuration && w.clean("max_duration", path) {
		w.rule(path, "got %v, want less than max_duration = %v", time.Duration(*at), time.Duration(f.MaxDuration))
	}
}

func (w *walker) crashRules(f *fileShape, one *faultShape, path string) {
	if w.has(join(path, "hit")) && !w.has(join(path, "point")) {
		w.rule(join(path, "hit"), "got a hit without a point, want both or none")
	}
	if w.has(join(path, "point")) {
		w.known(join(path, "point"), "crash point", one.Point, CrashPoints())
	}
	if one.Replica > f.System.Replicas && w.clean("system", path) {
		w.rule(join(path, "replica"), "got %d, want at most system.replicas = %d", one.Replica, f.System.Replicas)
	}
}

// afterRules follows `after` from fault to fault.
func (w *walker) afterRules(f *fileShape, names []string, i int) {
	path := fmt.Sprintf("faults[%d].when.after", i)
	next := after(f, names, i)
	if !w.has(path) || !w.known(path, "fault", f.Faults[i].When.After, names) {
		return
	}
	w.heals(f, path, next)
	for range names {
		if next <= i { // a circle is told once, at its first fault
			break
		}
		next = after(f, names, next)
	}
	if next == i {
		w.rule(path, "got a circle: %q waits for itself in the end, want a fault that begins by itself", names[i])
	}
}

// after is the fault that the i-th waits for; -1: none.
func after(f *fileShape, names []string, i int) int {
	if f.Faults[i].When == nil || f.Faults[i].When.After == "" {
		return -1
	}
	return slices.Index(names, f.Faults[i].When.After)
}

// heals wants a fault that ends before the run does.
func (w *walker) heals(f *fileShape, path string, i int) {
	one := f.Faults[i]
	lasts := slices.Contains(append(faultKeys(one.Inject), ""), "for") && one.Inject != "postgres.restart"
	if lasts && one.For == 0 && w.clean(fmt.Sprintf("faults[%d]", i)) {
		w.rule(path, "got a fault that lasts to the end of the run, want one that heals: give faults[%d] a duration, for example for: 5s", i)
	}
}
