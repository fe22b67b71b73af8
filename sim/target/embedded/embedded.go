package embedded

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"gatecrash/sim"
	"gatecrash/sim/journal"
	"gatecrash/sim/target"
	"gatecrash/sim/target/httpclient"
	"gatecrash/system/booking"
	"gatecrash/system/gate"
	"gatecrash/system/session"
)

// proofLife is how long a log-in proof of the crowd is good.
const proofLife = 5 * time.Minute

// System is our own booking system under test.
type System struct {
	setup    sim.Setup
	keys     keys
	operator *operator
	replicas []*replica
	fresh    *replica // nil before Fresh
	client   *httpclient.Client
	truth    *truth
	gate     *gate.Gate
}

var _ target.System = (*System)(nil)

// keys are the run's secrets, new for each run.
type keys struct{ login, operator string }

// Binary is the environment variable that names the gatecrash binary to start replicas from; empty: the running one.
const Binary = "GATECRASH_BIN"

// Start starts the replicas and creates the scenario's sales. On an error nothing of it is left running.
func Start(ctx context.Context, s sim.Setup) (target.System, error) {
	sys := &System{setup: s}
	if err := sys.start(ctx); err != nil {
		return nil, errors.Join(err, sys.Close(context.WithoutCancel(ctx)))
	}
	return sys, nil
}

func (s *System) start(ctx context.Context) (err error) {
	if s.keys, err = newKeys(); err != nil {
		return err
	}
	s.operator = newOperator(s.keys.operator)
	for n := range s.setup.Replicas {
		r, err := s.newReplica(n + 1)
		if err != nil {
			return err
		}
		s.replicas = append(s.replicas, r)
	}
	if err := s.startAll(ctx); err != nil {
		return err
	}
	s.client = s.clientOf(s.replicas)
	if s.truth, err = openTruth(ctx, s.setup.Addresses.PostgresURL, s.setup.Addresses.Schema, s.setup.Addresses.AppName); err != nil {
		return err
	}
	if s.gate, err = s.openGate(); err != nil {
		return err
	}
	for _, sale := range s.setup.Scenario.Sales {
		if err := s.operator.create(ctx, s.replicas[0].base(), sale); err != nil {
			return fmt.Errorf("create sale %q: %w", sale.Name, err)
		}
	}
	return nil
}

func newKeys() (k keys, err error) {
	for _, into := range []*string{&k.login, &k.operator} {
		var b [24]byte
		if _, err := rand.Read(b[:]); err != nil {
			return k, err
		}
		*into = hex.EncodeToString(b[:])
	}
	return k, nil
}

// startAll starts the replicas side by side.
func (s *System) startAll(ctx context.Context) error {
	var all errgroup.Group
	for _, r := range s.replicas {
		all.Go(func() error { return r.Start(ctx) })
	}
	return all.Wait()
}

func (s *System) newReplica(number int) (*replica, error) {
	binary := os.Getenv(Binary)
	if binary == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		binary = self
	}
	return &replica{
		number: number, binary: binary, env: s.environment(number), logs: s.setup.LogDir, listen: "127.0.0.1:0",
		born: s.born, arm: s.operator.arm,
	}, nil
}

// born notes a child in the journal, so that it is found after a kill -9 of the harness. A child whose end cannot be noted is looked for once more by the next
// clean, which finds nothing.
func (s *System) born(pid int, what string) (gone func(), err error) {
	p, err := journal.Identify(pid)
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil // gone already: there is nothing to find, and the start tells how it ended
	}
	if err != nil {
		return nil, err
	}
	mark, err := s.setup.Journal.Process(what, p)
	if err != nil {
		return nil, err
	}
	return func() { _ = s.setup.Journal.Done(mark) }, nil
}

// clientOf speaks to the given replicas.
func (s *System) clientOf(replicas []*replica) *httpclient.Client {
	bases := make([]string, len(replicas))
	for i, r := range replicas {
		bases[i] = r.addr()
	}
	return httpclient.New(httpclient.Settings{Addresses: bases, Proof: func(account string) (string, int64) {
		expires := time.Now().Add(proofLife)
		return session.MakeProof([]byte(s.keys.login), account, expires), expires.Unix()
	}})
}

// openGate reads the gate past any proxy: what a cut hides from the system, the harness still sees.
func (s *System) openGate() (*gate.Gate, error) {
	cfg := gate.DefaultConfig(s.setup.Addresses.RedisURL)
	cfg.Prefix, cfg.Conns = s.setup.Addresses.Prefix, 4
	return gate.Open(cfg)
}

// Client implements target.System.
func (s *System) Client() target.Client { return s.client }

// Truth implements target.System.
func (s *System) Truth() target.Truth { return s.truth }

// Gate implements target.System.
func (s *System) Gate() target.Gate { return gateReader{s.gate} }

// Processes implements target.System.
func (s *System) Processes() []target.Process {
	all := make([]target.Process, len(s.replicas))
	for i, r := range s.replicas {
		all[i] = r
	}
	return all
}

// Open implements target.System: by the first replica that runs.
func (s *System) Open(ctx context.Context, sale string) error {
	var all []error
	for _, r := range s.replicas {
		if r.PID() == 0 {
			continue
		}
		err := s.operator.open(ctx, r.base(), sale)
		if err == nil {
			return nil
		}
		all = append(all, err)
	}
	return errors.Join(append(all, fmt.Errorf("open sale %q: no replica did it", sale))...)
}

// Fresh implements target.System.
func (s *System) Fresh(ctx context.Context) (target.Client, error) {
	r, err := s.newReplica(len(s.replicas) + 1)
	if err != nil {
		return nil, err
	}
	r.env = s.environment(1)
	s.fresh = r
	if err := r.Start(ctx); err != nil {
		return nil, err
	}
	return s.clientOf([]*replica{r}), nil
}

// Inflate implements target.System.
func (s *System) Inflate(ctx context.Context, sale string, seats int64) (int64, error) {
	return s.gate.Inflate(ctx, sale, seats)
}

// Close implements target.System.
func (s *System) Close(ctx context.Context) error {
	var all []error
	for _, r := range append([]*replica{s.fresh}, s.replicas...) {
		if r != nil {
			all = append(all, r.Kill(ctx))
		}
	}
	if s.operator != nil {
		s.operator.close()
	}
	if s.client != nil {
		s.client.Close()
	}
	if s.truth != nil {
		s.truth.pool.Close()
	}
	if s.gate != nil {
		all = append(all, s.gate.Close())
	}
	return errors.Join(all...)
}

// gateReader reads the gate as the harness asks for it.
type gateReader struct{ gate *gate.Gate }

// View implements target.Gate.
func (g gateReader) View(ctx context.Context, sale string) (target.GateView, error) {
	v, err := g.gate.View(ctx, sale)
	if err != nil {
		return target.GateView{}, err
	}
	return target.GateView{Present: v.Present, Avail: v.Avail, Floor: v.Floor, Debits: debits(v.Debits)}, nil
}

func debits(of []booking.Debit) []target.GateDebit {
	all := make([]target.GateDebit, len(of))
	for i, d := range of {
		all[i] = target.GateDebit{Account: d.Account, Key: d.Key, Quantity: d.Quantity, Lease: d.Deadline}
	}
	return all
}
