package gate

import (
	"context"
	_ "embed"

	"gatecrash/system/booking"
)

//go:embed repair.lua
var repairLua string

// Repair implements booking.Gate.
func (g *Gate) Repair(ctx context.Context, sale, epoch string, s booking.Snapshot) (bool, error) {
	k := g.keys(sale)
	w, err := g.call(ctx, g.scripts.repair, sale, []string{k.meta, k.debits, k.due, k.settled, k.credits}, epoch, s.Free, s.Version)
	return w == "ok", err
}
