// Package plot writes the charts of a run as SVG and PNG pictures into plots/, one file of each kind for every chart: crowd, outcomes,
// goodput, seats, drift, response; seats-2, drift-2 … for further sales. Every picture is drawn by gonum/plot and says its unit, scenario,
// seed and sample count in its title; fault windows are shaded.
//
// It judges nothing and has no clock: the same directory gives the same SVG. It may be imported by reports and cmd only, and imports reports/chart and
// sim/result.
package plot
