package gate

import (
	"context"
	_ "embed"

	"gatecrash/system/booking"
)

//go:embed settle.lua
var settleLua string

// Settle implements booking.Gate. It fails, and changes nothing, where the intent was settled at another version, which the truth never does.
func (g *Gate) Settle(ctx context.Context, in booking.Intent, version int64) error {
	k := g.keys(in.Sale)
	_, err := g.guarded(ctx, g.scripts.settle, in.Sale, []string{k.meta, k.debits, k.due, k.settled}, in.ID(), in.Quantity, version)
	return err
}
