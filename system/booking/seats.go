package booking

import "context"

// AddSeats changes a sale's capacity by n and tells the gate. change is the caller's idempotency key: the same change is made once.
func (s *Service) AddSeats(ctx context.Context, sale, change string, n int64) (Sale, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Settings.Deadline)
	defer cancel()
	after, c, err := s.Ledger.AddSeats(ctx, sale, change, n)
	if err != nil {
		return Sale{}, err
	}
	if !s.Settings.GateOff {
		s.gateCall(ctx, EventCreditFailed, func(ctx context.Context) error { return s.Gate.Credit(ctx, sale, c) })
	}
	return after, nil
}
