package gate

import (
	"context"
	_ "embed"

	"gatecrash/system/booking"
)

//go:embed credit.lua
var creditLua string

// Credit implements booking.Gate.
func (g *Gate) Credit(ctx context.Context, sale string, c booking.Change) error {
	k := g.keys(sale)
	_, err := g.guarded(ctx, g.scripts.credit, sale, []string{k.meta, k.credits}, c.ID, c.Seats, c.Version)
	return err
}
