// Package live shows a run while it goes on: on a terminal as a block of lines redrawn in place, elsewhere as plain lines now and at events; at the end the verdict, then why.
//
// Rendering is pure: a Frame and a width give lines. View only decides when to write them. An error of the writer never ends a run: from then on nothing is shown.
package live
