package loadgen

import "time"

// Pacer waits for absolute instants. Wait is called by one goroutine, between Begin and End; Wake by any, at any time.
type Pacer interface {
	// Begin prepares the calling goroutine, which is the one that waits.
	Begin()
	// Wait returns at the instant, or earlier after Wake. It returns at once when the instant has passed.
	Wait(until time.Time)
	// Wake ends the present Wait, or the next one.
	Wake()
	// End undoes Begin; the Pacer is of no use afterwards.
	End()
}

// timerPacer waits on a timer of the runtime: portable, precise to about a millisecond, and at home in a testing/synctest bubble.
type timerPacer struct {
	wake  chan struct{}
	timer *time.Timer
}

// NewTimerPacer gives the portable Pacer.
func NewTimerPacer() Pacer { return &timerPacer{wake: make(chan struct{}, 1)} }

// Begin implements Pacer.
func (p *timerPacer) Begin() { p.timer = time.NewTimer(time.Hour) }

// Wait implements Pacer.
func (p *timerPacer) Wait(until time.Time) {
	p.timer.Reset(time.Until(until))
	select {
	case <-p.timer.C:
	case <-p.wake:
	}
}

// Wake implements Pacer.
func (p *timerPacer) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// End implements Pacer.
func (p *timerPacer) End() { p.timer.Stop() }
