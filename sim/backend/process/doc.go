// Package process runs one server program as a child: start, stop, SIGKILL, SIGSTOP and SIGCONT of the whole tree, and its end.
//
// What it does not do: it knows no server, no port and no file of one, and it never restarts anything. Only sim/backend imports it.
//
// Decision: as root the program gets pid and IPC namespaces of its own. A SIGKILL of its first process then takes all of its
// children at once, as a power cut would. Without that, a Postgres backend busy in a query outlives its postmaster for as long as the query
// runs, and every restart fails meanwhile. Where namespaces are not allowed the tree is read from /proc and killed one by one.
//
// Decision: children die with the harness (PR_SET_PDEATHSIG). The signal comes when the *thread* that forked ends, so each child has
// a goroutine of its own that stays locked to that thread until the child is gone.
package process
