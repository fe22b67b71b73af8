package html

import (
	"bytes"
	_ "embed" // the page's template, style and script
	"fmt"
	"html/template"

	"gatecrash/reports/chart"
	"gatecrash/sim/result"
)

//go:embed page.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Write makes report.html in a run directory. The old one stays whole until the new one is.
func Write(path string) error {
	dir, err := result.OpenDir(path)
	if err != nil {
		return err
	}
	page, err := render(dir)
	if err != nil {
		return fmt.Errorf("render report of %q: %w", path, err)
	}
	return dir.WriteFile(result.FileReport, page)
}

func render(dir result.Dir) ([]byte, error) {
	data, err := chart.Load(dir.Path())
	if err != nil {
		return nil, err
	}
	tmpl, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = tmpl.Execute(&out, newPage(dir, &data))
	return out.Bytes(), err
}
