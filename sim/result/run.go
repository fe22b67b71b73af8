package result

import "time"

// Run is run.json: what was planned, with what, and how the play ended. It is written before the crowd starts and again at the end.
type Run struct {
	Schema    int       `json:"schema"`
	RunID     string    `json:"run_id"`
	Scenario  string    `json:"scenario"`
	Seed      uint64    `json:"seed"`
	Scale     float64   `json:"scale"`
	PlanHash  string    `json:"plan_hash"`
	Version   string    `json:"version"` // of gatecrash
	GoVersion string    `json:"go_version"`
	OS        string    `json:"os"`
	Command   string    `json:"command"` // secrets masked
	Cores     int       `json:"cores"`
	Backend   string    `json:"backend"`
	Replicas  int       `json:"replicas"`
	Postgres  Settings  `json:"postgres"` // read back from the servers
	Redis     Settings  `json:"redis"`
	Started   time.Time `json:"started"` // wall clock at the run's zero, UTC

	Sales    []string `json:"sales"`     // names, by index of the records
	Crowds   []string `json:"crowds"`    // names, by index of the records
	Planned  int64    `json:"planned"`   // visitors
	OpensMS  []int64  `json:"opens_ms"`  // by sale, since zero, as planned
	OpenedMS []int64  `json:"opened_ms"` // by sale, when the operator's route answered; -1: never
	// KeyPrefix and AccountPrefixes let a reader map the truth's keys and accounts to intents and accounts of the records; see sim/crowd.
	KeyPrefix string `json:"key_prefix"`

	// The rest is filled in at the end; Ended is false in the directory of a run that was killed.
	Ended       bool      `json:"ended"`
	Interrupted bool      `json:"interrupted"`
	Broke       string    `json:"broke,omitempty"` // the environment broke: what happened; the run is invalid
	EndMS       int64     `json:"end_ms"`          // the crowd was stopped, since zero
	Visitors    Visitors  `json:"visitors"`        // as counted by the generator
	Generator   Generator `json:"generator"`
	LockWaitUS  float64   `json:"lock_wait_mean_us"`
	ClockErrMS  float64   `json:"clock_error_ms"` // across generators; 0 with one
	Records     int64     `json:"records"`        // requests written, resume included; 0: not counted

	Files map[string]FileSum `json:"files,omitempty"` // what the directory held when the run ended; see WriteRun
}

// Settings of a server by name.
type Settings map[string]string

// Truth is truth.json: what stands beside the ledger's and bookings' rows.
type Truth struct {
	Schema     int            `json:"schema"`
	Complete   bool           `json:"complete"` // false: the truth could not be read, see Error
	Error      string         `json:"error,omitempty"`
	Fenced     bool           `json:"fenced"`      // no session of the system was left before snapshot 1
	Sessions   int            `json:"sessions"`    // left when the fence gave up
	Sales1     []SaleRow      `json:"sales_1"`     // snapshot 1: after drain, fence and reconciliation
	Sales2     []SaleRow      `json:"sales_2"`     // snapshot 2: after the resume
	Reconciled []ReconcileRow `json:"reconciled"`  // first, then second pass; the second must change nothing
	Resumed    int64          `json:"resumed"`     // unknown intents asked again
	ResumedOk  int64          `json:"resumed_ok"`  // answered with a booking
	ResumedNew int64          `json:"resumed_new"` // booked only now
	ResumeLost int64          `json:"resume_lost"` // still no answer after the last try
}

// SaleRow is the truth's own sum of a sale.
type SaleRow struct {
	Sale       string `json:"sale"`
	Capacity   int64  `json:"capacity"`
	Free       int64  `json:"free"`
	Version    int64  `json:"version"`
	PerAccount int    `json:"per_account"`
	State      string `json:"state"`
}

// ReconcileRow is what one reconciliation of one sale changed.
type ReconcileRow struct {
	Pass     int    `json:"pass"` // 1 or 2
	Sale     string `json:"sale"`
	Known    bool   `json:"known"` // false: the gate could not be reached
	Settled  int64  `json:"settled"`
	Refunded int64  `json:"refunded"`
	From     int64  `json:"avail_from"`
	To       int64  `json:"avail_to"`
	Free     int64  `json:"free"`
	Left     int64  `json:"debits_left"`
}

// FaultWindow is one fault in faults.json as it was carried out. Times are nanoseconds since the run's zero; 0 with Applied false: never.
type FaultWindow struct {
	Name      string   `json:"name"`
	Inject    string   `json:"inject"`
	Planned   string   `json:"planned"` // the moment as the scenario says it
	Applied   bool     `json:"applied"`
	AppliedNS int64    `json:"applied_ns"`
	HealingNS int64    `json:"healing_ns"` // the revert began; 0: not known
	Healed    bool     `json:"healed"`
	HealedNS  int64    `json:"healed_ns"` // the revert had returned: the server may have been back a little earlier
	Proven    bool     `json:"proven"`    // independent evidence that it happened
	Evidence  []string `json:"evidence"`  // for example: run_id 1f… -> 9c…
	Reverted  bool     `json:"reverted"`  // independent evidence that it is over
	Replica   int      `json:"replica,omitempty"`
	Error     string   `json:"error,omitempty"`
}
