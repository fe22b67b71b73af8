package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Bounds of a whole scenario: an intent's number keeps its visitor above the lowest byte, and addresses come from 10.0.0.0/8.
const (
	MaxVisitors  = 1 << 28
	MaxAddresses = 1<<24 - 2
	MaxAccounts  = 1<<32 - 1
)

func (w *walker) crowdRules(f *fileShape) {
	names, paths := make([]string, len(f.Crowds)), make([]string, len(f.Crowds))
	var addresses, accounts, visitors float64
	for i := range f.Crowds {
		c := &f.Crowds[i]
		names[i], paths[i] = c.Name, fmt.Sprintf("crowds[%d]", i)
		w.crowdRule(f, c, paths[i])
		visitors += float64(c.Visitors)
		addresses += identities(c.Addresses, c.Visitors)
		accounts += identities(c.Accounts, c.Visitors)
	}
	w.unique(names, paths)
	w.atMost("visitors", visitors, MaxVisitors)
	w.atMost("client addresses", addresses, MaxAddresses)
	w.atMost("accounts", accounts, MaxAccounts)
}

func identities(p pool, visitors int) float64 {
	if p.Mode == Shared {
		return float64(p.N)
	}
	return float64(p.N) * float64(visitors)
}

func (w *walker) atMost(what string, got, most float64) {
	if got > most && w.clean("crowds") {
		w.rule("crowds", "got %.0f %s in all, want at most %.0f", got, what, most)
	}
}

func (w *walker) crowdRule(f *fileShape, c *crowdShape, path string) {
	sale := w.saleRule(f, path, &c.Sale)
	w.arriveRules(f, c, path, sale)
	if c.Retry.Backoff.Cap < c.Retry.Backoff.Base && w.clean(join(path, "retry")) {
		w.rule(join(path, "retry.backoff.cap"), "got %v, want at least the base of %v", time.Duration(c.Retry.Backoff.Cap), time.Duration(c.Retry.Backoff.Base))
	}
	if sale == nil || !w.clean(join(path, "quantity")) {
		return
	}
	for _, q := range c.Quantity {
		if q.Quantity > sale.PerAccount {
			w.rule(join(path, "quantity"), "got %d seats, want at most %d, which is per_account of sale %q: nobody could book them", q.Quantity, sale.PerAccount, sale.Name)
		}
	}
}

// saleRule finds the sale that is meant, and fills its name in where it was left out; nil: not to be known.
func (w *walker) saleRule(f *fileShape, path string, name *string) *saleShape {
	sales, paths := f.salesOf()
	if *name == "" && len(sales) == 1 {
		*name = sales[0].Name
	}
	full := join(path, "sale")
	switch {
	case len(sales) == 0:
		return nil
	case *name == "":
		w.rule(full, "got nothing, want the name of a sale, one of %s", strings.Join(saleNames(f), ", "))
		return nil
	case !w.known(full, "sale", *name, saleNames(f)):
		return nil
	}
	i := slices.Index(saleNames(f), *name)
	if !w.clean(paths[i]) {
		return nil
	}
	return &sales[i]
}

// arriveKeys are the keys of each shape beside shape and delay, those that it needs marked with an exclamation mark.
func arriveKeys(shape string) []string {
	switch shape {
	case "constant", "poisson":
		return []string{"rate", "for"}
	case "ramp":
		return []string{"from!", "to!", "for!"}
	case "stages":
		return []string{"stages!"}
	}
	return []string{"at_open", "reaction", "tau"}
}

func (w *walker) arriveRules(f *fileShape, c *crowdShape, path string, sale *saleShape) {
	full := join(path, "arrive")
	if !w.clean(join(full, "shape")) || !w.has(full) {
		return
	}
	w.shapeKeys(c.Arrive.Shape, full)
	if !w.clean(full, join(path, "visitors")) {
		return
	}
	switch c.Arrive.Shape {
	case "flash":
		w.flashRules(c, path, sale)
	case "constant", "poisson":
		w.steadyRules(c, path)
	default:
		w.derive(c, path, area(c.Arrive.stages()))
	}
	if w.clean(full) {
		w.inTime(f, full, c.Arrive.length()+c.Arrive.Delay)
	}
}

func (w *walker) shapeKeys(shape, path string) {
	allowed := arriveKeys(shape)
	for _, key := range []string{"rate", "for", "from", "to", "stages", "at_open", "reaction", "tau"} {
		full := join(path, key)
		switch needs := slices.Contains(allowed, key+"!"); {
		case needs && !w.has(full):
			w.rule(full, "got nothing, want it with shape %s", shape)
		case !needs && w.has(full) && !slices.Contains(allowed, key):
			w.rule(full, "got a key that shape %s does not have, want only %s and delay", shape, strings.ReplaceAll(strings.Join(allowed, ", "), "!", ""))
		}
	}
}

func (w *walker) flashRules(c *crowdShape, path string, sale *saleShape) {
	if !w.has(join(path, "visitors")) {
		w.rule(join(path, "visitors"), "got nothing, want how many come with shape flash, for example 20000")
	}
	if sale != nil && sale.OpensAfter == 0 && c.Arrive.AtOpen > 0 {
		w.rule(join(path, "arrive.at_open"), "got %s waiting for the opening of sale %q, which is open from the start; want opens_after of the sale above 0s, for example 2s",
			percent(float64(c.Arrive.AtOpen)), sale.Name)
	}
}

// steadyRules fills in the one of visitors, rate and for that follows from the other two.
func (w *walker) steadyRules(c *crowdShape, path string) {
	a := &c.Arrive
	switch {
	case a.For == 0 && a.Rate == 0:
		w.rule(join(path, "arrive.for"), "got neither rate nor for, want at least one, for example for: 30s")
	case a.For == 0 && c.Visitors == 0:
		w.rule(join(path, "visitors"), "got nothing, want two of visitors, arrive.rate and arrive.for")
	case a.Rate == 0 && c.Visitors == 0:
		w.rule(join(path, "visitors"), "got nothing, want two of visitors, arrive.rate and arrive.for")
	case a.For == 0:
		a.For = duration(float64(c.Visitors) / float64(a.Rate) * float64(time.Second))
	case a.Rate == 0:
		a.Rate = rate(float64(c.Visitors) / time.Duration(a.For).Seconds())
	default:
		w.derive(c, path, float64(a.Rate)*time.Duration(a.For).Seconds())
	}
}

// derive takes the number of visitors from what the rates bring, or holds the two against each other: within one in a hundred the rates only shape.
func (w *walker) derive(c *crowdShape, path string, bring float64) {
	full := join(path, "visitors")
	switch {
	case bring < 0.5 || bring > MaxVisitors:
		w.rule(join(path, "arrive"), "got rates and times that bring %.4g visitors, want 1 to %d", bring, MaxVisitors)
	case !w.has(full):
		c.Visitors = int(math.Round(bring))
	case math.Abs(bring-float64(c.Visitors)) > max(1, 0.01*bring):
		w.rule(full, "got %d, but the rates and times of arrive bring %.0f; want the same, or leave one out", c.Visitors, bring)
	}
}

func (w *walker) inTime(f *fileShape, path string, end duration) {
	if w.clean("max_duration") && end > f.MaxDuration {
		w.rule(path, "got arrivals until %v, want an end before max_duration = %v", time.Duration(end), time.Duration(f.MaxDuration))
	}
}

// stages are the straight lines of a ramp or of stages.
func (a *arriveShape) stages() []Stage {
	if a.Shape == "ramp" {
		return []Stage{{Rate: float64(a.From)}, {Rate: float64(a.To), For: time.Duration(a.For)}}
	}
	all := make([]Stage, len(a.Stages))
	for i, s := range a.Stages {
		all[i] = Stage{Rate: float64(s.Rate), For: time.Duration(s.For)}
	}
	return all
}

// length is how long they come; of a flash crowd 0, because its tail has no end of its own.
func (a *arriveShape) length() duration {
	sum := a.For
	for _, s := range a.Stages {
		sum += s.For
	}
	return sum
}

// area is how many visitors the rates of stages bring.
func area(stages []Stage) float64 {
	var sum, from float64
	for _, s := range stages {
		sum += (from + s.Rate) / 2 * s.For.Seconds()
		from = s.Rate
	}
	return sum
}
