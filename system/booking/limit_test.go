package booking_test

import (
	"testing"

	"gatecrash/system/booking"
)

func TestSlots(t *testing.T) {
	t.Parallel()
	s := booking.NewSlots(2)
	first, ok := s.TryAcquire()
	if !ok {
		t.Fatal("first slot: got none")
	}
	if _, ok := s.TryAcquire(); !ok {
		t.Fatal("second slot: got none")
	}
	if _, ok := s.TryAcquire(); ok {
		t.Error("third of two slots: got one")
	}
	first()
	if _, ok := s.TryAcquire(); !ok {
		t.Error("a slot given back: got none")
	}
	if _, ok := booking.NewSlots(0).TryAcquire(); ok {
		t.Error("a slot of none: got one")
	}
}
