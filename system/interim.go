package system

import (
	"context"
	"time"

	"gatecrash/system/booking"
)

// lookup is booking.Replays by one statement a request.
type lookup struct{ ledger booking.Ledger }

// Find implements booking.Replays.
func (l lookup) Find(ctx context.Context, in booking.Intent) (booking.Booking, error) {
	res, err := l.ledger.Lookup(ctx, []booking.Intent{in})
	if err != nil {
		return booking.Booking{}, err
	}
	return res[0].Answer.Booking, res[0].Err
}

func (s *System) refill(sale string) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		snap, err := s.ledger.Snapshot(ctx, sale)
		if err == nil {
			_, err = s.gate.Init(ctx, sale, snap, newOwner())
		}
		s.log.Debug("refill", "sale", sale, "error", err)
	}()
}
