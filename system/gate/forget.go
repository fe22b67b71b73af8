package gate

import (
	"context"
	_ "embed"
)

//go:embed forget.lua
var forgetLua string

var forgetScript = newScript("forget", forgetLua)

// Forget implements booking.Gate.
func (g *Gate) Forget(ctx context.Context, sale string) error {
	_, err := g.call(ctx, forgetScript, sale, g.keys(sale).all())
	return err
}
