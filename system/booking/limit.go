package booking

var _ Limit = Slots(nil)

// Slots is a Limit: a fixed number of slots, taken and given back. Make one with NewSlots.
type Slots chan struct{}

// NewSlots gives n slots. With n = 0 nothing ever gets one.
func NewSlots(n int) Slots { return make(Slots, n) }

// TryAcquire takes a slot, or reports false at once. release must be called once.
func (s Slots) TryAcquire() (release func(), ok bool) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, true
	default:
		return nil, false
	}
}
