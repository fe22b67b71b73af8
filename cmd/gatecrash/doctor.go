package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"gatecrash/sim/backend"
)

// doctorTimeout bounds the look at engine, images and programs.
const doctorTimeout = 20 * time.Second

func newDoctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what can run on this machine, and how to get the rest",
		Long: `Doctor looks for a docker engine with images of Postgres and Redis and for local server programs, and says how to get what is missing.
It starts nothing. Exit code 0 when at least one backend can run, 2 when none can.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorTimeout)
			defer cancel()
			findings := backend.Check(ctx, nil)
			if err := tellFindings(cmd, findings, asJSON); err != nil {
				return err
			}
			if findings[len(findings)-1].OK { // the last line sums up what auto would take
				return nil
			}
			return exitWith(exitUsage, backend.ErrNoBackend)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func tellFindings(cmd *cobra.Command, findings []backend.Finding, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return json.NewEncoder(out).Encode(findings)
	}
	fmt.Fprintf(out, "gatecrash %s, %s, %s/%s, %d cores\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, f := range findings {
		mark, fix := "ok     ", ""
		if !f.OK {
			mark = "missing"
		}
		if f.Fix != "" {
			fix = "; fix: " + f.Fix
		}
		fmt.Fprintf(out, "%s  %-22s %s%s\n", mark, f.Name, f.Detail, fix)
	}
	return nil
}
