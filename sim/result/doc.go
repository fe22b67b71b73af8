// Package result is the run directory: its types, how they are read and written, and their version. It imports the standard library only.
//
// Every file is written whole or not at all: to a temporary name, synced, renamed. A reader accepts this package's Schema and the one before it, and nothing else.
// It judges nothing. Anyone may import it; reports import nothing else of sim.
//
// # Decision
//
// run.json is the seal of the directory: written with Ended set, it carries size and SHA-256 of every other file that a verdict rests on, so it is written last.
// A file that was cut, exchanged for another run's, or edited is then told apart by one rule, whatever its format, and no format needs a checksum of its own.
// requests.rec is left out: its records carry their own checksums, it is the largest file, and a complete run is judged from requests.parquet. So is all that is
// made from the sealed files: series, histograms, result and reports.
package result
