package gate

import (
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Config of a Gate.
type Config struct {
	URL     string        // of Redis, as go-redis reads it
	Prefix  string        // of every key
	Conns   int           // connections of this process; > 0
	Dial    time.Duration // the longest one attempt to connect may take; there is one attempt
	Timeout time.Duration // the longest call, where its context ends no sooner
	Breaker BreakerConfig
}

// DefaultConfig is a Config for the Redis at url.
func DefaultConfig(url string) Config {
	return Config{
		URL:     url,
		Prefix:  "gatecrash:",
		Conns:   32,
		Dial:    200 * time.Millisecond,
		Timeout: time.Second,
		Breaker: BreakerConfig{Failures: 8, Probe: 100 * time.Millisecond},
	}
}

// Validate reports every fault of the settings at once. It changes nothing and connects to nothing.
func (c Config) Validate() error {
	var faults []error
	want := func(ok bool, field string, got any, rule string) {
		if !ok {
			faults = append(faults, fmt.Errorf("gate.%s: got %v, want %s", field, got, rule))
		}
	}
	if _, err := redis.ParseURL(c.URL); err != nil {
		// The URL may hold a password, and the parser's message repeats parts of it.
		faults = append(faults, errors.New("gate.url: not a Redis address, want for example redis://127.0.0.1:6379/0"))
	}
	want(len(c.Prefix) <= 64, "prefix", c.Prefix, "at most 64 characters, for example gatecrash:")
	want(c.Conns > 0 && c.Conns <= 10_000, "conns", c.Conns, "1 to 10000, for example 32")
	want(c.Dial > 0, "dial", c.Dial, "> 0, for example 200ms")
	want(c.Timeout > 0, "timeout", c.Timeout, "> 0, for example 1s")
	want(c.Breaker.Failures > 0, "breaker.failures", c.Breaker.Failures, "1 or more, for example 8")
	want(c.Breaker.Probe > 0, "breaker.probe", c.Breaker.Probe, "> 0, for example 100ms")
	return errors.Join(faults...)
}

// options are the client's: one try for everything, and no wait that a context does not end.
func (c Config) options() (*redis.Options, error) {
	opt, err := redis.ParseURL(c.URL)
	if err != nil {
		return nil, err
	}
	opt.MaxRetries = -1
	opt.ContextTimeoutEnabled = true
	opt.DialTimeout, opt.DialerRetries = c.Dial, 1
	opt.ReadTimeout, opt.WriteTimeout, opt.PoolTimeout = c.Timeout, c.Timeout, c.Timeout
	opt.PoolSize, opt.MinIdleConns, opt.MaxIdleConns = c.Conns, c.Conns, c.Conns
	opt.DisableIdentity = true
	opt.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return opt, nil
}
