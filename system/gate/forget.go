package gate

import (
	"context"
	_ "embed"
)

//go:embed forget.lua
var forgetLua string

// Forget implements booking.Gate.
func (g *Gate) Forget(ctx context.Context, sale string) error {
	_, err := g.call(ctx, g.scripts.forget, sale, g.keys(sale).all())
	return err
}
