package reports

import (
	"errors"
	"fmt"

	"gatecrash/reports/html"
	"gatecrash/reports/junit"
	"gatecrash/reports/plot"
	"gatecrash/sim/result"
)

// Write makes the plots, junit.xml and report.html of a run directory. What one of them breaks on does not keep the others from being made. A
// run that was never judged has no junit.xml. The page comes last, because it lists the files.
func Write(path string) error {
	dir, err := result.OpenDir(path)
	if err != nil {
		return err
	}
	return errors.Join(plot.Write(path), writeJUnit(dir), html.Write(path))
}

func writeJUnit(dir result.Dir) error {
	if !dir.Has(result.FileResult) {
		return nil
	}
	r, err := result.ReadResult(dir)
	if err != nil {
		return fmt.Errorf("write %s: %w", result.FileJUnit, err)
	}
	return junit.WriteFile(dir, r)
}
