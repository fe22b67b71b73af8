package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gatecrash/system/booking"
)

// events lists what booking.Service observes, so that each shows as 0 before it first happens.
func events() []booking.Event {
	return []booking.Event{
		booking.EventFallback, booking.EventFallbackFull, booking.EventGateSoldOut, booking.EventSettleFailed,
		booking.EventRefundFailed, booking.EventCreditFailed, booking.EventDebitStranded,
	}
}

// Metrics of one replica, on a registry of its own. No label takes a value from a request: not a sale, an account or an address.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	handling *prometheus.HistogramVec
	events   *prometheus.CounterVec
	passes   *prometheus.CounterVec
	drift    *prometheus.GaugeVec
	repaired *prometheus.CounterVec
	lockWait prometheus.Histogram
}

// NewMetrics makes the metrics of one replica.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gatecrash_requests_total", Help: "Requests answered, by route, HTTP status and problem type (empty: none).",
		}, []string{"route", "status", "problem"}),
		handling: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gatecrash_handling_seconds", Help: "Time from a request's headers to the end of its answer, inside this replica.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 13),
		}, []string{"route"}),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gatecrash_events_total", Help: "What happened on the way of bookings and cancels.",
		}, []string{"event"}),
		passes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gatecrash_reconcile_passes_total", Help: "Passes of the reconciler over one sale, by result.",
		}, []string{"result"}),
		drift: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "gatecrash_gate_drift_seats", Help: "Drift of the gate of the sale reconciled last, before and after its last repair. Negative: leak; positive: surplus.",
		}, []string{"when"}),
		repaired: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gatecrash_debits_resolved_total", Help: "Stranded debits that reconciliation settled or refunded.",
		}, []string{"how"}),
		lockWait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "gatecrash_lock_wait_seconds", Help: "Time from asking for a sale's row lock to having it, the round trip included.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 14),
		}),
	}
	m.registry.MustRegister(m.requests, m.handling, m.events, m.passes, m.drift, m.repaired, m.lockWait,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, e := range events() {
		m.events.WithLabelValues(string(e))
	}
	return m
}

// Event counts one event of the domain; it is a booking.Service's Observe.
func (m *Metrics) Event(e booking.Event) { m.events.WithLabelValues(string(e)).Inc() }

// LockWait records one wait for a sale's row lock.
func (m *Metrics) LockWait(d time.Duration) { m.lockWait.Observe(d.Seconds()) }

// Pass is what one pass of the reconciler over one sale came to.
type Pass struct {
	Result   string // one of a fixed few: repaired, discarded, failed, idle
	Settled  int    // debits
	Refunded int    // debits
	Before   *int64 // drift in seats; nil: not known, which is not 0
	After    *int64 // drift in seats; nil: not known
}

// Reconciled counts a pass of the reconciler.
func (m *Metrics) Reconciled(p Pass) {
	m.passes.WithLabelValues(p.Result).Inc()
	m.repaired.WithLabelValues("settled").Add(float64(p.Settled))
	m.repaired.WithLabelValues("refunded").Add(float64(p.Refunded))
	for when, seats := range map[string]*int64{"before": p.Before, "after": p.After} {
		if seats == nil {
			m.drift.DeleteLabelValues(when)
			continue
		}
		m.drift.WithLabelValues(when).Set(float64(*seats))
	}
}

// Gauge shows a number that is read when the metrics are. name has no prefix; labels are constant.
func (m *Metrics) Gauge(name, help string, labels map[string]string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "gatecrash_" + name, Help: help, ConstLabels: labels}, read))
}

// Handler serves the metrics in Prometheus's text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *Metrics) request(route string, status int, problem string, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status), problem).Inc()
	m.handling.WithLabelValues(route).Observe(took.Seconds())
}
