package gate

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gatecrash/system/booking"
)

//go:embed view.lua
var viewLua string

// View implements booking.Gate.
func (g *Gate) View(ctx context.Context, sale string) (booking.View, error) {
	k := g.keys(sale)
	reply, err := g.scripts.view.run(ctx, g.client, []string{k.meta, k.debits})
	if err != nil {
		return booking.View{}, fmt.Errorf("view sale %q: %w", sale, err)
	}
	v, err := parseView(reply)
	if err != nil {
		return booking.View{}, fmt.Errorf("view sale %q: %w", sale, err)
	}
	return v, nil
}

// parseView reads {} or {epoch, asof, floor, avail, {intent, debit, ...}}.
func parseView(reply []any) (v booking.View, err error) {
	if len(reply) == 0 {
		return v, nil
	}
	if len(reply) != 5 {
		return v, fmt.Errorf("reply has %d fields, want 5", len(reply))
	}
	v.Present = true
	v.Epoch, _ = reply[0].(string)
	for i, into := range []*int64{&v.AsOf, &v.Floor, &v.Avail} {
		text, _ := reply[i+1].(string)
		if *into, err = strconv.ParseInt(text, 10, 64); err != nil {
			return booking.View{}, err
		}
	}
	flat, ok := reply[4].([]any)
	if !ok {
		return booking.View{}, fmt.Errorf("debits are %T, want a list", reply[4])
	}
	v.Debits, err = parseDebits(flat)
	return v, err
}

// parseDebits reads {intent, "n:deadline_ms:owner", ...}.
func parseDebits(flat []any) ([]booking.Debit, error) {
	var debits []booking.Debit
	for i := 0; i+1 < len(flat); i += 2 {
		intent, _ := flat[i].(string)
		record, _ := flat[i+1].(string)
		d, err := parseDebit(intent, record)
		if err != nil {
			return nil, err
		}
		debits = append(debits, d)
	}
	return debits, nil
}

func parseDebit(intent, record string) (booking.Debit, error) {
	account, key, err := booking.SplitIntentID(intent)
	if err != nil {
		return booking.Debit{}, err
	}
	parts := strings.SplitN(record, ":", 3)
	if len(parts) != 3 {
		return booking.Debit{}, fmt.Errorf("debit %q of intent %q: want n:deadline_ms:owner", record, intent)
	}
	n, err := strconv.Atoi(parts[0])
	if err != nil {
		return booking.Debit{}, err
	}
	ms, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return booking.Debit{}, err
	}
	return booking.Debit{Account: account, Key: key, Owner: parts[2], Quantity: n, Deadline: time.UnixMilli(ms).UTC()}, nil
}
