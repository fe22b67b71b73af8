package main

import (
	"slices"
	"testing"

	"gatecrash/sim/scenario"
	"gatecrash/system"
	"gatecrash/system/reconcile"
)

// TestCrashPointsOfScenarios: a scenario knows the crash points that the system has, without importing it.
func TestCrashPointsOfScenarios(t *testing.T) {
	want := append(system.CrashPoints(), reconcile.PointResolved, reconcile.PointMiddle)
	slices.Sort(want)
	want = slices.Compact(want)
	if got := slices.Sorted(slices.Values(scenario.CrashPoints())); !slices.Equal(got, want) {
		t.Errorf("scenario.CrashPoints() = %q, the system has %q", got, want)
	}
}
