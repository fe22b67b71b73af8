package system

import (
	"context"

	"gatecrash/system/booking"
	"gatecrash/system/httpapi"
	"gatecrash/system/limiter"
)

// wire makes the domain and its HTTP face out of the parts.
func (s *System) wire(context.Context) error {
	s.fallback = booking.NewSlots(limiter.Share(s.cfg.Gate.FallbackConcurrency, s.cfg.Replicas, s.cfg.Number))
	s.service = &booking.Service{
		Ledger:   s.ledger,
		Fallback: s.fallback,
		Crash:    s.crash.Hit,
		Replays:  s.replays,
		NewOwner: newToken,
		Observe:  s.metrics.Event,
		Settings: booking.Settings{
			GateOff:    !s.cfg.Gate.Enabled,
			Lease:      s.cfg.Gate.Lease,
			Deadline:   s.cfg.Timeouts.Request,
			GateBudget: s.cfg.Gate.Budget,
			RetryAfter: s.cfg.Gate.ReconcileEvery,
		},
	}
	parts := httpapi.Parts{
		Bookings: s.service, Sessions: s.sessions, Ledger: s.ledger, Replays: s.replays,
		Crash: s.crash, Metrics: s.metrics, Log: s.log,
		Dependencies: []httpapi.Dependency{
			{Name: "postgres", Required: true, Ping: s.ledger.Pool().Ping},
			{Name: "sessions", Required: true, Ping: s.sessions.Ping},
		},
	}
	if s.gate != nil {
		s.service.Gate, parts.Gate = s.gate, s.gate
		s.service.Refill, parts.Refill = s.reconciler.Kick, s.reconciler.Kick
		parts.Dependencies = append(parts.Dependencies, httpapi.Dependency{Name: "gate", Ping: s.pingGate})
	}
	s.api = httpapi.New(parts, httpapi.Settings{
		Replica: s.cfg.Number, Deadline: s.cfg.answerWithin(), Read: s.cfg.Timeouts.Statement,
		LoginKey: []byte(s.cfg.LoginKey), OperatorKey: []byte(s.cfg.OperatorKey),
		CrashPoints: s.cfg.CrashPoints, Proxies: s.cfg.TrustedProxies,
	})
	s.onStop("api", func(context.Context) error { s.api.Close(); return nil })
	s.watch()
	return nil
}

// pingGate asks the server behind the gate for its name.
func (s *System) pingGate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Gate.Budget)
	defer cancel()
	_, err := s.gate.Incarnation(ctx)
	return err
}

// watch shows the pools and the fallback among the metrics.
func (s *System) watch() {
	pool, store := s.ledger.Pool(), s.store
	type gauge struct {
		name, help, pool, state string
		read                    func() float64
	}
	const conns = "Connections of a pool, by state."
	gauges := []gauge{
		{"fallback_in_use", "Requests in the ledger without the gate right now.", "", "", func() float64 { return float64(len(s.fallback)) }},
		{"fallback_slots", "Requests this replica lets into the ledger without the gate.", "", "", func() float64 { return float64(cap(s.fallback)) }},
		{"pool_connections", conns, "postgres", "total", func() float64 { return float64(pool.Stat().TotalConns()) }},
		{"pool_connections", conns, "postgres", "idle", func() float64 { return float64(pool.Stat().IdleConns()) }},
		{"pool_connections", conns, "sessions", "total", func() float64 { return float64(store.PoolStats().TotalConns) }},
		{"pool_connections", conns, "sessions", "idle", func() float64 { return float64(store.PoolStats().IdleConns) }},
		{"pool_wait_seconds_total", "Time spent waiting for a connection.", "postgres", "", func() float64 { return pool.Stat().AcquireDuration().Seconds() }},
		{"pool_timeouts_total", "Times a connection was not to be had in time.", "sessions", "", func() float64 { return float64(store.PoolStats().Timeouts) }},
	}
	if s.gate != nil {
		gauges = append(gauges, gauge{"gate_healthy", "1 while calls to the gate are made, 0 while its breaker is open.", "", "", func() float64 {
			if s.gate.Healthy() {
				return 1
			}
			return 0
		}})
	}
	for _, g := range gauges {
		labels := map[string]string{}
		if g.pool != "" {
			labels["pool"] = g.pool
		}
		if g.state != "" {
			labels["state"] = g.state
		}
		s.metrics.Gauge(g.name, g.help, labels, g.read)
	}
}
