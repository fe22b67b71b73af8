// Package junit writes junit.xml, so that a build server shows each check of a run as a test case.
//
// It reads nothing but a result. cmd may import it; it imports sim/result only.
//
// # Decision
//
// A build server must not be green where the run is not. So a failed check is a failure, an inconclusive or invalid one that decides the verdict is an error,
// and a last test case, verdict, carries what no check shows: a broken environment, an interruption, an expectation that was not met. Only a check that had
// nothing to judge in this scenario is skipped. Where the run ended as the scenario expects (exit code 0) nothing is red, and the failure that was
// expected is told in the output of its test case.
package junit
