package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatecrash/system"
	"gatecrash/system/crashpoint"
)

// newServeCommand runs one replica of the booking system until it is told to end.
func newServeCommand() *cobra.Command {
	cfg := system.Default()
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run one replica of the booking system",
		Long: `Run one replica of the booking system until SIGTERM or SIGINT, which let requests under way finish.

Every flag can be given by the environment variable it names; flags win. Keys and addresses with passwords belong into the environment: the
command line can be read by every user of the machine. When the replica is ready it prints {"listening":"HOST:PORT"} on standard output; the log
goes to standard error, one JSON object a line.`,
		Args: cobra.NoArgs,
	}
	raw := bindServe(cmd.Flags(), &cfg)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := fromEnvironment(cmd.Flags(), os.LookupEnv); err != nil {
			return exitWith(exitUsage, err)
		}
		cfg.Stderr = cmd.ErrOrStderr()
		if err := errors.Join(raw.into(&cfg), cfg.Validate()); err != nil {
			return exitWith(exitUsage, fmt.Errorf("settings of serve:\n%w", err))
		}
		return serve(cmd, cfg)
	}
	return cmd
}

// serve starts, says where, and drains on the first signal; a second one ends the process at once.
func serve(cmd *cobra.Command, cfg system.Config) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	redis.SetLogger(silent{}) // the library repeats on standard error what every caller hears as an error
	s, err := system.Start(ctx, cfg)
	if err != nil {
		return exitWith(exitInvalid, fmt.Errorf("start replica %d: %w", cfg.Number, err))
	}
	hello, err := json.Marshal(map[string]string{"listening": s.Addr()})
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), string(hello))
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-s.Failed():
	}
	stop()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.Timeouts.Drain)
	defer cancel()
	if err := errors.Join(failed, s.Close(drain)); err != nil {
		return exitWith(exitInvalid, fmt.Errorf("replica %d: %w", cfg.Number, err))
	}
	return nil
}

// silent is a logger of go-redis that says nothing.
type silent struct{}

// Printf implements go-redis's logger.
func (silent) Printf(context.Context, string, ...any) {}

// rawServe is what flags give as text and Config holds as something else.
type rawServe struct {
	redisURL   string
	crashpoint string
	proxies    []string
	logLevel   string
}

// into puts the text into the settings and reports every fault at once.
func (r *rawServe) into(cfg *system.Config) error {
	cfg.GateURL = first(cfg.GateURL, r.redisURL)
	cfg.SessionURL = first(cfg.SessionURL, r.redisURL)
	var errs []error
	var err error
	if cfg.Armed, err = crashpoint.Parse(r.crashpoint); err != nil {
		errs = append(errs, err)
	}
	for _, text := range r.proxies {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("trusted-proxies: got %q, want a network such as 10.0.0.0/8", text))
		}
		cfg.TrustedProxies = append(cfg.TrustedProxies, p)
	}
	if err := cfg.LogLevel.UnmarshalText([]byte(r.logLevel)); err != nil {
		errs = append(errs, fmt.Errorf("log-level: got %q, want debug, info, warn or error", r.logLevel))
	}
	return errors.Join(errs...)
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// bindServe gives every setting a flag. The default of each is the value it has in cfg.
func bindServe(fs *pflag.FlagSet, cfg *system.Config) *rawServe {
	raw := &rawServe{}
	fs.StringVar(&cfg.Listen, "listen", cfg.Listen, "address to serve on; port 0 takes a free one")
	fs.StringVar(&cfg.PostgresURL, "postgres-url", "", "address of Postgres")
	fs.StringVar(&cfg.Schema, "schema", cfg.Schema, "Postgres schema, created where missing")
	fs.StringVar(&cfg.Application, "application", cfg.Application, "application_name of every Postgres session")
	fs.StringVar(&raw.redisURL, "redis-url", "", "address of Redis")
	fs.StringVar(&cfg.GateURL, "gate-url", "", "address of the gate's Redis (default: redis-url)")
	fs.StringVar(&cfg.SessionURL, "session-url", "", "address of the sessions' Redis (default: redis-url)")
	fs.StringVar(&cfg.Prefix, "prefix", cfg.Prefix, "prefix of every Redis key")
	fs.IntVar(&cfg.Replicas, "replicas", cfg.Replicas, "number of replicas, which share bounds out among them")
	fs.IntVar(&cfg.Number, "number", cfg.Number, "which replica this is, from 1")
	fs.IntVar(&cfg.Connections, "connections", cfg.Connections, "Postgres sessions of the whole system")
	fs.IntVar(&cfg.SaleAtOnce, "sale-at-once", cfg.SaleAtOnce, "transactions of the whole system at once on one sale, at least one of each replica; others wait in line")
	fs.IntVar(&cfg.GateConns, "gate-conns", cfg.GateConns, "Redis connections of this replica to the gate")
	fs.IntVar(&cfg.SessionConns, "session-conns", cfg.SessionConns, "Redis connections of this replica to the sessions")
	fs.StringVar(&cfg.LoginKey, "login-key", "", "key of the log-in proofs, 16 bytes or more")
	fs.StringVar(&cfg.OperatorKey, "operator-key", "", "secret of the operator's routes, 16 bytes or more; none: no such routes")
	fs.BoolVar(&cfg.CrashPoints, "crash-points", cfg.CrashPoints, "let the operator and the next flag arm crash points")
	fs.StringVar(&raw.crashpoint, "crashpoint", "", "crash points armed from the start, POINT:HIT:ACTION, several with commas")
	fs.StringSliceVar(&raw.proxies, "trusted-proxies", nil, "networks whose X-Forwarded-For is believed, with commas")
	fs.StringVar(&raw.logLevel, "log-level", "info", "debug, info, warn or error")
	bindServeTimes(fs, cfg)
	nameVariables(fs)
	return raw
}

func bindServeTimes(fs *pflag.FlagSet, cfg *system.Config) {
	fs.DurationVar(&cfg.Timeouts.Request, "request-timeout", cfg.Timeouts.Request, "deadline of the work on one request in Postgres")
	fs.DurationVar(&cfg.Timeouts.Statement, "statement-timeout", cfg.Timeouts.Statement, "of Postgres; less than request-timeout")
	fs.DurationVar(&cfg.Timeouts.Lock, "lock-timeout", cfg.Timeouts.Lock, "of Postgres; less than statement-timeout")
	fs.DurationVar(&cfg.Timeouts.Session, "session-timeout", cfg.Timeouts.Session, "of the session and limiter check; at most 250ms")
	fs.DurationVar(&cfg.Timeouts.Start, "start-timeout", cfg.Timeouts.Start, "until Postgres must have answered")
	fs.DurationVar(&cfg.Timeouts.Drain, "drain-timeout", cfg.Timeouts.Drain, "for requests under way when told to end")
	fs.DurationVar(&cfg.SessionLife, "session-life", cfg.SessionLife, "of a session, from the log-in")
	fs.BoolVar(&cfg.Gate.Enabled, "gate", cfg.Gate.Enabled, "use the gate; false: every request goes to Postgres")
	fs.DurationVar(&cfg.Gate.Lease, "lease", cfg.Gate.Lease, "life of a debit; more than request-timeout and statement-timeout together")
	fs.DurationVar(&cfg.Gate.ReconcileEvery, "reconcile-every", cfg.Gate.ReconcileEvery, "between two reconciliations")
	fs.IntVar(&cfg.Gate.FallbackConcurrency, "fallback-concurrency", cfg.Gate.FallbackConcurrency, "requests in Postgres without the gate, of the whole system")
	fs.DurationVar(&cfg.Gate.Budget, "gate-budget", cfg.Gate.Budget, "the longest one gate call may take")
	fs.Float64Var(&cfg.Limits.Account.PerSec, "account-rate", cfg.Limits.Account.PerSec, "requests per second of an account; 0: no limit")
	fs.IntVar(&cfg.Limits.Account.Burst, "account-burst", cfg.Limits.Account.Burst, "requests an account may send at once")
	fs.Float64Var(&cfg.Limits.Address.PerSec, "address-rate", cfg.Limits.Address.PerSec, "requests per second of an address; 0: no limit")
	fs.IntVar(&cfg.Limits.Address.Burst, "address-burst", cfg.Limits.Address.Burst, "requests an address may send at once")
	fs.Float64Var(&cfg.Limits.Login.PerSec, "login-rate", cfg.Limits.Login.PerSec, "log-ins per second of an address; 0: no limit")
	fs.IntVar(&cfg.Limits.Login.Burst, "login-burst", cfg.Limits.Login.Burst, "log-ins an address may send at once")
}

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "GATECRASH_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func nameVariables(fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) { f.Usage += " (env " + variable(f.Name) + ")" })
}

// fromEnvironment sets every flag that was not given from its variable, if there is one. The value is not repeated: it may be a secret.
func fromEnvironment(fs *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var errs []error
	fs.VisitAll(func(f *pflag.Flag) {
		value, ok := lookup(variable(f.Name))
		if !ok || f.Changed || f.Name == "help" {
			return
		}
		if err := f.Value.Set(value); err != nil {
			errs = append(errs, fmt.Errorf("environment variable %s: want a value as --%s takes it (%s)", variable(f.Name), f.Name, f.Value.Type()))
		}
	})
	return errors.Join(errs...)
}
