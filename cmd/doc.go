// Package cmd holds the commands, one folder each, and the test of the house: which package may import which, and how large things may grow.
//
// Nothing may import it.
package cmd
