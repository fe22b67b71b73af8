// Package scenario reads scenario files, version 1, strictly: every fault of a file is reported at once with line, column and a suggestion.
//
// Parse turns the text into a Scenario with every default filled in; Scale makes it larger or smaller; Schema is the file's JSON Schema for editors.
// It starts nothing and touches no file. Every package of sim may import it; it imports none of them.
//
// # How it works
//
// shape.go holds the file's form as Go structs: keys, types, bounds, defaults, examples and descriptions stand in the field tags, and nowhere else. The walker (walk.go) fills them from the
// yaml nodes and the schema (schema.go) is generated from them. Rules between keys stand in rules_*.go, and convert.go makes the Scenario.
//
// # Decision
//
// A walker over yaml nodes instead of the library's strict decoding, because that gives lines without columns, hides the other faults of a mapping with a duplicate key, and knows no units.
//
// Aliases and merge keys are refused: a file of some lines that expands to gigabytes is not worth the few lines they save.
//
// A fault of the form hides the rules that build on it: one mistake, one message.
package scenario
