// Command gatecrash rehearses a ticket sale before the real one.
//
// main.go only picks the exit code; root.go holds the list of commands and the meaning of exit codes; every command has a file of its own.
// Nothing may import this package. It may import everything; only serve.go imports system.
package main
