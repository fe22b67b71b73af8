package system

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// sessionClient is a client that tries everything once and waits for nothing longer than the session's budget.
//
// go-redis's defaults would run a script again after a lost answer (issues 2339, 1121), ignore the deadlines of contexts (2243) and dial five times
// within one attempt (3593).
func sessionClient(cfg Config) (*redis.Client, error) {
	opt, err := redis.ParseURL(cfg.SessionURL)
	if err != nil {
		return nil, errors.New("session_url: not a Redis address")
	}
	budget := cfg.Timeouts.Session
	opt.MaxRetries = -1
	opt.ContextTimeoutEnabled = true
	opt.DialTimeout, opt.DialerRetries = budget, 1
	opt.ReadTimeout, opt.WriteTimeout, opt.PoolTimeout = budget, budget, budget
	opt.PoolSize, opt.MinIdleConns, opt.MaxIdleConns = cfg.SessionConns, cfg.SessionConns, cfg.SessionConns
	opt.DisableIdentity = true
	opt.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(opt), nil
}

// evictionPolicy reads maxmemory-policy on a connection of its own.
func evictionPolicy(ctx context.Context, url string) (string, error) {
	opt, err := redis.ParseURL(url)
	if err != nil {
		return "", errors.New("not a Redis address")
	}
	opt.MaxRetries, opt.DialerRetries, opt.ContextTimeoutEnabled, opt.PoolSize, opt.MinIdleConns = -1, 1, true, 1, 0
	opt.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	client := redis.NewClient(opt)
	defer client.Close()
	values, err := client.ConfigGet(ctx, "maxmemory-policy").Result()
	if err != nil {
		return "", err
	}
	policy, ok := values["maxmemory-policy"]
	if !ok {
		return "", errors.New("the server does not know maxmemory-policy")
	}
	return policy, nil
}
