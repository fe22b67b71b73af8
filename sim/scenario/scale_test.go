package scenario

import (
	"reflect"
	"testing"
	"time"
)

func TestScale(t *testing.T) {
	sc, err := Parse("full.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	before, err := Parse("full.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	half := sc.Scale(0.5)
	type row struct {
		what      string
		got, want any
	}
	for _, r := range []row{
		{"visitors", half.Crowds[0].Visitors, 10000},
		{"seats", half.Sales[0].Capacity, int64(1000)},
		{"rate", half.Crowds[1].Arrive.Rate, 5.0},
		{"arrivals' duration", half.Crowds[1].Arrive.For, 20 * time.Second},
		{"shared pool", half.Crowds[0].Addresses, Pool{Shared, 250}},
		{"pool of each", half.Crowds[1].Accounts, Pool{ManyPer, 3}},
		{"limits", half.System.Limiter, sc.System.Limiter},
		{"hit", half.Faults[1].Hit, 25},
		{"patience", half.Crowds[0].Patience, sc.Crowds[0].Patience},
		{"nothing below 1", sc.Scale(1e-9).Sales[0].Capacity, int64(1)},
		{"nothing of nothing", sc.Scale(10).Faults[0].Hit, 0},
	} {
		if !reflect.DeepEqual(r.got, r.want) {
			t.Errorf("Scale: %s: got %v, want %v", r.what, r.got, r.want)
		}
	}
	if !reflect.DeepEqual(sc, before) {
		t.Error("Scale changed the scenario that it was called on")
	}
}

func TestSuggest(t *testing.T) {
	for _, tt := range []struct{ word, want string }{
		{"visitros", "visitors"}, {"Visitors", "visitors"}, {"visitor", "visitors"}, {"xyz", ""}, {"", ""},
	} {
		if got := Suggest(tt.word, []string{"visitors", "accounts", "patience"}); got != tt.want {
			t.Errorf("Suggest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestPercentileSamples(t *testing.T) {
	for _, tt := range []struct {
		bounds []PercentileBound
		want   int
	}{
		{[]PercentileBound{{Percentile: 50}}, 100},
		{[]PercentileBound{{Percentile: 99}}, 100},
		{[]PercentileBound{{Percentile: 99.9}, {Percentile: 100}}, 1000},
		{[]PercentileBound{{Percentile: 99.99}}, 10000},
	} {
		shape := timeShape{bounds: tt.bounds}
		if got := shape.samples(); got != tt.want {
			t.Errorf("samples(%v) = %d, want %d", tt.bounds, got, tt.want)
		}
	}
}
