package html

import (
	"os"
	"strings"

	"gatecrash/sim/result"
)

// fileTable lists what a run directory holds; this page itself is left out, because it cannot know its own size.
func fileTable(dir result.Dir) table {
	t := table{ID: "files", Title: "Files of the run", Head: []string{"file", "what", "bytes"}, Note: "All beside this page."}
	for _, f := range []fact{
		{result.FileScenario, "the scenario, byte for byte"},
		{result.FileRun, "what was planned, with what, and how the play ended"},
		{result.FileResult, "the verdict and every figure of this page"},
		{result.FileRecords, "every request, as recorded"},
		{result.FileRequests, "every request, for other tools"},
		{result.FileLedger, "the ledger: every change of seats by version"},
		{result.FileBookings, "the booking rows"},
		{result.FileTruth, "the sales at both snapshots and what the reconciliations changed"},
		{result.FileFaults, "the faults as they were carried out"},
		{result.FileSeries, "figures per second"},
		{result.FileDrift, "drift samples"},
		{result.FileHistogram, "response times as an HdrHistogram log"},
		{result.FileJUnit, "the checks for a build server"},
	} {
		t.Rows = append(t.Rows, []cell{text(f.Name), text(f.Value), number(size(dir.Join(f.Name)))})
	}
	t.Rows = append(t.Rows, directoryRow(dir, result.DirPlots, "the charts as SVG and PNG"), directoryRow(dir, result.DirLogs, "logs of the servers and replicas"))
	return t
}

func size(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "not there"
	}
	return whole(info.Size())
}

func directoryRow(dir result.Dir, name, what string) []cell {
	entries, err := os.ReadDir(dir.Join(name))
	if err != nil {
		return []cell{text(name + "/"), text(what), number("not there")}
	}
	n := int64(0)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			n++
		}
	}
	return []cell{text(name + "/"), text(what), number(plural(n, "file", "files"))}
}
