package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gatecrash/scenarios"
	"gatecrash/sim/scenario"
)

// newValidateCommand reports everything that is wrong with scenario files. It starts nothing.
func newValidateCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "Report everything that is wrong with scenario files",
		Long: `Validate reads scenarios, each by its path or the name of a shipped one, and reports every fault at once as file:line:column: path: what is wrong.

It starts no server and writes nothing. The exit code is 0 when all are right and 2 otherwise.`,
		Example: "  gatecrash validate my.yaml\n  gatecrash validate smoke opening-night --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return validate(cmd.OutOrStdout(), args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a list of files with their faults as JSON")
	return cmd
}

// validated is what validate says of one file.
type validated struct {
	File     string          `json:"file"`
	OK       bool            `json:"ok"`
	Scenario string          `json:"scenario,omitempty"`
	Faults   scenario.Faults `json:"faults"`
	Error    string          `json:"error,omitempty"` // the file could not be read

	sc *scenario.Scenario
}

func validate(to io.Writer, names []string, asJSON bool) error {
	all, wrong := make([]validated, len(names)), 0
	for i, name := range names {
		var err error
		if all[i], err = validateOne(name); err != nil {
			return err
		}
		if !all[i].OK {
			wrong++
		}
	}
	var err error
	if asJSON {
		err = writeJSON(to, all)
	} else {
		err = printValidated(to, all)
	}
	if err == nil && wrong > 0 {
		return exitWith(exitUsage, fmt.Errorf("%d of %d scenarios cannot be run", wrong, len(names)))
	}
	return err
}

// validateOne gives an error only for what is wrong with Gatecrash itself.
func validateOne(name string) (validated, error) {
	v := validated{File: name, Faults: scenario.Faults{}}
	file, text, err := scenarios.Resolve(name)
	if err != nil {
		v.Error = err.Error()
		return v, nil //nolint:nilerr // what is wrong with the file is the answer
	}
	v.File = file
	v.sc, err = scenario.Parse(file, text)
	switch {
	case errors.As(err, &v.Faults):
	case err != nil:
		return v, err
	default:
		v.OK, v.Scenario = true, v.sc.Name
	}
	return v, nil
}

func printValidated(to io.Writer, all []validated) error {
	for _, v := range all {
		text := v.Faults.Error()
		switch {
		case v.Error != "":
			text = v.Error
		case v.OK:
			text = fmt.Sprintf("%s: ok: %s", v.File, extent(v.sc))
		}
		if _, err := fmt.Fprintln(to, text); err != nil {
			return err
		}
	}
	return nil
}

// extent says how large a scenario is.
func extent(sc *scenario.Scenario) string {
	visitors, seats := 0, int64(0)
	for _, c := range sc.Crowds {
		visitors += c.Visitors
	}
	for _, s := range sc.Sales {
		seats += s.Capacity
	}
	return fmt.Sprintf("%s, %s, %s, %s", count(visitors, "visitor"), count(len(sc.Crowds), "crowd"), count(int(seats), "seat"), count(len(sc.Faults), "fault"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func writeJSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
