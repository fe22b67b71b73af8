package crowd

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"crypto/sha256"
)

// Errors of reading names back, wrapped with the text that was given.
var (
	ErrForeignKey     = errors.New("not a key of this plan")
	ErrForeignAccount = errors.New("not an account of this plan")
)

// Intent numbers the nth (1-based) idempotency key of a visitor.
func Intent(visitor int, nth uint8) uint64 { return uint64(visitor+1)<<8 | uint64(nth) }

// IntentVisitor is the inverse of Intent.
func IntentVisitor(intent uint64) (visitor int, nth uint8) {
	return int(intent>>8) - 1, uint8(intent)
}

// IntentAccount is the account that books an intent.
func (p *Plan) IntentAccount(intent uint64) uint32 {
	visitor, nth := IntentVisitor(intent)
	v := &p.visitors[visitor]
	return v.account + (uint32(nth)-1)%p.accounts[v.crowd].each
}

// KeyPrefix begins every idempotency key of the plan. It follows from scenario and seed.
func (p *Plan) KeyPrefix() string { return p.prefix }

// Key is the idempotency key of an intent.
func (p *Plan) Key(intent uint64) string {
	b := append(make([]byte, 0, len(p.prefix)+17), p.prefix...)
	return string(strconv.AppendUint(append(b, '-'), intent, 16))
}

// ParseKey is the inverse of Key.
func (p *Plan) ParseKey(key string) (intent uint64, err error) {
	text, ok := strings.CutPrefix(key, p.prefix+"-")
	if !ok {
		return 0, fmt.Errorf("%w: %q", ErrForeignKey, key)
	}
	intent, err = strconv.ParseUint(text, 16, 64)
	visitor, nth := IntentVisitor(intent)
	if err != nil || nth == 0 || visitor < 0 || visitor >= len(p.visitors) || p.Key(intent) != key {
		return 0, fmt.Errorf("%w: %q", ErrForeignKey, key)
	}
	return intent, nil
}

// AccountName is the name of an account.
func (p *Plan) AccountName(i uint32) string {
	return string(strconv.AppendUint(append(make([]byte, 0, 11), 'a'), uint64(i), 10))
}

// ParseAccount is the inverse of AccountName.
func (p *Plan) ParseAccount(name string) (uint32, error) {
	text, ok := strings.CutPrefix(name, "a")
	i, err := strconv.ParseUint(text, 10, 32)
	if !ok || err != nil || i >= uint64(p.Accounts()) || p.AccountName(uint32(i)) != name {
		return 0, fmt.Errorf("%w: %q", ErrForeignAccount, name)
	}
	return uint32(i), nil
}

// AddressName is a client address, 10.0.0.1 and up.
func (p *Plan) AddressName(i uint32) string {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], 10<<24|(i+1))
	return netip.AddrFrom4(b).String()
}

func (p *Plan) keyPrefix() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "keys %d %s", p.seed, p.sc.Name))
	return "g" + hex.EncodeToString(sum[:4])
}
