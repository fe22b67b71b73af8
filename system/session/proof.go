package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// MaxProofLife is how far ahead a proof may expire: a proof that leaked is of no use for longer.
const MaxProofLife = time.Hour

// ErrBadProof refuses a log-in: the proof is forged, of another account, expired, or good for longer than MaxProofLife.
var ErrBadProof = errors.New("log-in proof not accepted")

// MakeProof proves that the holder of the log-in key vouches for the account until expires (whole seconds). It is what an identity provider
// would hand to a visitor: HMAC-SHA256, base64url without padding, over a length-prefixed encoding of purpose, account and expiry.
func MakeProof(key []byte, account string, expires time.Time) string {
	return base64.RawURLEncoding.EncodeToString(mac(key, account, expires.Unix()))
}

// VerifyProof accepts a proof that MakeProof made with the key for the account, until its expiry. It takes the same time for every wrong proof.
func VerifyProof(key []byte, account string, expires time.Time, proof string, now time.Time) error {
	got, err := base64.RawURLEncoding.Strict().DecodeString(proof)
	if err != nil || !hmac.Equal(got, mac(key, account, expires.Unix())) {
		return fmt.Errorf("%w: wrong signature", ErrBadProof)
	}
	switch left := expires.Sub(now); {
	case left <= 0:
		return fmt.Errorf("%w: expired", ErrBadProof)
	case left > MaxProofLife:
		return fmt.Errorf("%w: good for more than %v", ErrBadProof, MaxProofLife)
	}
	return nil
}

func mac(key []byte, account string, expires int64) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(canonical("gatecrash login v1", account, expires))
	return m.Sum(nil)
}

// canonical has one encoding for each triple: no two differ only in where one field ends.
func canonical(purpose, account string, expires int64) []byte {
	var b []byte
	for _, s := range []string{purpose, account} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return binary.BigEndian.AppendUint64(b, uint64(expires))
}
