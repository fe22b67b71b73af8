package scenarios

import (
	"testing"

	"gatecrash/sim/crowd"
	"gatecrash/sim/scenario"
)

func TestEveryShippedScenarioPlans(t *testing.T) {
	for _, name := range Names() {
		file, text, err := Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		sc, err := scenario.Parse(file, text)
		if err != nil {
			t.Errorf("Parse(%q):\n%v", name, err)
			continue
		}
		plan, err := crowd.NewPlan(sc, sc.Seed)
		if err != nil {
			t.Errorf("NewPlan(%q): %v", name, err)
			continue
		}
		if sc.Name != name || sc.Question == "" || plan.Len() == 0 {
			t.Errorf("%s: name %q, question %q, %d visitors; want the file's name, a question and a crowd", file, sc.Name, sc.Question, plan.Len())
		}
	}
}
