package crowd

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
)

// hashVersion changes when the same plan would be hashed, drawn or played in another way.
const hashVersion = 1

// Hash names the plan: SHA-256 over every visitor and every setting that shapes what visitors do. Two runs with the same hash offer the same crowd.
func (p *Plan) Hash() string { return p.hash }

// digest encodes each part with its length, numbers as big-endian.
func (p *Plan) digest() (string, error) {
	d := digest{Hash: sha256.New()}
	d.numbers(hashVersion, p.seed, uint64(len(p.visitors)))
	for _, part := range []any{p.sc.Name, p.sc.Crowds, p.sc.Sales} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", fmt.Errorf("hash plan: %w", err)
		}
		d.numbers(uint64(len(text)))
		d.Write(text)
	}
	for i := range p.visitors {
		v := &p.visitors[i]
		last := uint64(v.crowd)<<32 | uint64(v.wants)<<1
		if v.cancels {
			last |= 1
		}
		d.numbers(uint64(v.arrive), uint64(v.act), uint64(v.account)<<32|uint64(v.address), last)
	}
	return hex.EncodeToString(d.Sum(nil)), nil
}

type digest struct {
	hash.Hash
	buf []byte
}

func (d *digest) numbers(numbers ...uint64) {
	d.buf = d.buf[:0]
	for _, n := range numbers {
		d.buf = binary.BigEndian.AppendUint64(d.buf, n)
	}
	d.Write(d.buf)
}
