package gate

import (
	"context"
	_ "embed"

	"gatecrash/system/booking"
)

//go:embed refund.lua
var refundLua string

// Refund implements booking.Gate.
func (g *Gate) Refund(ctx context.Context, in booking.Intent, owner string) error {
	k := g.keys(in.Sale)
	_, err := g.guarded(ctx, g.scripts.refund, in.Sale, []string{k.meta, k.debits, k.due}, in.ID(), owner)
	return err
}
