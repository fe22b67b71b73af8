package backend

import "errors"

// Named errors of Open and Can: nothing was run, the caller's exit code is 2.
var (
	// ErrMissingBinary says that a server program is not installed; the text names `make deps`.
	ErrMissingBinary = errors.New("server program not found; install it with `make deps`")
	// ErrMissingImage says that neither the official image nor a locally built one is there; the text names `make images`.
	ErrMissingImage = errors.New("no image of the server; build it with `make images`")
	// ErrNoEngine says that no docker engine answers.
	ErrNoEngine = errors.New("no docker engine answers")
	// ErrNoBackend says that auto found neither docker nor local programs.
	ErrNoBackend = errors.New("neither docker nor local servers can be used; install them with `make deps`")
	// ErrVerbUnsupported says that this backend cannot do this to this server.
	ErrVerbUnsupported = errors.New("not supported by this backend")
	// ErrOffLoopback says that an external address is not on this machine and the owner did not say so.
	ErrOffLoopback = errors.New("address is not on loopback; add --i-own-this-target if it is yours to load and break")
	// ErrSchemaNotEmpty says that the schema of the run holds something already.
	ErrSchemaNotEmpty = errors.New("schema is not empty")
	// ErrKeysNotEmpty says that keys with the prefix of the run exist already.
	ErrKeysNotEmpty = errors.New("keys with this prefix exist")
	// ErrBadOptions says that Options hold a value that cannot be used.
	ErrBadOptions = errors.New("bad backend options")
	// ErrNoUser says that root found no user to run Postgres as.
	ErrNoUser = errors.New("no user to run the servers as: want postgres or nobody")
)

// Named errors of a running backend.
var (
	// ErrNotReady says that a server did not answer a query in time.
	ErrNotReady = errors.New("server does not answer")
	// ErrExited says that a server ended by itself; the text holds the end of its log.
	ErrExited = errors.New("server ended by itself")
	// ErrPaused says that the verb needs a server that is not paused.
	ErrPaused = errors.New("server is paused")
	// ErrNotRunning says that the verb needs a running server.
	ErrNotRunning = errors.New("server is not running")
	// ErrClosed says that the backend was closed.
	ErrClosed = errors.New("backend is closed")
	// ErrUnknownServer says that the backend has no server of that name.
	ErrUnknownServer = errors.New("unknown server")

	errPortTaken = errors.New("port is taken")
)
