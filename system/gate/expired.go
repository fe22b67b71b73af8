package gate

import (
	"context"
	_ "embed"
	"fmt"

	"gatecrash/system/booking"
)

//go:embed expired.lua
var expiredLua string

// Expired implements booking.Gate.
func (g *Gate) Expired(ctx context.Context, sale string, limit int) ([]booking.Debit, error) {
	k := g.keys(sale)
	reply, err := g.scripts.expired.run(ctx, g.client, []string{k.debits, k.due}, limit)
	if err != nil {
		return nil, fmt.Errorf("expired debits of sale %q: %w", sale, err)
	}
	debits, err := parseDebits(reply)
	if err != nil {
		return nil, fmt.Errorf("expired debits of sale %q: %w", sale, err)
	}
	return debits, nil
}
