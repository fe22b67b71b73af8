// Package scenario reads scenario files, version 1, strictly: every fault of a file is reported at once with line, column and a suggestion.
package scenario
