// Package crashpoint holds named points at which the process can be told, from outside, to die.
//
// A point that is not armed costs one atomic load. Points are compiled in always, so the binary that is rehearsed is the binary that is sold with.
// The package knows no names of its own: the list is given to New, and only those can be armed. Only package system and what it wires may import it.
//
// # Decision
//
// Hits are counted from the moment of arming, not from the start of the process: counting while idle would cost a write on the hot path.
// The kill is SIGKILL to oneself rather than os.Exit or a panic: no deferred call runs, no buffer is flushed, nothing gets a chance to tidy up.
// Code rewriting as gofail does was not taken, because then the binary under test is another one than the binary that ships.
package crashpoint
