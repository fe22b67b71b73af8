package session

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestVerifyProof(t *testing.T) {
	key := []byte("key")
	now := time.Unix(1_800_000_000, 0)
	expires := now.Add(time.Minute)
	good := MakeProof(key, "ann", expires)
	tests := []struct {
		name    string
		key     string
		account string
		expires time.Time
		proof   string
		ok      bool
	}{
		{"good", "key", "ann", expires, good, true},
		{"good, expiry told by the half second", "key", "ann", expires.Add(time.Second / 2), good, true},
		{"other key", "kez", "ann", expires, good, false},
		{"other account", "key", "bob", expires, good, false},
		{"other expiry", "key", "ann", expires.Add(time.Second), good, false},
		{"expired", "key", "ann", now, MakeProof(key, "ann", now), false},
		{"good for too long", "key", "ann", now.Add(2 * MaxProofLife), MakeProof(key, "ann", now.Add(2*MaxProofLife)), false},
		{"no proof", "key", "ann", expires, "", false},
		{"cut short", "key", "ann", expires, good[:20], false},
		{"longer", "key", "ann", expires, good + "AA", false},
		{"padded", "key", "ann", expires, good + "=", false},
		{"other alphabet", "key", "ann", expires, "+/" + good[2:], false},
	}
	for _, tt := range tests {
		err := VerifyProof([]byte(tt.key), tt.account, tt.expires, tt.proof, now)
		if (err == nil) != tt.ok || (err != nil && !errors.Is(err, ErrBadProof)) {
			t.Errorf("%s: VerifyProof(%q, %v, %q) = %v; want ok %v", tt.name, tt.account, tt.expires, tt.proof, err, tt.ok)
		}
	}
}

// TestEveryBitOfAProofCounts flips each bit once.
func TestEveryBitOfAProofCounts(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	expires := now.Add(time.Minute)
	raw := mac([]byte("key"), "ann", expires.Unix())
	for bit := range len(raw) * 8 {
		raw[bit/8] ^= 1 << (bit % 8)
		if VerifyProof([]byte("key"), "ann", expires, encode(raw), now) == nil {
			t.Errorf("proof with bit %d flipped was accepted", bit)
		}
		raw[bit/8] ^= 1 << (bit % 8)
	}
	if err := VerifyProof([]byte("key"), "ann", expires, encode(raw), now); err != nil {
		t.Errorf("proof with nothing flipped = %v; want accepted", err)
	}
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func TestCanonicalIsInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (string, string, int64) {
			text := rapid.StringMatching(`[a\x00-\x04]{0,6}`)
			return text.Draw(t, name+" purpose"), text.Draw(t, name+" account"), rapid.Int64Range(0, 3).Draw(t, name+" expires")
		}
		p1, a1, e1 := draw("first")
		p2, a2, e2 := draw("second")
		same := p1 == p2 && a1 == a2 && e1 == e2
		if (string(canonical(p1, a1, e1)) == string(canonical(p2, a2, e2))) != same {
			t.Fatalf("canonical(%q, %q, %d) and canonical(%q, %q, %d): equal encodings must mean equal fields", p1, a1, e1, p2, a2, e2)
		}
	})
}

func TestTokensDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		token := newToken()
		if seen[token] || len(token) != tokenLength || strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("token %q: want %d new base64url letters", token, tokenLength)
		}
		seen[token] = true
	}
}
