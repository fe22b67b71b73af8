package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gatecrash/scenarios"
	"gatecrash/sim/scenario"
)

// newScenariosCommand lists the shipped scenarios, shows one, or prints the JSON Schema of the file.
func newScenariosCommand() *cobra.Command {
	var asJSON, schema bool
	var show string
	cmd := &cobra.Command{
		Use:   "scenarios",
		Short: "List the shipped scenarios and the question each answers",
		Long: `Scenarios lists what is shipped with Gatecrash. Each can be run by its name.

With --show the file itself is printed, to copy and change; with --schema the JSON Schema that editors use to complete and check a scenario file.`,
		Example: "  gatecrash scenarios\n  gatecrash scenarios --show smoke > my.yaml\n  gatecrash scenarios --schema > scenario.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case schema:
				return printSchema(cmd.OutOrStdout())
			case show != "":
				return printScenario(cmd.OutOrStdout(), show)
			}
			return listScenarios(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a scenario file")
	cmd.Flags().StringVar(&show, "show", "", "print the file of a shipped scenario")
	cmd.MarkFlagsMutuallyExclusive("json", "schema", "show")
	return cmd
}

// shipped is one line of the list.
type shipped struct {
	Name     string `json:"name"`
	Question string `json:"question"`
	Visitors int    `json:"visitors"`
	Seats    int64  `json:"seats"`
	Expected string `json:"expect_verdict"`
}

func listScenarios(to io.Writer, asJSON bool) error {
	var all []shipped
	for _, name := range scenarios.Names() {
		one, err := shippedScenario(name)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	if asJSON {
		return writeJSON(to, all)
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tVISITORS\tSEATS\tEXPECTED\tQUESTION")
	for _, s := range all {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", s.Name, s.Visitors, s.Seats, s.Expected, s.Question)
	}
	return w.Flush()
}

func shippedScenario(name string) (shipped, error) {
	text, err := scenarios.Read(name)
	if err != nil {
		return shipped{}, err
	}
	sc, err := scenario.Parse(name, text)
	if err != nil {
		return shipped{}, fmt.Errorf("read shipped scenario: %w", err)
	}
	one := shipped{Name: name, Question: sc.Question, Expected: sc.Verdict.String()}
	for _, c := range sc.Crowds {
		one.Visitors += c.Visitors
	}
	for _, s := range sc.Sales {
		one.Seats += s.Capacity
	}
	return one, nil
}

func printScenario(to io.Writer, name string) error {
	text, err := scenarios.Read(name)
	if err != nil {
		return exitWith(exitUsage, err)
	}
	_, err = to.Write(text)
	return err
}

func printSchema(to io.Writer) error {
	text, err := scenario.Schema()
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}
