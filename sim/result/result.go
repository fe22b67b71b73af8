package result

import "time"

// Schema is the version of result.json that this package writes. Readers accept it and the one before.
const Schema = 1

// Verdict of a check, a rule or a run.
type Verdict string

// Verdicts.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
	Invalid      Verdict = "invalid"
)

// Kind of a check.
type Kind string

// Kinds. An invariant must hold in every run; health says whether the run itself can be trusted or how the gate did; an objective is declared by the scenario.
const (
	Invariant Kind = "invariant"
	Health    Kind = "health"
	Objective Kind = "objective"
)

// Result is result.json.
type Result struct {
	Schema      int         `json:"schema"`
	RunID       string      `json:"run_id"`
	Verdict     Verdict     `json:"verdict"`
	Exit        int         `json:"exit"`
	Reason      string      `json:"reason"` // one sentence: what decided the verdict
	Interrupted bool        `json:"interrupted"`
	Scenario    string      `json:"scenario"`
	Question    string      `json:"question"`
	Expected    string      `json:"expect_verdict"` // pass, or fail:no_oversell
	Seed        uint64      `json:"seed"`
	Scale       float64     `json:"scale"`
	PlanHash    string      `json:"plan_hash"`
	Started     time.Time   `json:"started"`
	DurationMS  int64       `json:"duration_ms"` // from the first planned arrival to the end of the crowd
	Environment Environment `json:"environment"`
	Balance     Balance     `json:"balance"`
	Checks      []Check     `json:"checks"`
	Times       []Times     `json:"times"`
	Goodput     []Goodput   `json:"goodput"`
	Sales       []Sale      `json:"sales"`
	Drift       []Drift     `json:"drift"`
	Faults      []Fault     `json:"faults"`
	Generator   Generator   `json:"generator"`
	Contenders  Contenders  `json:"contenders"`
	Findings    []Finding   `json:"findings"`
	TailLost    int64       `json:"tail_lost"` // bytes of a torn last record that were cut
}

// Environment of a run.
type Environment struct {
	Version    string            `json:"version"` // of gatecrash
	GoVersion  string            `json:"go_version"`
	OS         string            `json:"os"`
	Cores      int               `json:"cores"`
	Backend    string            `json:"backend"`
	Replicas   int               `json:"replicas"`
	Postgres   map[string]string `json:"postgres"` // settings read back from the server
	Redis      map[string]string `json:"redis"`
	Command    string            `json:"command"` // secrets masked
	RunDir     string            `json:"run_dir"`
	CommitMode string            `json:"commit_mode"`
}

// Balance is the two conservation laws.
type Balance struct {
	Visitors Visitors   `json:"visitors"`
	Requests []Requests `json:"requests"`
}

// Visitors: planned = started + not_started; started = booked + refused + gave_up + unfinished.
type Visitors struct {
	Planned    int64 `json:"planned"`
	Started    int64 `json:"started"`
	NotStarted int64 `json:"not_started"`
	Booked     int64 `json:"booked"`
	Refused    int64 `json:"refused"`
	GaveUp     int64 `json:"gave_up"`
	Unfinished int64 `json:"unfinished"`
}

// Requests of one operation: sent = ok + refused + failed + unknown + unfinished.
type Requests struct {
	Op         string `json:"op"`
	Sent       int64  `json:"sent"`
	Ok         int64  `json:"ok"`
	Refused    int64  `json:"refused"`
	Failed     int64  `json:"failed"`
	Unknown    int64  `json:"unknown"`
	Unfinished int64  `json:"unfinished"`
}

// Check is the verdict of one invariant, health check or objective.
type Check struct {
	Name       string     `json:"name"`
	Kind       Kind       `json:"kind"`
	Verdict    Verdict    `json:"verdict"`
	Expected   string     `json:"expected"`
	Measured   string     `json:"measured"`
	Unit       string     `json:"unit,omitempty"`
	Samples    int64      `json:"samples"`
	MinSamples int64      `json:"min_samples"`
	First      *Violation `json:"first_violation,omitempty"`
	Violations int64      `json:"violations"`
	Evidence   []string   `json:"evidence"` // rows and figures a reader needs, bounded
	Reason     string     `json:"reason,omitempty"`
	// Decides is false for an inconclusive check that had nothing to judge in this scenario: it is shown and changes no verdict.
	Decides bool `json:"decides"`
}

// Violation is the first place, in ledger version order, where a check failed.
type Violation struct {
	Sale    string `json:"sale"`
	Version int64  `json:"version"`
	Intent  string `json:"intent"`
	Attempt int    `json:"attempt"`
	AtMS    int64  `json:"at_ms"`
}

// Percentiles in microseconds of one kind of time.
type Percentiles struct {
	N    int64   `json:"n"`
	Mean float64 `json:"mean_us"`
	P50  int64   `json:"p50_us"`
	P90  int64   `json:"p90_us"`
	P95  int64   `json:"p95_us"`
	P99  int64   `json:"p99_us"`
	P999 int64   `json:"p999_us"`
	Max  int64   `json:"max_us"`
	// Censored requests were never answered; they count with their age at the end, so percentiles at or above them are lower bounds.
	Censored int64 `json:"censored"`
	Clamped  int64 `json:"clamped"` // values above the histogram's range
}

// Times of an operation in a phase. Phase "all" is the whole run.
type Times struct {
	Op       string      `json:"op"`
	Phase    string      `json:"phase"`
	Response Percentiles `json:"response"` // done - intended
	Service  Percentiles `json:"service"`  // done - sent
}

// Goodput is bookings per second committed within the visitor's patience, by phase.
type Goodput struct {
	Phase    string  `json:"phase"`
	Seconds  float64 `json:"seconds"`
	Bookings int64   `json:"bookings"`
	PerSec   float64 `json:"per_sec"`
}

// Sale is the outcome of one sale.
type Sale struct {
	Name           string `json:"name"`
	Capacity       int64  `json:"capacity"`
	SeatsSold      int64  `json:"seats_sold"`    // at the end of the crowd, after drain
	SeatsResumed   int64  `json:"seats_resumed"` // booked by the resume less cancelled by it, not part of goodput
	Free           int64  `json:"free"`          // after the resume
	Bookings       int64  `json:"bookings"`
	Cancelled      int64  `json:"cancelled"`
	Version        int64  `json:"version"`
	SoldOutMS      int64  `json:"sold_out_ms"` // since zero; -1: never
	WronglyRefused int64  `json:"wrongly_refused"`
}

// Drift of a sale's gate over the run. Unknown samples (Redis unreachable) are not 0.
type Drift struct {
	Sale           string  `json:"sale"`
	Samples        int64   `json:"samples"`
	Unknown        int64   `json:"unknown"`
	MaxSurplus     int64   `json:"max_surplus"`     // seats certain: the interval's lower end
	MaxLeak        int64   `json:"max_leak"`        // seats certain, as a positive number
	SurplusSeconds float64 `json:"surplus_seconds"` // whole interval above 0
	LeakSeconds    float64 `json:"leak_seconds"`
	LongestLeakS   float64 `json:"longest_leak_s"`
	LongestSurplus float64 `json:"longest_surplus_s"`
	LongestDebitS  float64 `json:"longest_debit_s"` // longest that a debit was seen at the gate
	FinalKnown     bool    `json:"final_known"`
	Final          int64   `json:"final"`
	WronglyRefused int64   `json:"wrongly_refused"`
}

// Fault that was planned.
type Fault struct {
	Name       string   `json:"name"`
	Inject     string   `json:"inject"`
	Applied    bool     `json:"applied"`
	Healed     bool     `json:"healed"`
	AppliedMS  int64    `json:"applied_ms"` // since zero
	HealedMS   int64    `json:"healed_ms"`
	Evidence   []string `json:"evidence"` // independent proof that it happened
	Proven     bool     `json:"proven"`
	Touched    int64    `json:"touched"`     // requests in flight or begun while it lasted
	RecoveryMS int64    `json:"recovery_ms"` // since healed; -1: not recovered or not measurable
	Recovery   string   `json:"recovery"`    // recovered, sold-out, metastable, nothing-to-measure
	Error      string   `json:"error,omitempty"`
}

// Generator is how well the harness itself did.
type Generator struct {
	Lateness       Percentiles `json:"lateness"`      // sent - intended
	OnTimeRatio    float64     `json:"on_time_ratio"` // sent within 100 ms of intent
	CPUSeconds     float64     `json:"cpu_seconds"`
	CPURatio       float64     `json:"cpu_ratio"` // of all cores, over the crowd's time
	Stalls         int64       `json:"stalls"`    // pauses of the pacer above 100 ms
	LongestStallMS int64       `json:"longest_stall_ms"`
	MaxInFlight    int64       `json:"max_in_flight"`
	InFlightCap    int64       `json:"in_flight_cap"`
	LittleError    float64     `json:"little_error_ratio"` // worst |L - lambda W| / L over windows with enough requests
	GCPauseMaxMS   float64     `json:"gc_pause_max_ms"`
}

// Contenders are requests that reached the database for nothing.
type Contenders struct {
	DatabaseRefusals int64   `json:"database_refusals"` // answers sold-out decided under the row lock
	GateRefusals     int64   `json:"gate_refusals"`
	PerSeatSold      float64 `json:"per_seat_sold"`
	LockWaitMeanUS   float64 `json:"lock_wait_mean_us"` // from the booking system's metrics; 0: not known
}

// Finding is something worth reading that decides nothing.
type Finding struct {
	Severity string `json:"severity"` // note, warning
	Text     string `json:"text"`
}
