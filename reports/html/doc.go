// Package html writes report.html: one file that needs no network and no other file, for the owner of a sale first and for an engineer next.
// The verdict and its reason come first, then the charts over one time axis, then the tables with every figure and its sample count.
//
// It judges nothing: every figure comes from the run directory. It has no clock and orders everything, so the same directory gives the same
// bytes. All text goes through html/template.
//
// It may be imported by cmd only and imports reports/chart and sim/result.
//
// Decision: charts are static SVG that is stretched to the width of the page, with the labels of the axes as text beside it. So a phone gets
// the same curves with readable labels, print works, and nothing is lost without JavaScript; the script only adds a reading of all charts at
// the pointer. Size is bounded: points by reports/chart, rows and texts by the constants below.
package html

// Bounds of what is shown, so that no run makes a page that a phone cannot open.
const (
	maxRows     = 200 // of a table
	maxEvidence = 12  // lines of a check or a fault
	maxText     = 400 // bytes of one text
)
