// Package journal keeps, on disk, the list of what a live run has created outside its own process, so that a later command
// can undo it when the run was killed.
//
// A journal is one file in the state folder (see [Dir]). Its owner holds an flock on it for as long as it lives; the kernel drops
// the lock when the owner dies, however it dies. [Clean] undoes journals nobody holds and never touches one that is held.
// Entries are written and fsync'd before the thing they name is created, wherever its name is known by then.
//
// What it does not do: it starts nothing, and it does not decide what a run needs. Anyone in sim and cmd may import it.
//
// Decision: the lock, not the recorded pid, says whether a run lives. A pid can be taken again and a pid file can be stale; an flock
// is neither. The pid, its start time and the boot id of the owner are recorded for people who read the file.
//
// Decision: a folder entry names the programs that may run inside it. A process is known by its pid only after it was started; a kill
// of the harness between the two would leave it without an entry. Servers work inside their data folder, so a process of a named
// program whose working folder is inside a recorded folder belongs to the run. Anyone else's shell in there is left alone.
//
// Decision: a schema is dropped only if its comment names the run. The journal is written before the schema is created, and a
// name alone would be a poor reason to drop somebody's data.
package journal
