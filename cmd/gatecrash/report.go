package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gatecrash/reports"
	"gatecrash/sim/history"
	"gatecrash/sim/measure"
	"gatecrash/sim/result"
)

// errNoRun is wrapped for a directory that holds no run.
var errNoRun = errors.New("no run: it holds neither run.json nor result.json")

// newReportCommand makes what is shown of a run anew.
func newReportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "report RUN...",
		Short: "Make plots, junit.xml and report.html of a run anew",
		Long: `Report reads run directories and makes plots/, junit.xml and report.html in each, and prints where the page is. It needs no server and judges
nothing: "check" does. Same directory, same bytes.

Of a run that was killed it also turns requests.rec into requests.parquet; what the run did not get to write is named on the page.`,
		Example: "  gatecrash report runs/latest",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return reportRuns(cmd.OutOrStdout(), args) },
	}
}

// reportRuns goes on to the next directory when one is no run, and tells of all that were none.
func reportRuns(to io.Writer, paths []string) error {
	var bad []error
	for _, path := range paths {
		page, err := reportRun(path)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		if _, err := fmt.Fprintln(to, page); err != nil {
			return fmt.Errorf("print path of report: %w", err)
		}
	}
	if len(bad) > 0 {
		return exitWith(exitUsage, errors.Join(bad...))
	}
	return nil
}

// reportRun gives the path of the page it made.
func reportRun(path string) (string, error) {
	dir, err := result.OpenDir(path)
	if err != nil {
		return "", err
	}
	if !dir.Has(result.FileRun) && !dir.Has(result.FileResult) {
		return "", fmt.Errorf("report of %q: %w", path, errNoRun)
	}
	if err := errors.Join(convertKilled(dir), reports.Write(path)); err != nil {
		return "", fmt.Errorf("report of %q: %w", path, err)
	}
	return dir.Join(result.FileReport), nil
}

// convertKilled turns the records of a run that was killed into Parquet. A run that ended has sealed its files: nothing is added to it.
func convertKilled(dir result.Dir) error {
	if !dir.Has(result.FileRun) || !dir.Has(result.FileRecords) || dir.Has(result.FileRequests) {
		return nil
	}
	run, err := result.ReadRun(dir)
	if err != nil || run.Ended {
		return err
	}
	var windows []result.FaultWindow
	if dir.Has(result.FileFaults) {
		if windows, err = result.ReadFaults(dir); err != nil {
			return err
		}
	}
	_, err = history.Convert(dir.Join(result.FileRecords), dir.Join(result.FileRequests), run.Sales, run.Crowds, killedTimeline(run, windows).Of)
	return err
}

// killedTimeline knows the opening and the faults of a run that was killed; when it sold out and recovered is for the check to find.
func killedTimeline(run *result.Run, windows []result.FaultWindow) measure.Timeline {
	opened := measure.Never
	for _, at := range run.OpenedMS {
		if at >= 0 {
			opened = min(opened, at*1e6)
		}
	}
	var faults []measure.Window
	for _, w := range windows {
		if !w.Applied {
			continue
		}
		f := measure.Window{Applied: w.AppliedNS, Healed: measure.Never, Recovered: measure.Never}
		if w.Healed {
			f.Healed, f.Recovered = w.HealedNS, w.HealedNS
		}
		faults = append(faults, f)
	}
	return measure.NewTimeline(opened, measure.Never, faults)
}
