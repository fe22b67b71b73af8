package arrival

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream is the named stream of draws of a seed: the same name and seed give the same draws on every machine, and two names give unrelated ones.
func Stream(seed uint64, name string) *rand.Rand {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), name...))
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}
