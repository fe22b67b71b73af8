package html

import (
	goflag "flag"
	"testing"

	"gatecrash/reports/internal/sample"
)

var keep = goflag.String("sample", "", "also write a sample run with its report to this directory")

// night is a minute of a sale with two faults.
func night() sample.Spec {
	return sample.Spec{
		Name: "opening-night", Seed: 7, Seconds: 60, OpensAt: 5, Visitors: 12000, Capacity: 1500,
		Faults: []sample.Fault{
			{Name: "blackout", Inject: "redis.kill", At: 10.4, For: 5, Dark: true, Slow: 1.8, Cut: 0.02, Surplus: 37},
			{Name: "crash", Inject: "api.crash", At: 21.7, For: 1.4, Slow: 1.4, Cut: 0.1},
		},
	}
}

func TestSample(t *testing.T) {
	if *keep == "" {
		t.Skip("only with -sample DIR")
	}
	if err := sample.Write(*keep, night(), nil); err != nil {
		t.Fatal(err)
	}
	if err := Write(*keep); err != nil {
		t.Fatal(err)
	}
}
