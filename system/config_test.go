package system

import (
	"log/slog"
	"strings"
	"testing"

	"gatecrash/system/crashpoint"
	"gatecrash/system/limiter"
)

// sound is a Config without a fault.
func sound() Config {
	c := Default()
	c.PostgresURL = "postgres://u@127.0.0.1:5432/d"
	c.GateURL, c.SessionURL = "redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"
	c.LoginKey, c.OperatorKey = "0123456789abcdef", "fedcba9876543210"
	return c
}

func TestDefaultIsSound(t *testing.T) {
	if err := sound().Validate(); err != nil {
		t.Errorf("Validate() of the defaults = %v; want nil", err)
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		set  func(*Config)
		want string
	}{
		{"no port", func(c *Config) { c.Listen = "127.0.0.1" }, "listen:"},
		{"port out of range", func(c *Config) { c.Listen = "127.0.0.1:70000" }, "listen:"},
		{"no postgres", func(c *Config) { c.PostgresURL = "" }, "ledger.url:"},
		{"odd schema", func(c *Config) { c.Schema = "a b" }, "ledger.schema:"},
		{"no gate", func(c *Config) { c.GateURL = "" }, "gate_url:"},
		{"no sessions", func(c *Config) { c.SessionURL = "http://x" }, "session_url:"},
		{"no replica", func(c *Config) { c.Replicas = 0 }, "replicas:"},
		{"number 0", func(c *Config) { c.Number = 0 }, "number:"},
		{"number above", func(c *Config) { c.Number = 2 }, "number:"},
		{"fewer connections than replicas", func(c *Config) { c.Replicas, c.Connections = 3, 2 }, "connections:"},
		{"lock as long as statement", func(c *Config) { c.Timeouts.Lock = c.Timeouts.Statement }, "timeouts.lock:"},
		{"statement as long as request", func(c *Config) { c.Timeouts.Statement = c.Timeouts.Request }, "timeouts.statement:"},
		{"lease too short", func(c *Config) { c.Gate.Lease = c.Timeouts.Request + c.Timeouts.Statement }, "gate.lease:"},
		{"slow session check", func(c *Config) { c.Timeouts.Session = MaxSessionBudget + 1 }, "timeouts.session:"},
		{"no budget", func(c *Config) { c.Gate.Budget = 0 }, "gate.budget:"},
		{"negative fallback", func(c *Config) { c.Gate.FallbackConcurrency = -1 }, "gate.fallback_concurrency:"},
		{"negative rate", func(c *Config) { c.Limits.Account = limiter.Rate{PerSec: -1} }, "limiter.account.per_sec"},
		{"short login key", func(c *Config) { c.LoginKey = "short" }, "login_key:"},
		{"short operator key", func(c *Config) { c.OperatorKey = "short" }, "operator_key:"},
		{"one key for both", func(c *Config) { c.OperatorKey = c.LoginKey }, "operator_key:"},
		{"armed while off", func(c *Config) { c.Armed = []crashpoint.Arming{{}} }, "armed:"},
	}
	for _, tt := range tests {
		c := sound()
		tt.set(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Validate() = %v; want it to name %s", tt.name, err, tt.want)
		}
	}
}

func TestValidateReportsAllAndNoSecret(t *testing.T) {
	err := Config{LoginKey: "s3cret", OperatorKey: "s3cret", GateURL: "redis://:s3cret@[", SessionURL: "s3cret", PostgresURL: "postgres://u:s3cret@["}.Validate()
	if err == nil {
		t.Fatal("Validate() = nil; want faults")
	}
	for _, want := range []string{"listen", "ledger.url", "gate_url", "session_url", "replicas", "number", "timeouts.lock", "timeouts.statement", "gate.lease", "login_key", "operator_key"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() does not name %s: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("Validate() tells a secret: %v", err)
	}
}

func TestWaitsAreOrdered(t *testing.T) {
	c := sound()
	if got, want := c.answerWithin(), c.Timeouts.Session+c.Timeouts.Request+2*c.Gate.Budget; got != want {
		t.Errorf("answerWithin() = %v; want %v", got, want)
	}
	srv := httpServer(nil, c.answerWithin(), slog.New(slog.DiscardHandler))
	if srv.WriteTimeout <= srv.ReadTimeout+c.answerWithin() || srv.ReadHeaderTimeout <= 0 || srv.IdleTimeout <= 0 {
		t.Errorf("server timeouts read %v, write %v, idle %v: an answer may take %v", srv.ReadTimeout, srv.WriteTimeout, srv.IdleTimeout, c.answerWithin())
	}
}
