// Package live shows a run while it goes on: on a terminal as a block of lines redrawn in place, elsewhere as plain lines now and at events; at the
// end the verdict, then why, then where the report is.
//
// Rendering is pure: a Frame and a width give lines. View only decides when to write them. An error of the writer, or a reader that went away, never
// ends a run: from then on nothing is shown. It judges nothing. It imports sim/result; sim and cmd may import it.
//
// Decision: the cursor is never hidden and no mode of the terminal is switched. Each frame is one write that ends with the cursor below the block, so there is
// nothing to restore on any way out, kill -9 included.
package live
