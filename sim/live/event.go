package live

import (
	"fmt"

	"gatecrash/sim/result"
)

// events says what happened between two frames. That a sale sells out again, after seats came back, is no news.
func events(before, now Frame, told map[string]bool) []string {
	var all []string
	tell := func(format string, args ...any) {
		all = append(all, clock(now.At)+": "+printable(fmt.Sprintf(format, args...)))
	}
	for i, s := range now.Sales {
		was := Sale{}
		if i < len(before.Sales) {
			was = before.Sales[i]
		}
		if s.Open && !was.Open {
			tell("sale %s is open, %d seats", s.Name, s.Capacity)
		}
		if s.Open && s.Free == 0 && !told[s.Name] {
			told[s.Name] = true
			tell("sale %s is sold out", s.Name)
		}
	}
	for i, w := range now.Faults {
		was := result.FaultWindow{}
		if i < len(before.Faults) {
			was = before.Faults[i]
		}
		if w.Applied && !was.Applied {
			tell("fault %s (%s) applied", w.Name, w.Inject)
		}
		if w.Healed && !was.Healed {
			tell("fault %s healed", w.Name)
		}
		if w.Error != "" && was.Error == "" {
			tell("fault %s: %s", w.Name, w.Error)
		}
	}
	return all
}
