package plot

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"

	"gatecrash/reports/chart"
	"gatecrash/sim/result"
)

// Size of a picture; a PNG has 96 dots per inch.
const (
	pictureWidth  = 10 * vg.Inch
	pictureHeight = 3.8 * vg.Inch
)

// formats of the pictures, as file extensions.
func formats() []string { return []string{"svg", "png"} }

// Write makes the pictures of a run directory.
func Write(path string) error {
	dir, err := result.OpenDir(path)
	if err != nil {
		return err
	}
	data, err := chart.Load(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir.Join(result.DirPlots), 0o755); err != nil {
		return fmt.Errorf("make folder of plots: %w", err)
	}
	set := data.Charts()
	for _, c := range set.Charts {
		for _, format := range formats() {
			if err := write(dir, &data, set, c, format); err != nil {
				return fmt.Errorf("plot %q of %q as %s: %w", c.Name, path, format, err)
			}
		}
	}
	return nil
}

func write(dir result.Dir, d *chart.Data, set chart.Set, c chart.Chart, format string) error {
	drawn, err := picture(title(d, c), set, c)
	if err != nil {
		return err
	}
	w, err := drawn.WriterTo(pictureWidth, pictureHeight, format)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return err
	}
	return dir.WriteFile(filepath.Join(result.DirPlots, c.Name+"."+format), b.Bytes())
}

// title names what is drawn, of which run, and what it rests on.
func title(d *chart.Data, c chart.Chart) string {
	scenario := d.Run.Scenario
	if d.HasResult {
		scenario = d.Result.Scenario
	}
	return fmt.Sprintf("%s\n%s · seed %d · n = %s", c.Title, scenario, d.Seed(), c.Count)
}
