// Package target says what the harness needs of a booking system: a client that behaves as its visitors do, and the rows that decide.
package target
