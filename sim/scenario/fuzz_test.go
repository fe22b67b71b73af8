package scenario

import (
	"errors"
	"testing"
)

// FuzzParse: whatever comes in, Parse returns either a scenario that can be scaled or faults with positions inside the file.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte(base))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("crowds: [{quantity: {? [1] : 2}, think: [], arrive: {stages: {}}}]\nfaults: [~, {when: }]\nexpect: [{response_time: {p: 1}}]\n"))
	f.Add([]byte("? {a: b}\n: !!binary x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sc, err := Parse("f", data)
		if err == nil {
			if len(sc.Sales) == 0 || len(sc.Crowds) == 0 || sc.Scale(0.5) == nil {
				t.Errorf("Parse(%q) = %+v, without a sale or a crowd", data, sc)
			}
			return
		}
		var faults Faults
		if !errors.As(err, &faults) || len(faults) == 0 {
			t.Fatalf("Parse(%q): %v is not a list of faults", data, err)
		}
		for _, one := range faults {
			if one.Line < 1 || one.Column < 1 || one.Text == "" {
				t.Errorf("Parse(%q): fault without a place or a text: %+v", data, one)
			}
		}
	})
}
