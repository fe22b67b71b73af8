package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"gatecrash/sim/target"
	"gatecrash/system/ledger"
	"gatecrash/system/reconcile"
)

// Reconcile implements target.System: everything at the gate is stranded by definition, because no replica runs. A system without a gate has nothing to reconcile.
func (s *System) Reconcile(ctx context.Context) ([]target.Reconciled, error) {
	if !s.setup.Scenario.System.Gate.Enabled {
		return nil, nil
	}
	cfg := ledger.DefaultConfig(s.setup.Addresses.PostgresURL)
	cfg.Schema, cfg.Application, cfg.MaxConns = s.setup.Addresses.Schema, s.setup.Addresses.AppName+"-drain", 2
	l, err := ledger.Open(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	defer l.Close()
	report, err := reconcile.Drain(ctx, s.gate, l, rand.Text)
	rows := make([]target.Reconciled, len(report.Sales))
	for i, d := range report.Sales {
		rows[i] = target.Reconciled{
			Sale: d.Sale, Known: err == nil || i+1 < len(report.Sales), Settled: int64(d.Settled), Refunded: int64(d.Refunded),
			From: d.From, To: d.To, Free: d.Free, Left: int64(d.Left),
		}
	}
	return rows, err
}

// lockWaitMetric is the histogram of the wait for a sale's row lock, in seconds.
const lockWaitMetric = "gatecrash_lock_wait_seconds"

// LockWait implements target.System: the mean over all replicas that still run. A replica that crashed took its share with it.
func (s *System) LockWait(ctx context.Context) time.Duration {
	var sum float64
	var count uint64
	for _, r := range s.replicas {
		if r.PID() == 0 {
			continue
		}
		text, err := s.operator.metrics(ctx, r.base())
		if err != nil {
			continue
		}
		n, total, err := histogram(text, lockWaitMetric)
		if err != nil {
			continue
		}
		sum, count = sum+total, count+n
	}
	if count == 0 {
		return 0
	}
	return time.Duration(sum / float64(count) * float64(time.Second))
}

// histogram reads count and sum of a histogram off a page of metrics.
func histogram(text, name string) (count uint64, sum float64, err error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return 0, 0, fmt.Errorf("read metrics: %w", err)
	}
	family, ok := families[name]
	if !ok {
		return 0, 0, errors.New("no metric " + name)
	}
	for _, m := range family.GetMetric() {
		count, sum = count+m.GetHistogram().GetSampleCount(), sum+m.GetHistogram().GetSampleSum()
	}
	return count, sum, nil
}
