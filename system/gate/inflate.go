package gate

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
)

//go:embed inflate.lua
var inflateLua string

// Inflate makes the gate show at least seats, whatever the truth holds, and gives what it shows now. It is a fault for drills: the next
// repair takes it back. No request ever comes here.
func (g *Gate) Inflate(ctx context.Context, sale string, seats int64) (int64, error) {
	w, err := g.call(ctx, g.scripts.inflate, sale, []string{g.keys(sale).meta}, seats)
	if err != nil {
		return 0, err
	}
	if w == "missing" {
		return 0, fmt.Errorf("inflate sale %q: the gate holds nothing of it", sale)
	}
	return strconv.ParseInt(w, 10, 64)
}
