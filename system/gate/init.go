package gate

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"gatecrash/system/booking"
)

//go:embed init.lua
var initLua string

// Init implements booking.Gate.
func (g *Gate) Init(ctx context.Context, sale string, s booking.Snapshot, epoch string) (bool, error) {
	w, err := g.call(ctx, g.scripts.init, sale, g.keys(sale).all(), s.Free, s.Version, epoch)
	return w == "ok", err
}

// Claim takes the right to set a sale up, for as long as the lease; it reports false at once where another holds it. Init ends it.
func (g *Gate) Claim(ctx context.Context, sale, owner string, lease time.Duration) (bool, error) {
	ok, err := g.client.SetNX(ctx, g.keys(sale).init, owner, lease).Result()
	if err != nil {
		return false, fmt.Errorf("claim sale %q: %w", sale, err)
	}
	return ok, nil
}
