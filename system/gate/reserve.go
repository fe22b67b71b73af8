package gate

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"gatecrash/system/booking"
)

//go:embed reserve.lua
var reserveLua string

// Reserve implements booking.Gate.
func (g *Gate) Reserve(ctx context.Context, in booking.Intent, owner string, lease time.Duration) (booking.Reservation, error) {
	k := g.keys(in.Sale)
	w, err := g.guarded(ctx, g.scripts.reserve, in.Sale, []string{k.meta, k.debits, k.due, k.settled}, in.ID(), in.Quantity, owner, lease.Milliseconds())
	if err != nil {
		return 0, err
	}
	switch w {
	case "taken":
		return booking.Taken, nil
	case "held":
		return booking.Held, nil
	case "settled":
		return booking.Settled, nil
	case "sold out":
		return booking.SoldOut, nil
	case "missing":
		return booking.Missing, nil
	}
	return 0, fmt.Errorf("reserve in sale %q: answer %q is not known", in.Sale, w)
}
