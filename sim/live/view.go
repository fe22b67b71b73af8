package live

import (
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"gatecrash/sim/result"
)

// plainEvery is how often a frame becomes a line where there is no terminal, besides the lines at events.
const plainEvery = 5 * time.Second

// Options of a View.
type Options struct {
	Quiet bool // only the verdict's headline and where the report is
}

// View shows one run. It may be used by several goroutines.
type View struct {
	quiet bool
	pipe  chan os.Signal // see New

	mu     sync.Mutex
	to     io.Writer
	screen *screen         // nil: no terminal
	last   time.Time       // of the last plain line
	before Frame           // the last one shown
	told   map[string]bool // sales whose selling out was told
	broken bool            // the writer failed; nothing is shown any more
}

// New makes a view on w. It draws a block in place if w is a terminal. From here to Close a reader that goes away costs the view and not the process:
// without a listener for SIGPIPE, Go ends a process that writes to a closed standard output (package os/signal, "SIGPIPE").
func New(w io.Writer, o Options) *View {
	v := &View{to: w, quiet: o.Quiet, screen: newScreen(w), told: map[string]bool{}, pipe: make(chan os.Signal, 1)}
	signal.Notify(v.pipe, syscall.SIGPIPE)
	return v
}

// Show shows a frame.
func (v *View) Show(f Frame) {
	if v.quiet {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.screen != nil {
		v.before = f.with(v.before)
		v.write(v.screen.draw(v.before.rows()))
		return
	}
	for _, e := range events(v.before, f, v.told) {
		v.write(e + "\n")
	}
	if now := time.Now(); f.Stage != v.before.Stage || now.Sub(v.last) >= plainEvery {
		v.last = now
		v.write(f.Plain() + "\n")
	}
	v.before = f
}

// Verdict shows how the run ended, below the last block.
func (v *View) Verdict(r *result.Result, dir string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	rows := verdict(r, dir)
	if v.quiet {
		rows = []statement{rows[0], rows[len(rows)-1]}
	}
	text := ""
	for _, s := range rows {
		text += v.line(s) + "\n"
	}
	v.leave()
	v.write(text)
}

// line is a statement as this view writes it; a log keeps long lines whole.
func (v *View) line(s statement) string {
	if v.screen == nil {
		return s.text
	}
	width, _ := v.screen.size()
	return v.screen.in(s.ink, wrap(s.text, width))
}

// Close leaves the block where it is and gives SIGPIPE back. It may be called more than once.
func (v *View) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.leave()
	signal.Stop(v.pipe)
}

// leave makes the next block, if there is one, begin below this one.
func (v *View) leave() {
	if v.screen != nil {
		v.screen.drawn = nil
	}
}

func (v *View) write(text string) {
	if v.broken || text == "" {
		return
	}
	if _, err := io.WriteString(v.to, text); err != nil {
		v.broken = true
	}
}
