// Package crowd decides who comes when and what they do: pure values, no clock and no I/O.
package crowd
