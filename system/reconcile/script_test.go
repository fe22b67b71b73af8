package reconcile_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/gate"
	"gatecrash/system/internal/servers"
	"gatecrash/system/ledger"
	"gatecrash/system/reconcile"
)

var (
	srv     = servers.New()
	rewrite = flag.Bool("rewrite", false, "rewrite the expected output in testdata from what memory answers")
)

func TestMain(m *testing.M) { os.Exit(srv.Main(m)) }

// openGate gives a gate on Redis under a prefix of its own.
func openGate(t *testing.T) *gate.Gate {
	t.Helper()
	cfg := gate.DefaultConfig(srv.Redis(t))
	cfg.Prefix, cfg.Conns = srv.Prefix(t), 4
	cfg.Dial, cfg.Timeout = 10*time.Second, 10*time.Second // a loaded machine is no failure
	g, err := gate.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// TestScripts plays each interleaving of testdata on the gate in memory and on Redis. A script is a list of commands, each with its output
// indented below it. After its last line the world is drained: the gate must then show what the truth has free, hold no debit, and a second
// drain must change nothing.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(scripts) < 8 {
		t.Fatalf("testdata: got %d scripts, %v, want 8 or more", len(scripts), err)
	}
	for _, path := range scripts {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run("memory/"+name, func(t *testing.T) {
			t.Parallel()
			got := playScript(t, newWorld(t, gate.NewMemory(time.Now)), want)
			if *rewrite {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compare(t, path, got, want)
		})
		t.Run("redis/"+name, func(t *testing.T) {
			t.Parallel()
			got := playScript(t, newWorld(t, openGate(t)), want)
			if !*rewrite {
				compare(t, path, got, want)
			}
		})
	}
}

func compare(t *testing.T, path string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s\n(-rewrite writes what memory answers)", path, got, want)
	}
}

// world is a gate, a truth and what a script remembers of them.
type world struct {
	t      *testing.T
	gate   reconcile.Gate
	ledger *ledger.Memory
	worker *reconcile.Reconciler
	booked map[string]booking.Booking  // by account
	credit map[string]booking.Change   // cancels not yet told to the gate, by account
	snaps  map[string]booking.Snapshot // by name
	tokens int
}

func newWorld(t *testing.T, g reconcile.Gate) *world {
	w := &world{
		t: t, gate: g, ledger: ledger.NewMemory(time.Now),
		booked: map[string]booking.Booking{}, credit: map[string]booking.Change{}, snaps: map[string]booking.Snapshot{},
	}
	w.worker = newWorker(t, g, w.ledger, nobodyLeads{}, func(reconcile.Pass) {})
	return w
}

func newWorker(t *testing.T, g reconcile.Gate, l reconcile.Ledger, lead reconcile.Lead, observe func(reconcile.Pass)) *reconcile.Reconciler {
	t.Helper()
	cfg := reconcile.DefaultConfig()
	cfg.Step = 20 * time.Second // a loaded machine is no failure
	r, err := reconcile.New(cfg, g, l, lead, reconcile.Hooks{Crash: func(context.Context, string) {}, NewToken: tokens(), Observe: observe})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tokens gives t1, t2, ...
func tokens() func() string {
	n := 0
	return func() string { n++; return fmt.Sprint("t", n) }
}

type nobodyLeads struct{}

func (nobodyLeads) Hold(context.Context) (bool, error) { return false, nil }
func (nobodyLeads) Release(context.Context)            {}

func playScript(t *testing.T, w *world, script []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(script))
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "  ") {
			continue // the old output
		}
		fmt.Fprintln(&out, line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for text := range strings.SplitSeq(w.do(strings.Fields(line)), "\n") {
			fmt.Fprintf(&out, "  %s\n", text)
		}
	}
	w.proveClean()
	return out.Bytes()
}

// do runs one command: a verb, perhaps an account or a name, and name=value arguments.
func (w *world) do(words []string) string {
	args := map[string]string{}
	var names []string
	for _, word := range words[1:] {
		if name, value, ok := strings.Cut(word, "="); ok {
			args[name] = value
		} else {
			names = append(names, word)
		}
	}
	c := command{w: w, ctx: w.t.Context(), args: args, name: strings.Join(names, " ")}
	do, ok := map[string]func(command) (string, error){
		"sale": command.sale, "init": command.init, "reserve": command.reserve, "book": command.book, "settle": command.settle,
		"refund": command.refund, "cancel": command.cancel, "credit": command.credit, "seats": command.seats, "snapshot": command.snapshot,
		"repair": command.repair, "forget": command.forget, "pass": command.pass, "view": command.view, "drain": command.drain,
	}[words[0]]
	if !ok {
		w.t.Fatalf("script: unknown command %q", words[0])
	}
	text, err := do(c)
	if err != nil {
		return "error: " + err.Error()
	}
	return text
}

// command is one line of a script.
type command struct {
	w    *world
	ctx  context.Context
	name string
	args map[string]string
}

func (c command) number(name string, otherwise int) int {
	text, ok := c.args[name]
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		c.w.t.Fatalf("script: %s=%s: want a number", name, text)
	}
	return n
}

func (c command) intent() booking.Intent {
	return booking.Intent{Sale: "s", Account: c.name, Key: "k", Quantity: c.number("n", 1)}
}

// sale N: creates and opens the sale in the truth.
func (c command) sale() (string, error) {
	seats, err := strconv.ParseInt(c.name, 10, 64)
	if err != nil {
		return "", err
	}
	if _, err := c.w.ledger.Create(c.ctx, booking.Sale{ID: "s", Capacity: seats, PerAccount: 10}); err != nil {
		return "", err
	}
	_, err = c.w.ledger.SetState(c.ctx, "s", booking.Open)
	return "open", err
}

// init EPOCH: sets the gate up from the truth as it is.
func (c command) init() (string, error) {
	snap, err := c.w.ledger.Snapshot(c.ctx, "s")
	if err != nil {
		return "", err
	}
	done, err := c.w.gate.Init(c.ctx, "s", snap, c.name)
	return fmt.Sprintf("initialised=%v", done), err
}

// reserve ACCOUNT owner=O [n=N] [lease=0]: lease=0 is a debit that is expired at once.
func (c command) reserve() (string, error) {
	lease := time.Hour
	if c.args["lease"] == "0" {
		lease = 0
	}
	got, err := c.w.gate.Reserve(c.ctx, c.intent(), c.args["owner"], lease)
	return [...]string{"?", "taken", "held", "settled", "sold out", "missing"}[got], err
}

// book ACCOUNT [n=N]: commits in the truth.
func (c command) book() (string, error) {
	res, err := c.w.ledger.Book(c.ctx, "s", []booking.Intent{c.intent()})
	if err != nil || res[0].Err != nil {
		return "", errors.Join(err, res[0].Err)
	}
	c.w.booked[c.name] = res[0].Answer.Booking
	return fmt.Sprintf("%s version=%d", res[0].Answer.Path, res[0].Answer.Booking.Version), nil
}

// settle ACCOUNT: tells the gate what book committed.
func (c command) settle() (string, error) {
	b := c.w.booked[c.name]
	return "ok", c.w.gate.Settle(c.ctx, booking.Intent{Sale: "s", Account: b.Account, Key: b.Key, Quantity: b.Quantity}, b.Version)
}

// refund ACCOUNT owner=O.
func (c command) refund() (string, error) {
	return "ok", c.w.gate.Refund(c.ctx, c.intent(), c.args["owner"])
}

// cancel ACCOUNT: commits the cancel in the truth.
func (c command) cancel() (string, error) {
	_, change, done, err := c.w.ledger.Cancel(c.ctx, c.name, c.w.booked[c.name].ID)
	c.w.credit[c.name] = change
	return fmt.Sprintf("done=%v version=%d", done, change.Version), err
}

// seats NAME n=N: changes the capacity in the truth; credit NAME tells the gate.
func (c command) seats() (string, error) {
	_, change, err := c.w.ledger.AddSeats(c.ctx, "s", c.name, int64(c.number("n", 0)))
	c.w.credit[c.name] = change
	return fmt.Sprintf("version=%d", change.Version), err
}

// credit ACCOUNT: tells the gate of the cancel, or of the change of capacity.
func (c command) credit() (string, error) {
	return "ok", c.w.gate.Credit(c.ctx, "s", c.w.credit[c.name])
}

// snapshot NAME: reads the truth, for a later repair NAME.
func (c command) snapshot() (string, error) {
	snap, err := c.w.ledger.Snapshot(c.ctx, "s")
	c.w.snaps[c.name] = snap
	return fmt.Sprintf("free=%d version=%d", snap.Free, snap.Version), err
}

// repair NAME epoch=E.
func (c command) repair() (string, error) {
	done, err := c.w.gate.Repair(c.ctx, "s", c.args["epoch"], c.w.snaps[c.name])
	if !done {
		return "discarded", err
	}
	return "repaired", err
}

// forget: the gate loses the sale.
func (c command) forget() (string, error) { return "ok", c.w.gate.Forget(c.ctx, "s") }

// pass: one whole pass of the reconciler.
func (c command) pass() (string, error) {
	p := c.w.worker.Pass(c.ctx, "s")
	text := fmt.Sprintf("%s settled=%d refunded=%d", p.Result(), p.Settled, p.Refunded)
	if p.Before.Measured && p.After.Measured {
		text += fmt.Sprintf(" drift=%+d->%+d", p.Before.Seats, p.After.Seats)
	}
	return text, p.Err
}

// view: the gate and the truth side by side.
func (c command) view() (string, error) {
	v, err := c.w.gate.View(c.ctx, "s")
	snap, err2 := c.w.ledger.Snapshot(c.ctx, "s")
	return fmt.Sprintf("avail=%d debits=%d asof=%d  free=%d version=%d", v.Avail, len(v.Debits), v.AsOf, snap.Free, snap.Version), errors.Join(err, err2)
}

// drain: resolves every debit, whatever its lease.
func (c command) drain() (string, error) {
	report, err := c.w.drain()
	var texts []string
	for _, d := range report.Sales {
		texts = append(texts, fmt.Sprintf("settled=%d refunded=%d avail=%d->%d free=%d left=%d initialised=%v",
			d.Settled, d.Refunded, d.From, d.To, d.Free, d.Left, d.Initialised))
	}
	return strings.Join(texts, "\n"), err
}

func (w *world) drain() (reconcile.Report, error) {
	return reconcile.Drain(w.t.Context(), w.gate, w.ledger, func() string { w.tokens++; return fmt.Sprint("drain", w.tokens) })
}

func (w *world) proveClean() {
	w.t.Helper()
	if _, err := w.drain(); err != nil {
		w.t.Fatal(err)
	}
	report, err := w.drain()
	if err != nil || report.Changed() || report.Left() != 0 || len(report.Sales) != 1 || report.Sales[0].To != report.Sales[0].Free {
		w.t.Errorf("after the drain: got %+v, %v, want no change, no debit, and the gate showing what is free", report, err)
	}
}
