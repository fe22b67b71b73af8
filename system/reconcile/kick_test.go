package reconcile

import (
	"fmt"
	"testing"
)

// TestKicksAreBounded kicks for more sales than there can be while nobody works them off.
func TestKicksAreBounded(t *testing.T) {
	r := &Reconciler{lost: map[string]bool{}, wake: make(chan struct{}, 1)}
	for i := range 10 * mostLost {
		r.Kick(fmt.Sprint("nowhere", i))
	}
	if got := len(r.takeLost()); got != mostLost {
		t.Errorf("after %d kicks: %d sales are remembered, want %d", 10*mostLost, got, mostLost)
	}
	if got := len(r.takeLost()); got != 0 {
		t.Errorf("taken a second time: %d sales, want none", got)
	}
}
