package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"gatecrash/system"
)

func TestFromEnvironment(t *testing.T) {
	env := map[string]string{"GATECRASH_REPLICAS": "3", "GATECRASH_LOGIN_KEY": "from the environment", "GATECRASH_GATE": "false",
		"GATECRASH_TRUSTED_PROXIES": "10.0.0.0/8,127.0.0.1/32", "GATECRASH_CRASHPOINT": "booked-before-answer:50:kill", "GATECRASH_UNRELATED": "x"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	cfg := system.Default()
	fs := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	raw := bindServe(fs, &cfg)
	if err := fs.Parse([]string{"--replicas", "5"}); err != nil {
		t.Fatal(err)
	}
	if err := fromEnvironment(fs, lookup); err != nil {
		t.Fatal(err)
	}
	if err := raw.into(&cfg); err != nil {
		t.Fatal(err)
	}
	if cfg.Replicas != 5 || cfg.LoginKey != "from the environment" || cfg.Gate.Enabled || len(cfg.TrustedProxies) != 2 ||
		len(cfg.Armed) != 1 || cfg.Armed[0].Hit != 50 {
		t.Errorf("settings %+v; want the flag to win, and the rest from the environment", cfg)
	}
}

func TestServeRefusesBadSettings(t *testing.T) {
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"nothing set", nil, nil, "login_key"},
		{"bad number in the environment", nil, map[string]string{"GATECRASH_REPLICAS": "s3cret"}, "GATECRASH_REPLICAS"},
		{"bad crash point", []string{"--crashpoint", "x"}, nil, "bad crash point"},
		{"bad proxies", []string{"--trusted-proxies", "nobody"}, nil, "trusted-proxies"},
		{"bad level", []string{"--log-level", "loud"}, nil, "log-level"},
		{"password in an address", []string{"--redis-url", "redis://:s3cret@["}, nil, "gate_url"},
		{"argument", []string{"now"}, nil, "now"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			var out, errs bytes.Buffer
			code := run(context.Background(), append([]string{"serve"}, tt.args...), &out, &errs)
			if code != exitUsage || !strings.Contains(errs.String(), tt.want) || strings.Contains(errs.String(), "s3cret") {
				t.Errorf("serve %q = %d, %q; want %d, %q and no secret", tt.args, code, errs.String(), exitUsage, tt.want)
			}
		})
	}
}

func TestServeSaysThatPostgresIsNotThere(t *testing.T) {
	t.Setenv("GATECRASH_LOGIN_KEY", "0123456789abcdef")
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"serve", "--listen", "127.0.0.1:0", "--start-timeout", "50ms",
		"--postgres-url", "postgres://u:s3cret@127.0.0.1:1/d", "--redis-url", "redis://127.0.0.1:1/0"}, &out, &errs)
	if code != exitInvalid || !strings.Contains(errs.String(), "postgres did not answer") || strings.Contains(errs.String(), "s3cret") {
		t.Errorf("serve = %d, %q; want %d and that postgres did not answer, without the password", code, errs.String(), exitInvalid)
	}
}
