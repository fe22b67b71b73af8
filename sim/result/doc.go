// Package result is the run directory: its types, how they are read and written, and their version. It imports the standard library only.
package result
