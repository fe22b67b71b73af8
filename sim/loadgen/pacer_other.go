//go:build !linux

package loadgen

// NewPacer gives the best Pacer of this platform.
func NewPacer() Pacer { return NewTimerPacer() }
