package docker

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	got := Names()
	for _, each := range []struct{ name, image, prefix string }{
		{"Postgres", got.Postgres, "postgres:17."},
		{"Redis", got.Redis, "redis:8."},
		{"PostgresLocal", got.PostgresLocal, "gatecrash.local/postgres:"},
		{"RedisLocal", got.RedisLocal, "gatecrash.local/redis:"},
	} {
		if !strings.HasPrefix(each.image, each.prefix) {
			t.Errorf("Names().%s = %q, want prefix %q", each.name, each.image, each.prefix)
		}
	}
}

func TestParse(t *testing.T) {
	got := parse("# A=1\n\nB=2=3\n C=4 \nnothing\n")
	want := map[string]string{"B": "2=3", "C": "4"}
	if len(got) != len(want) || got["B"] != want["B"] || got["C"] != want["C"] {
		t.Errorf("parse() = %v, want %v", got, want)
	}
}
