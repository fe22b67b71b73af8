package html

import (
	"bytes"
	_ "embed" // the page's template, style and script
	"fmt"
	"html/template"
	"os"
	"path/filepath"

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
func Write(dir string) error {
	page, err := render(dir)
	if err != nil {
		return fmt.Errorf("render report of %q: %w", dir, err)
	}
	if err := replace(filepath.Join(dir, result.FileReport), page); err != nil {
		return fmt.Errorf("write report of %q: %w", dir, err)
	}
	return nil
}

// replace writes beside the file and renames over it.
func replace(path string, content []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, content, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func render(dir string) ([]byte, error) {
	data, err := chart.Load(dir)
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
