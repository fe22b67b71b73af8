package reconcile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatecrash/system/booking"
)

// Gate is what reconciliation needs of the gate.
type Gate interface {
	booking.Gate
	// Claim takes the right to set a sale up, for as long as the lease; it reports false at once where another holds it.
	Claim(ctx context.Context, sale, owner string, lease time.Duration) (bool, error)
}

// Ledger is what reconciliation needs of the ledger.
type Ledger interface {
	booking.Ledger
	// AllSales lists the closed sales too.
	AllSales(ctx context.Context) ([]booking.Sale, error)
}

// Lead is a leadership that at most one process holds.
type Lead interface {
	// Hold takes the lead if it is free, or confirms it; it never waits for another leader. After an error the lead is lost.
	Hold(ctx context.Context) (leads bool, err error)
	// Release gives the lead up.
	Release(ctx context.Context)
}

// Config of a Reconciler.
type Config struct {
	Every  time.Duration // between two passes over all sales: reconcile_every
	Probe  time.Duration // between two looks whether the gate's server is another one
	Step   time.Duration // the longest one call of gate or ledger may take
	Claim  time.Duration // lease of the right to set a sale up
	Batch  int           // expired debits taken at once
	Rounds int           // batches of one sale in one pass
}

// DefaultConfig is a Config with a pass each half second.
func DefaultConfig() Config {
	return Config{Every: 500 * time.Millisecond, Probe: 100 * time.Millisecond, Step: 2 * time.Second, Claim: time.Second, Batch: 100, Rounds: 20}
}

// Validate reports every fault of the settings at once.
func (c Config) Validate() error {
	var faults []error
	want := func(ok bool, field string, got any, rule string) {
		if !ok {
			faults = append(faults, fmt.Errorf("reconcile.%s: got %v, want %s", field, got, rule))
		}
	}
	want(c.Every > 0, "every", c.Every, "> 0, for example 500ms")
	want(c.Probe > 0, "probe", c.Probe, "> 0, for example 100ms")
	want(c.Step > 0, "step", c.Step, "> 0, for example 2s")
	want(c.Claim >= time.Millisecond, "claim", c.Claim, "1ms or more, for example 1s")
	want(c.Batch > 0, "batch", c.Batch, "1 or more, for example 100")
	want(c.Rounds > 0, "rounds", c.Rounds, "1 or more, for example 20")
	return errors.Join(faults...)
}

// Names of the crash points of a pass.
const (
	PointResolved = "resolved-before-refund" // a debit was found not to be booked and is not yet refunded
	PointMiddle   = "mid-reconcile"          // debits are resolved, the count is not yet repaired
)

// Hooks are what a Reconciler is given beside its settings. All are needed.
type Hooks struct {
	Crash    func(ctx context.Context, point string) // named crash points; must be cheap
	NewToken func() string                           // a fresh random name, for epochs and claims
	Observe  func(Pass)                              // what a pass over one sale came to; must not block
}

// Reconciler is the background worker of one replica. Kick may be called from anywhere; Run once.
type Reconciler struct {
	cfg    Config
	gate   Gate
	ledger Ledger
	lead   Lead
	hooks  Hooks

	wake chan struct{}
	mu   sync.Mutex
	lost map[string]bool // sales that requests found missing at the gate
}

// New makes a Reconciler. It starts nothing.
func New(cfg Config, g Gate, l Ledger, lead Lead, hooks Hooks) (*Reconciler, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Reconciler{cfg: cfg, gate: g, ledger: l, lead: lead, hooks: hooks, wake: make(chan struct{}, 1), lost: map[string]bool{}}, nil
}

// mostLost bounds the sales that wait to be set up; a pass finds the others.
const mostLost = 64

// Kick says that the gate has lost a sale. It does not wait: this replica sets the sale up soon, unless another one is at it. Kicks for the
// same sale are one.
func (r *Reconciler) Kick(sale string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lost) < mostLost {
		r.lost[sale] = true
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Reconciler) takeLost() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sales []string
	for sale := range r.lost {
		sales = append(sales, sale)
	}
	clear(r.lost)
	return sales
}

// Run works until ctx ends, and gives up the lead. Errors of gate and ledger end nothing: they are told to Observe and the next pass tries again.
func (r *Reconciler) Run(ctx context.Context) {
	defer r.release(ctx)
	pass, probe := time.NewTicker(r.cfg.Every), time.NewTicker(r.cfg.Probe)
	defer pass.Stop()
	defer probe.Stop()
	incarnation := r.incarnation(ctx, "")
	for r.pass(ctx); ; {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
			r.setUpLost(ctx)
		case <-pass.C:
			r.pass(ctx)
		case <-probe.C:
			if now := r.incarnation(ctx, incarnation); now != incarnation {
				incarnation = now
				r.pass(ctx)
			}
		}
	}
}

// incarnation names the gate's server, or gives last where it does not answer: until it does, nothing is known to have changed.
func (r *Reconciler) incarnation(ctx context.Context, last string) string {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Step)
	defer cancel()
	now, err := r.gate.Incarnation(ctx)
	if err != nil {
		return last
	}
	return now
}

// pass goes over all sales once, if this replica leads.
func (r *Reconciler) pass(ctx context.Context) {
	if !r.leads(ctx) {
		return
	}
	var sales []booking.Sale
	err := r.step(ctx, func(ctx context.Context) (err error) {
		sales, err = r.ledger.Sales(ctx)
		return err
	})
	if err != nil {
		r.hooks.Observe(Pass{Err: err})
		return
	}
	for _, s := range sales {
		if ctx.Err() != nil {
			return
		}
		r.hooks.Observe(r.Pass(ctx, s.ID))
	}
}

func (r *Reconciler) leads(ctx context.Context) (leads bool) {
	err := r.step(ctx, func(ctx context.Context) (err error) {
		leads, err = r.lead.Hold(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		r.hooks.Observe(Pass{Err: err})
	}
	return leads && err == nil
}

func (r *Reconciler) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.cfg.Step)
	defer cancel()
	r.lead.Release(ctx)
}

func (r *Reconciler) setUpLost(ctx context.Context) {
	for _, sale := range r.takeLost() {
		p := Pass{Sale: sale}
		p.Err = r.setUp(ctx, &p)
		r.hooks.Observe(p)
	}
}

// step makes one call with a deadline of its own.
func (r *Reconciler) step(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Step)
	defer cancel()
	return call(ctx)
}
