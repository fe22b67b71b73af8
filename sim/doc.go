// Package sim rehearses a sale: it brings the servers and the system under test up, plays the crowd, breaks things on schedule, ends the run in the order that
// makes the truth readable, writes the run directory and lets sim/check judge it from the files alone.
//
// It knows a booking system only through sim/target; the caller (cmd) hands in a constructor.
//
// # Decision
//
// The verdict of a run is read back from the files that the run wrote, by the same code as `gatecrash check`: there is no second way to a verdict.
//
// What breaks before the crowd starts is told apart by whether anything was run. A wrong option or a missing program is the caller's mistake (exit 2, no run directory).
// A server that does not answer is a broken environment: the run directory stays, says so, and the verdict is invalid.
package sim
