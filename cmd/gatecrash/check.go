package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gatecrash/reports/junit"
	"gatecrash/sim/check"
	"gatecrash/sim/result"
)

// newCheckCommand gives the verdict on finished runs again, from their files alone.
func newCheckCommand() *cobra.Command {
	var asJSON, write bool
	cmd := &cobra.Command{
		Use:   "check RUN...",
		Short: "Give the verdict on a run again, from its files alone",
		Long: `Check reads run directories and judges them as "run" did: same files, same verdict, same exit code. It needs no server.

It changes nothing unless --write is given, which writes result.json and junit.xml anew. A directory whose files were cut, exchanged or edited is invalid.
With several directories the exit code is that of the worst, in the order: broken invariant, interrupted, invalid, failed objective, inconclusive, pass.`,
		Example: "  gatecrash check runs/latest\n  gatecrash check runs/* --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return checkRuns(cmd.OutOrStdout(), args, asJSON, write)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each result as one line of JSON")
	cmd.Flags().BoolVar(&write, "write", false, "write result.json and junit.xml anew")
	return cmd
}

func checkRuns(to io.Writer, dirs []string, asJSON, write bool) error {
	worst := &result.Result{Exit: exitPass}
	var unreadable []error
	for _, dir := range dirs {
		r, err := checkRun(dir, write)
		if err != nil {
			unreadable = append(unreadable, err)
			continue
		}
		if check.Worse(r, worst) {
			worst = r
		}
		if asJSON {
			err = json.NewEncoder(to).Encode(r)
		} else {
			err = printChecks(to, r)
		}
		if err != nil {
			return err
		}
	}
	if len(unreadable) > 0 {
		return exitWith(exitUsage, errors.Join(unreadable...))
	}
	if worst.Exit != exitPass {
		return exitWith(worst.Exit, nil)
	}
	return nil
}

func checkRun(path string, write bool) (*result.Result, error) {
	in, err := check.Load(path)
	if err != nil {
		return nil, err
	}
	r := check.Judge(in)
	if !write {
		return r, nil
	}
	dir, err := result.OpenDir(path)
	if err != nil {
		return nil, err
	}
	return r, errors.Join(result.WriteResult(dir, r), junit.WriteFile(dir, r))
}

// printChecks prints the verdict first, then what it rests on.
func printChecks(to io.Writer, r *result.Result) error {
	fmt.Fprintf(to, "%s (exit %d): %s\n", r.Verdict, r.Exit, r.Reason)
	fmt.Fprintf(to, "%s, seed %d, scale %g, run %s\n\n", r.Scenario, r.Seed, r.Scale, r.Environment.RunDir)
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "VERDICT\tCHECK\tSAMPLES\tMEASURED\tUNIT")
	for i := range r.Checks {
		c := &r.Checks[i]
		measured := c.Measured
		if c.Verdict == result.Inconclusive || c.Verdict == result.Invalid {
			measured = c.Reason
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", verdictWord(c), c.Name, c.Samples, measured, c.Unit)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i := range r.Checks {
		printEvidence(to, &r.Checks[i])
	}
	for _, f := range r.Findings {
		fmt.Fprintf(to, "%s: %s\n", f.Severity, f.Text)
	}
	fmt.Fprintln(to)
	return nil
}

// verdictWord is a check's verdict; a dash for one that had nothing to check and decides nothing.
func verdictWord(c *result.Check) string {
	if c.Verdict == result.Inconclusive && !c.Decides {
		return "-"
	}
	return string(c.Verdict)
}

func printEvidence(to io.Writer, c *result.Check) {
	if c.Verdict != result.Fail {
		return
	}
	fmt.Fprintf(to, "\n%s: %d violations, want %s\n", c.Name, c.Violations, c.Expected)
	for _, line := range c.Evidence {
		fmt.Fprintf(to, "  %s\n", line)
	}
}
