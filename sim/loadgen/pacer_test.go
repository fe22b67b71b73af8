package loadgen

import (
	"runtime"
	"testing"
	"time"
)

// Both pacers: never back before the instant unless woken, back at once when it has passed, and woken by Wake.
func TestPacers(t *testing.T) {
	for name, p := range map[string]Pacer{"timer": NewTimerPacer(), "platform": NewPacer()} {
		t.Run(name, func(t *testing.T) {
			p.Begin()
			until := time.Now().Add(3 * time.Millisecond)
			p.Wait(until)
			if time.Now().Before(until) {
				t.Error("Wait: came back before the instant")
			}
			p.Wait(time.Now().Add(-time.Hour))
			p.Wake()
			p.Wait(time.Now().Add(time.Hour))
			go func() {
				runtime.Gosched()
				p.Wake()
			}()
			p.Wait(time.Now().Add(time.Hour))
			p.End()
			p.Wake() // after the end it does nothing
		})
	}
}
