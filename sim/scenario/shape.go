package scenario

// The structs of this file are the form of a scenario file: the one place where its keys, bounds, defaults and examples are written down.
//
//	yaml:"key"            required; with ,omitempty optional
//	default:"..."         yaml text taken when the key is absent; a key without one is zero, or the default of its parts
//	min, max:"..."        bounds in the type's own writing; min:">0" excludes the bound
//	enum:"a,b"            the words that are allowed
//	pattern, size         of strings: regular expression, and most bytes (of a list: most items)
//	example, doc          what a message and the schema show

type fileShape struct {
	Version       int           `yaml:"version" min:"1" max:"1" example:"1" doc:"version of the form of this file"`
	Name          string        `yaml:"name" pattern:"^[a-z0-9][a-z0-9._-]*$" size:"64" example:"opening-night" doc:"name of the scenario"`
	Question      string        `yaml:"question,omitempty" size:"500" example:"Is a seat sold twice?" doc:"the question that a run answers"`
	Seed          uint64        `yaml:"seed,omitempty" default:"1" example:"7" doc:"seed of every draw"`
	MaxDuration   duration      `yaml:"max_duration,omitempty" default:"2m" min:">0s" max:"24h" example:"90s" doc:"the run is stopped after this, counted from its zero"`
	Sale          *saleShape    `yaml:"sale,omitempty" doc:"the only sale; short form of sales"`
	Sales         []saleShape   `yaml:"sales,omitempty" size:"64" doc:"the sales, each with a name"`
	System        systemShape   `yaml:"system,omitempty" doc:"how the booking system is set up"`
	Crowds        []crowdShape  `yaml:"crowds" size:"64" doc:"groups of visitors who behave alike"`
	Faults        []faultShape  `yaml:"faults,omitempty" size:"64" doc:"what breaks, and when"`
	Expect        []expectShape `yaml:"expect,omitempty" size:"64" doc:"thresholds; the invariants hold without being named"`
	ExpectVerdict verdictShape  `yaml:"expect_verdict,omitempty" default:"pass" example:"{fail: no_oversell}" doc:"the verdict that this scenario is written to get"`
}

type saleShape struct {
	Name       string   `yaml:"name,omitempty" default:"main" pattern:"^[a-z0-9][a-z0-9._-]*$" size:"64" example:"main" doc:"name of the sale"`
	Capacity   int64    `yaml:"capacity" min:"1" max:"100000000" example:"2000" doc:"seats"`
	PerAccount int      `yaml:"per_account,omitempty" default:"4" min:"1" max:"1000000" example:"4" doc:"live seats an account may hold"`
	OpensAfter duration `yaml:"opens_after,omitempty" default:"0s" max:"24h" example:"2s" doc:"when the sale opens, from the run's zero"`
}

type systemShape struct {
	Replicas    int           `yaml:"replicas,omitempty" default:"1" min:"1" max:"64" example:"2" doc:"processes of the booking service"`
	Commit      commitShape   `yaml:"commit,omitempty" doc:"how bookings reach the ledger"`
	Gate        gateShape     `yaml:"gate,omitempty" doc:"the advisory count in Redis"`
	Limiter     limiterShape  `yaml:"limiter,omitempty" doc:"rate limits; a key that is left out is no limit"`
	Connections int           `yaml:"connections,omitempty" default:"0" min:"0" max:"1000" example:"16" doc:"Postgres connections of the whole system; 0: its own default"`
	Timeouts    timeoutsShape `yaml:"timeouts,omitempty" doc:"deadlines inside the system: lock < statement < request"`
	Postgres    settings      `yaml:"postgres,omitempty" example:"{commit_delay: 1000}" doc:"extra settings of the Postgres server"`
}

type commitShape struct {
	Mode   string `yaml:"mode,omitempty" default:"single" enum:"single" example:"single" doc:"one transaction a booking"`
	Max    int    `yaml:"max,omitempty" default:"1" min:"1" max:"1" example:"1" doc:"intents a transaction may hold"`
	AtOnce int    `yaml:"at_once,omitempty" default:"0" min:"0" max:"1000" example:"4" doc:"transactions of the whole system at once on one sale, the others wait in line in their replica; 0: its own default"`
}

type gateShape struct {
	Enabled             bool     `yaml:"enabled,omitempty" default:"true" example:"true" doc:"false: every request goes to the ledger"`
	Lease               duration `yaml:"lease,omitempty" default:"5s" min:">0s" max:"10m" example:"5s" doc:"how long a debit lives before it counts as stranded"`
	ReconcileEvery      duration `yaml:"reconcile_every,omitempty" default:"500ms" min:"10ms" max:"10m" example:"500ms" doc:"period of the reconciliation"`
	FallbackConcurrency int      `yaml:"fallback_concurrency,omitempty" default:"32" min:"1" max:"10000" example:"32" doc:"bookings at once without the gate, of the whole system"`
	Budget              duration `yaml:"budget,omitempty" default:"100ms" min:">0s" max:"10s" example:"100ms" doc:"the longest one gate call may take"`
}

type limiterShape struct {
	PerAccount rate `yaml:"per_account,omitempty" min:">0/s" max:"1000000/s" example:"20/s" doc:"requests of one account"`
	Burst      int  `yaml:"burst,omitempty" default:"40" min:"1" max:"1000000" example:"40" doc:"requests an account may send at once"`
	PerAddress rate `yaml:"per_address,omitempty" min:">0/s" max:"1000000/s" example:"200/s" doc:"requests from one address"`
}

type timeoutsShape struct {
	Request   duration `yaml:"request,omitempty" default:"2s" min:">0s" max:"10m" example:"2s" doc:"deadline of a request"`
	Statement duration `yaml:"statement,omitempty" default:"1s" min:">0s" max:"10m" example:"1s" doc:"statement_timeout"`
	Lock      duration `yaml:"lock,omitempty" default:"800ms" min:">0s" max:"10m" example:"800ms" doc:"lock_timeout"`
}

type crowdShape struct {
	Name      string      `yaml:"name" pattern:"^[a-z0-9][a-z0-9._-]*$" size:"64" example:"fans" doc:"name of the crowd"`
	Sale      string      `yaml:"sale,omitempty" size:"64" example:"main" doc:"the sale they want; may be left out when there is only one"`
	Visitors  int         `yaml:"visitors,omitempty" min:"1" max:"200000000" example:"20000" doc:"how many come; may be left out where rates and times say it"`
	Accounts  pool        `yaml:"accounts,omitempty" default:"1 per visitor" example:"1 per visitor" doc:"how accounts map to visitors"`
	Addresses pool        `yaml:"addresses,omitempty" default:"1 per visitor" example:"shared 500" doc:"how client addresses map to visitors"`
	Arrive    arriveShape `yaml:"arrive" example:"{shape: poisson, for: 30s}" doc:"when they come"`
	Quantity  quantities  `yaml:"quantity,omitempty" default:"1" example:"{1: 60%, 2: 40%}" doc:"seats a visitor wants"`
	Think     spread      `yaml:"think,omitempty" default:"0s" example:"{median: 800ms, p95: 4s}" doc:"pause between two steps"`
	Patience  duration    `yaml:"patience,omitempty" default:"60s" min:">0s" max:"24h" example:"60s" doc:"from arrival (or acting at the opening) to giving up"`
	Timeout   duration    `yaml:"timeout,omitempty" default:"5s" min:">0s" max:"10m" example:"2s" doc:"of one request, by the visitor"`
	Retry     retryShape  `yaml:"retry,omitempty" doc:"how they come back"`
	Cancel    share       `yaml:"cancel,omitempty" default:"0%" example:"5%" doc:"share of the booked that cancel, after one more think time"`
	Login     string      `yaml:"login,omitempty" default:"proof" enum:"proof,bad,none" example:"proof" doc:"a valid proof, a wrong one, or no log-in at all"`
}

type arriveShape struct {
	Shape    string       `yaml:"shape" enum:"constant,poisson,ramp,stages,flash" example:"flash" doc:"shape of the arrivals"`
	Rate     rate         `yaml:"rate,omitempty" min:">0/s" max:"10000000/s" example:"200/s" doc:"constant, poisson: visitors per second"`
	For      duration     `yaml:"for,omitempty" min:">0s" max:"24h" example:"30s" doc:"constant, poisson, ramp: how long they come"`
	From     rate         `yaml:"from,omitempty" max:"10000000/s" example:"10/s" doc:"ramp: rate at the start"`
	To       rate         `yaml:"to,omitempty" max:"10000000/s" example:"400/s" doc:"ramp: rate at the end"`
	Stages   []stageShape `yaml:"stages,omitempty" size:"1000" example:"[{rate: 200/s, for: 10s}]" doc:"stages: straight lines from rate to rate, starting at 0/s"`
	AtOpen   share        `yaml:"at_open,omitempty" example:"65%" doc:"flash: share that waits for the opening"`
	Reaction spread       `yaml:"reaction,omitempty" default:"{median: 700ms, p95: 2s}" example:"{median: 700ms, p95: 2s}" doc:"flash: how long after the opening they act"`
	Tau      duration     `yaml:"tau,omitempty" default:"20s" min:">0s" max:"24h" example:"20s" doc:"flash: the rate of the rest falls to 1/e after this"`
	Delay    duration     `yaml:"delay,omitempty" default:"0s" max:"24h" example:"5s" doc:"shifts the crowd"`
}

type stageShape struct {
	Rate rate     `yaml:"rate" max:"10000000/s" example:"200/s" doc:"visitors per second at the end of the stage"`
	For  duration `yaml:"for" max:"24h" example:"10s" doc:"length of the stage; 0s: a jump"`
}

type retryShape struct {
	Attempts         int          `yaml:"attempts,omitempty" default:"5" min:"1" max:"100" example:"5" doc:"tries, the first counts too"`
	Backoff          backoffShape `yaml:"backoff,omitempty" doc:"wait before the next try"`
	HonourRetryAfter bool         `yaml:"honour_retry_after,omitempty" default:"true" example:"true" doc:"wait at least as long as told"`
	Key              string       `yaml:"key,omitempty" default:"stable" enum:"stable,fresh" example:"stable" doc:"stable: one idempotency key for all tries; fresh: a new one each time, as careless clients do"`
	Budget           budget       `yaml:"budget,omitempty" default:"unlimited" example:"10%" doc:"retries of the whole crowd earned by a success; or unlimited"`
}

type backoffShape struct {
	Base   duration `yaml:"base,omitempty" default:"200ms" max:"1h" example:"200ms" doc:"wait after the first failure"`
	Factor float64  `yaml:"factor,omitempty" default:"2" min:"1" max:"10" example:"2" doc:"each wait is so many times the last"`
	Cap    duration `yaml:"cap,omitempty" default:"5s" max:"1h" example:"5s" doc:"longest wait"`
	Jitter string   `yaml:"jitter,omitempty" default:"full" enum:"full,equal,none" example:"full" doc:"full: 0 to d; equal: d/2 to d; none: d"`
}

type faultShape struct {
	Name         string     `yaml:"name,omitempty" pattern:"^[a-z0-9][a-z0-9._-]*$" size:"64" example:"blackout" doc:"name; left out: what is injected"`
	Inject       string     `yaml:"inject" enum:"redis.kill,redis.pause,redis.flush,gate.cut,gate.inflate,api.crash,postgres.restart,postgres.slow_commit" example:"redis.kill" doc:"what breaks"`
	At           *duration  `yaml:"at,omitempty" max:"24h" example:"10s" doc:"when, from the run's zero"`
	When         *whenShape `yaml:"when,omitempty" example:"{sold: 50%}" doc:"instead of at: a state of the sale"`
	For          duration   `yaml:"for,omitempty" min:">0s" max:"24h" example:"5s" doc:"how long; left out: to the end of the run"`
	Replica      int        `yaml:"replica,omitempty" min:"1" max:"64" example:"1" doc:"api.crash: which replica; left out: the first"`
	Point        string     `yaml:"point,omitempty" example:"booked-before-answer" doc:"api.crash: crash point; left out: at once"`
	Hit          int        `yaml:"hit,omitempty" default:"1" min:"1" max:"1000000000" example:"50" doc:"api.crash: at which passing of the point, counted in one process"`
	RestartAfter duration   `yaml:"restart_after,omitempty" max:"24h" example:"1s" doc:"api.crash: left out: never"`
	Sale         string     `yaml:"sale,omitempty" size:"64" example:"main" doc:"gate.inflate: which sale"`
	Seats        int64      `yaml:"seats,omitempty" min:"1" max:"100000000" example:"50" doc:"gate.inflate: seats that the gate is made to show"`
	Delay        duration   `yaml:"delay,omitempty" min:">0s" max:"100ms" example:"20ms" doc:"postgres.slow_commit: added to each commit"`
}

type whenShape struct {
	At        *duration `yaml:"at,omitempty" max:"24h" example:"10s" doc:"from the run's zero, as at beside it"`
	Sold      share     `yaml:"sold,omitempty" min:">0%" example:"50%" doc:"share of all seats that is booked"`
	AfterOpen *duration `yaml:"after_open,omitempty" max:"24h" example:"3s" doc:"after the first opening"`
	After     string    `yaml:"after,omitempty" size:"64" example:"blackout" doc:"when that fault has healed"`
}

type expectShape struct {
	Recovery     *recoveryShape `yaml:"recovery,omitempty" example:"{of: blackout, within: 5s}" doc:"goodput is back in time"`
	ResponseTime *timeShape     `yaml:"response_time,omitempty" example:"{of: book, p99: 800ms, during: steady}" doc:"bounds of done - intended"`
	ServiceTime  *timeShape     `yaml:"service_time,omitempty" example:"{of: book, p99: 300ms}" doc:"bounds of done - sent"`
	GateDrift    *driftShape    `yaml:"gate_drift,omitempty" example:"{final: 0, leak_for: 10s}" doc:"bounds of the gate's drift"`
	Goodput      *goodputShape  `yaml:"goodput,omitempty" example:"{at_least: 300/s, during: steady}" doc:"bookings per second"`
	Sold         *soldShape     `yaml:"sold,omitempty" example:"{at_least: 100%}" doc:"share of the capacity booked at the end"`
	Outcome      *outcomeShape  `yaml:"outcome,omitempty" example:"{of: book, outcome: failed, at_most: 1%}" doc:"bounds of a share of outcomes"`
}

type recoveryShape struct {
	Of     string   `yaml:"of" size:"64" example:"blackout" doc:"name of the fault"`
	Within duration `yaml:"within" min:">0s" max:"24h" example:"5s" doc:"time after the fault healed"`
}

type driftShape struct {
	Final      *int64    `yaml:"final,omitempty" example:"0" doc:"exact drift at the end, in seats"`
	LeakFor    *duration `yaml:"leak_for,omitempty" max:"24h" example:"10s" doc:"longest time in a row below 0"`
	SurplusFor *duration `yaml:"surplus_for,omitempty" max:"24h" example:"10s" doc:"longest time in a row above 0"`
	DebitFor   *duration `yaml:"debit_for,omitempty" min:">0s" max:"24h" example:"5500ms" doc:"longest that a debit stays at the gate; only a debit that outlived its request proves it"`
	MaxLeak    *int64    `yaml:"max_leak,omitempty" min:"0" example:"20" doc:"most seats below 0"`
	MaxSurplus *int64    `yaml:"max_surplus,omitempty" min:"0" example:"20" doc:"most seats above 0"`
}

type goodputShape struct {
	AtLeast rate   `yaml:"at_least" min:">0/s" example:"300/s" doc:"bookings per second, mean over the phase"`
	During  string `yaml:"during,omitempty" enum:"warm-up,steady,fault,recovery,sold-out" example:"steady" doc:"phase; left out: the whole run"`
}

type soldShape struct {
	AtLeast share `yaml:"at_least" min:">0%" example:"100%" doc:"share of the capacity"`
}

type outcomeShape struct {
	Of         string `yaml:"of" enum:"login,look,book,cancel" example:"book" doc:"operation"`
	Outcome    string `yaml:"outcome" enum:"ok,refused,failed,unknown" example:"failed" doc:"which outcome"`
	AtMost     share  `yaml:"at_most" example:"1%" doc:"share of the operation's requests"`
	During     string `yaml:"during,omitempty" enum:"warm-up,steady,fault,recovery,sold-out" example:"steady" doc:"phase; left out: the whole run"`
	MinSamples int    `yaml:"min_samples,omitempty" default:"100" min:"1" max:"1000000000" example:"100" doc:"requests needed for a verdict"`
}
