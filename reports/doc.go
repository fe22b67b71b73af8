// Package reports writes everything that is shown of a finished run into its directory: plots/, junit.xml and report.html, each by a package of its own.
//
// It reads run directories only, judges nothing and may be imported by cmd alone; of our packages it imports sim/result and those below itself.
package reports
