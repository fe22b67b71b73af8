// Package scenarios holds the scenarios that ship with Gatecrash, each a file that starts with the question it answers. README.md tells what each has caught.
package scenarios
