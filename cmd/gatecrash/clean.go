package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gatecrash/sim/journal"
)

func newCleanCommand() *cobra.Command {
	var kept bool
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Remove what killed runs left behind: processes, containers, folders, schemas and keys",
		Long: `Clean goes over the journals of runs that no longer live and undoes what they had started. A run that is still going on holds a lock on its journal
and is never touched. Run directories are results and stay.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var options []journal.Option
			if kept {
				options = append(options, journal.WithKept())
			}
			report, err := journal.Clean(cmd.Context(), options...)
			for _, item := range report.Undone {
				fmt.Fprintf(cmd.OutOrStdout(), "removed: %s of run %s\n", item.What, item.Run)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d leftovers removed, %d live runs left alone\n", len(report.Undone), report.Live)
			return err
		},
	}
	cmd.Flags().BoolVar(&kept, "kept", false, "also remove what `run --keep` left on purpose")
	return cmd
}
