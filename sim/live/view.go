package live

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"gatecrash/sim/result"
)

// plainEvery is how often a frame becomes a line where there is no terminal, besides the lines at events.
const plainEvery = 5 * time.Second

// Options of a View.
type Options struct {
	Quiet bool // only the verdict's headline and where the report is
}

// View shows one run. Not safe for concurrent use.
type View struct {
	to     io.Writer
	quiet  bool
	width  func() int // 0: no terminal
	drawn  int        // lines of the block on the screen
	last   time.Time  // of the last plain line
	before Frame
	broken bool // the writer failed; nothing is shown any more
}

// New makes a view on w. It draws a block in place if w is a terminal.
func New(w io.Writer, o Options) *View {
	return &View{to: w, quiet: o.Quiet, width: terminal(w)}
}

// terminal gives the width of w at each call, so that a resize is followed.
func terminal(w io.Writer) func() int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return func() int { return 0 }
	}
	return func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return 80
		}
		return width
	}
}

// Show shows a frame.
func (v *View) Show(f Frame) {
	if v.quiet {
		return
	}
	if width := v.width(); width > 0 {
		v.draw(f.Lines(width))
		return
	}
	for _, e := range events(v.before, f) {
		v.print(e)
	}
	if now := time.Now(); f.Stage != v.before.Stage || now.Sub(v.last) >= plainEvery {
		v.last = now
		v.print(f.Plain())
	}
	v.before = f
}

// draw puts the lines where the last block stands.
func (v *View) draw(lines []string) {
	var b strings.Builder
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", v.drawn)
	}
	for _, l := range lines {
		b.WriteString("\r\x1b[K" + l + "\n")
	}
	b.WriteString("\x1b[J") // a longer block before this one
	v.drawn = len(lines)
	v.write(b.String())
}

// Verdict shows how the run ended, below the last block.
func (v *View) Verdict(r *result.Result, dir string) {
	lines := Verdict(r, dir)
	if v.quiet {
		lines = []string{lines[0], lines[len(lines)-1]}
	}
	v.drawn = 0
	for _, l := range lines {
		v.print(l)
	}
}

// Close leaves the screen as it is: the block ends with a new line, and the cursor was never hidden.
func (v *View) Close() { v.drawn = 0 }

func (v *View) print(line string) { v.write(line + "\n") }

func (v *View) write(text string) {
	if v.broken {
		return
	}
	if _, err := io.WriteString(v.to, text); err != nil {
		v.broken = true
	}
}

// events says what happened between two frames.
func events(before, now Frame) []string {
	var all []string
	for i, s := range now.Sales {
		was := Sale{}
		if i < len(before.Sales) {
			was = before.Sales[i]
		}
		if s.Open && !was.Open {
			all = append(all, fmt.Sprintf("%s: sale %s is open, %d seats", clock(now.At), s.Name, s.Capacity))
		}
		if s.Open && s.Free == 0 && (was.Free > 0 || !was.Open) {
			all = append(all, fmt.Sprintf("%s: sale %s is sold out", clock(now.At), s.Name))
		}
	}
	for i, w := range now.Faults {
		was := result.FaultWindow{}
		if i < len(before.Faults) {
			was = before.Faults[i]
		}
		if w.Applied && !was.Applied {
			all = append(all, fmt.Sprintf("%s: fault %s (%s) applied", clock(now.At), w.Name, w.Inject))
		}
		if w.Healed && !was.Healed {
			all = append(all, fmt.Sprintf("%s: fault %s healed", clock(now.At), w.Name))
		}
		if w.Error != "" && was.Error == "" {
			all = append(all, fmt.Sprintf("%s: fault %s: %s", clock(now.At), w.Name, w.Error))
		}
	}
	return all
}
