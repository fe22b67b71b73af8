package scenario

import (
	"fmt"
	"time"
)

// Scenario is one rehearsal as written in a scenario file, version 1, with every default filled in.
type Scenario struct {
	Version     int           // 1
	Name        string        //
	Question    string        //
	Seed        uint64        //
	MaxDuration time.Duration // the run is stopped after this, counted from the first planned arrival
	Sales       []Sale        // at least one; `sale:` is the short form of a list of one, named "main"
	System      System        //
	Crowds      []Crowd       // at least one
	Faults      []Fault       //
	Expect      []Expectation //
	Verdict     Verdict       // expect_verdict; zero: pass
}

// Sale is one sale of a scenario.
type Sale struct {
	Name       string
	Capacity   int64         // seats, > 0
	PerAccount int           // live seats an account may hold
	OpensAfter time.Duration // from the first planned arrival; 0: open before the first
}

// System is how the system under test is set up.
type System struct {
	Replicas    int
	Commit      Commit
	Gate        GateSettings
	Limiter     Limiter
	Connections int            // Postgres connections of the whole system; 0: the system's default
	Timeouts    Timeouts       //
	Postgres    ServerSettings // extra server settings, for example commit_delay
}

// ServerSettings are extra settings of a server by name. Durability cannot be switched off here.
type ServerSettings map[string]string

// Commit says how bookings reach the ledger.
type Commit struct {
	Mode   string // "single"; "group" comes with the part that builds it
	Max    int    // intents a transaction may hold
	AtOnce int    // transactions of the whole system at once on one sale; 0: the system's default
}

// GateSettings of the booking system.
type GateSettings struct {
	Enabled             bool
	Lease               time.Duration
	ReconcileEvery      time.Duration
	FallbackConcurrency int           // of the whole system
	Budget              time.Duration // the longest one gate call may take
}

// Limiter rates; of the whole system. A zero rate means no limit of that kind.
type Limiter struct {
	PerAccount float64 // requests per second
	Burst      int     // requests an account may send at once
	PerAddress float64 // requests per second
}

// Timeouts of the booking system. lock < statement < request.
type Timeouts struct {
	Request   time.Duration
	Statement time.Duration
	Lock      time.Duration
}

// Crowd is a group of visitors who behave alike.
type Crowd struct {
	Name      string
	Sale      string // which sale they want; empty in the file: the only one
	Visitors  int
	Accounts  Pool          // how accounts map to visitors
	Addresses Pool          // how client addresses map to visitors
	Arrive    Arrival       //
	Quantity  []Weight      // seats wanted; weights sum to 1
	Think     Spread        // pause of a visitor between steps
	Patience  time.Duration // from arrival to giving up
	Timeout   time.Duration // of one request, by the visitor
	Retry     Retry
	Cancel    float64 // share of booked visitors that cancel, after one more think time; 0..1
	Login     Login   //
}

// Login says how visitors of a crowd log in.
type Login string

// Ways to log in.
const (
	LoginProof Login = "proof" // a valid proof; the default
	LoginBad   Login = "bad"   // a wrong proof, so that nobody ever gets in
	LoginNone  Login = "none"  // never logs in; books with no session
)

// PoolMode says how many visitors share an identity.
type PoolMode string

// Pool modes: "1 per visitor", "shared N", "N per visitor".
const (
	OnePerVisitor PoolMode = "1 per visitor"
	Shared        PoolMode = "shared"
	ManyPer       PoolMode = "many"
)

// Pool is a pool of accounts or addresses.
type Pool struct {
	Mode PoolMode
	N    int // size of the shared pool, or identities of each visitor
}

// Weight is a quantity and its share of the crowd.
type Weight struct {
	Quantity int
	Share    float64 // 0..1
}

// Spread is a log-normal distribution given by its median and 95th percentile. Both 0: always 0. P95 equal to Median: constant.
type Spread struct {
	Median time.Duration
	P95    time.Duration
}

// Arrival shape of a crowd.
type Arrival struct {
	Shape    string        // constant, poisson, ramp, stages, flash
	Rate     float64       // constant, poisson: visitors per second; Rate * For is Visitors within one in a hundred
	For      time.Duration // constant, poisson, ramp; 0 with constant and poisson: as long as Rate takes for Visitors
	From     float64       // ramp: visitors per second at the start
	To       float64       // ramp: at the end
	Stages   []Stage       // stages: straight lines from stage to stage, starting at 0/s
	AtOpen   float64       // flash: share of the crowd that waits for the opening; 0..1
	Reaction Spread        // flash: how long after the opening they act
	Tau      time.Duration // flash: the rest comes after the opening with exponentially falling rate, 1/e after Tau
	Delay    time.Duration // every shape: shifts the crowd
}

// Stage of an arrival curve: the rate moves in a straight line to Rate within For.
type Stage struct {
	Rate float64
	For  time.Duration
}

// Retry policy of a crowd.
type Retry struct {
	Attempts         int // the first counts too; 1: never retries
	Backoff          Backoff
	HonourRetryAfter bool
	Key              string  // "stable": one idempotency key for all attempts; "fresh": a new key each time, as careless clients do
	Budget           float64 // retries earned per success of the crowd, a token bucket; 0.1 at 10 %; < 0: unlimited
}

// Backoff between attempts: base * factor^(attempt-1), at most Cap, then jittered.
type Backoff struct {
	Base   time.Duration
	Factor float64
	Cap    time.Duration
	Jitter string // "full" (0..d), "equal" (d/2..d), "none"
}

// Fault planned in a scenario.
type Fault struct {
	Name         string
	Inject       string // for example redis.kill; see sim/fault
	When         Moment
	For          time.Duration // 0: until the end of the run, where the fault has a duration
	Replica      int           // api.crash: which replica, 1-based; 0 for the other kinds
	Point        string        // api.crash: crash point
	Hit          int           // api.crash: dies at the hit-th time, counted in one process; default 1
	RestartAfter time.Duration // api.crash: 0: not restarted
	Sale         string        // gate.inflate
	Seats        int64         // gate.inflate: seats the gate is made to show
	Delay        time.Duration // postgres.slow_commit: added to each commit
}

// Moment is a time of the run or a state of the sale. Exactly one field is set; At also when it is 0.
type Moment struct {
	At        time.Duration  // from the first planned arrival
	IsAt      bool           //
	Sold      float64        // share of the capacity of all sales that is booked, 0..1
	AfterOpen *time.Duration // after the (first) opening
	After     string         // when the named fault has healed
}

// Expectation is a threshold that the scenario declares. Exactly one field is set.
type Expectation struct {
	Recovery     *RecoveryExpect
	ResponseTime *TimeExpect
	ServiceTime  *TimeExpect
	GateDrift    *DriftExpect
	Goodput      *GoodputExpect
	Sold         *SoldExpect
	Outcome      *OutcomeExpect
	Line, Column int // where it stands in the file
}

// RecoveryExpect: goodput is back within this time after the named fault healed.
type RecoveryExpect struct {
	Of     string
	Within time.Duration
}

// TimeExpect bounds percentiles of an operation's response or service time in a phase.
type TimeExpect struct {
	Of     string            // op: login, look, book, cancel
	During string            // phase; empty: the whole run
	Bounds []PercentileBound // at least one
	MinN   int               // samples needed; default 100
}

// PercentileBound is one "p99: 800ms". Max is percentile 100.
type PercentileBound struct {
	Percentile float64 // 0..100
	AtMost     time.Duration
}

// DriftExpect bounds the drift of the gate.
type DriftExpect struct {
	Final      *int64         // exact final drift
	LeakFor    *time.Duration // longest time in a row with leak (drift < 0 for the whole interval)
	SurplusFor *time.Duration
	DebitFor   *time.Duration // longest that a debit stays at the gate
	MaxLeak    *int64
	MaxSurplus *int64
}

// GoodputExpect wants at least this many bookings per second, mean over a phase.
type GoodputExpect struct {
	AtLeast float64
	During  string
}

// SoldExpect wants this share of the capacity booked at the end, before the resume.
type SoldExpect struct {
	AtLeast float64 // 0..1
}

// OutcomeExpect bounds a share of an operation's outcomes.
type OutcomeExpect struct {
	Of      string // op
	Outcome string // ok, refused, failed, unknown
	AtMost  float64
	During  string
	MinN    int
}

// Verdict that a scenario expects: pass, or fail of a named check, or a bare verdict word.
type Verdict struct {
	Word string // pass, fail, inconclusive, invalid
	Of   string // fail: the check's name
}

// String says the moment as a scenario file does.
func (m Moment) String() string {
	switch {
	case m.After != "":
		return "after " + m.After
	case m.AfterOpen != nil:
		return "after_open " + m.AfterOpen.String()
	case m.Sold > 0:
		return fmt.Sprintf("sold %g%%", m.Sold*100)
	}
	return "at " + m.At.String()
}

// String says the verdict as result.json does: pass, or fail:no_oversell. The zero value is pass.
func (v Verdict) String() string {
	switch {
	case v.Of != "":
		return v.Word + ":" + v.Of
	case v.Word == "":
		return "pass"
	}
	return v.Word
}
