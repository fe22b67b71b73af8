package plot

import (
	"flag"
	"testing"
)

var keep = flag.String("sample", "", "draw the run in this directory")

func TestSample(t *testing.T) {
	if *keep == "" {
		t.Skip("only with -sample DIR")
	}
	if err := Write(*keep); err != nil {
		t.Fatal(err)
	}
}
