package history

// Op is an operation of a visitor.
type Op uint8

// Operations. Resume marks the attempts that the end of a run makes of unknown intents.
const (
	OpLogin Op = iota + 1
	OpLook
	OpBook
	OpCancel
	OpResumeBook
	OpResumeCancel
)

// Outcome of a request.
type Outcome uint8

// Outcomes. Unfinished requests were never answered before the end of the run.
const (
	Ok Outcome = iota + 1
	Refused
	Failed
	Unknown
	Unfinished
)

// Problem is the stable type of a problem answer.
type Problem uint8

// Problems, in the order of the protocol's table. ProblemOther is a problem type that this harness does not know.
const (
	NoProblem Problem = iota
	SoldOut
	SoldOutForNow
	AccountLimit
	KeyReused
	SaleNotOpen
	SalePaused
	SaleClosed
	SessionUnknown
	NotAdmitted
	RateLimited
	Overloaded
	DependencyDown
	OutcomeUnknown
	BadRequest
	UnknownSale
	UnknownBooking
	InFlight
	ProblemOther
	BadProof // a log-in proof was not accepted
)

// ErrorClass says what broke below HTTP.
type ErrorClass uint8

// Error classes. Only ErrRefusedConn, ErrDialTimeout and ErrDial are certain to have sent nothing.
const (
	NoError ErrorClass = iota
	ErrRefusedConn
	ErrDialTimeout
	ErrTimeout  // by the visitor's own timeout, after sending
	ErrReset    // connection reset or closed after sending
	ErrProtocol // an answer that could not be read as HTTP or JSON, or without the fields it must have
	ErrEnd      // still open when the run ended
	ErrDial     // no connection for another reason, for example no free port or descriptor on this machine; nothing was sent
)

// Path says where an ok answer came from.
type Path uint8

// Paths.
const (
	NoPath Path = iota
	PathDB
	PathReplay
)

// Phase of a run.
type Phase uint8

// Phases; see contracts of the scenario file.
const (
	Warmup Phase = iota + 1
	Steady
	Fault
	Recovery
	SoldOutPhase
	AfterEnd // the resume
)

// Record is one request: one attempt of an intent, or a login, look or cancel. Times are nanoseconds since the run's zero, the first planned arrival.
// Sent is when the request began to be written; where nothing was sent (refused connection, never sent), when it was handed to the client.
// Invariant: Intended <= Sent <= Done; an unfinished request has Done = the end of the run.
type Record struct {
	Intended int64
	Sent     int64
	Done     int64
	Booking  int64  // id told by an ok answer; for a cancel, the booking cancelled; 0: none
	Version  int64  // ledger version told by an ok answer or by a sold-out refusal; -1: none told
	Intent   uint64 // number of the intent in the run; 0: the request books nothing (login, look). A cancel carries the intent of its booking
	Visitor  uint32 // index in the plan
	Account  uint32 // index in the plan's accounts
	Sale     uint16 // index in the scenario's sales
	Crowd    uint16 // index in the scenario's crowds
	Status   uint16 // HTTP status; 0: no answer
	Quantity uint16 // seats asked for; for an ok answer AnswerQuantity must be the same
	Answered uint16 // seats told by an ok answer
	Attempt  uint8  // 1-based within the intent
	Op       Op
	Replica  uint8 // 1-based, the one that was asked; 0: the step was due and never sent
	Outcome  Outcome
	Problem  Problem
	Error    ErrorClass
	Path     Path
	Phase    Phase // filled in after the run
}
