// Package backend runs the Postgres and Redis of a run as docker containers, local processes or given addresses, and breaks
// them on demand: start, stop, kill, pause, resume, restart, restart empty. It reads back what the servers say about themselves: which
// incarnation runs and under which settings.
//
// What it does not do: it knows no sale and no fault, it never builds an image, and it never touches a server it did not start
// beyond a schema and a key prefix of its own. Anyone in sim and cmd may import it.
//
// Decision: one state machine (managed.go) drives containers and processes alike through the small interface runner, so that a verb means
// the same on both and one conformance suite holds for them.
//
// Decision: ports are chosen once and held for the whole run by a bound socket that does not listen (port.go). A killed server's port
// could otherwise be taken by another run, or by the kernel for some outgoing connection, before the server is back.
//
// Decision: readiness is an answered query, never a log line or an open port: a proxy in front of a container accepts before the
// server listens, and a restarted Postgres writes its "ready" line while an old one is still in the log.
//
// Decision: the library's reaper container is never used. It would outlive a closed run by ten seconds, kill what --keep
// leaves, and needs an image of its own. Containers carry a label with the run's id, and the journal names that label.
package backend
