package live

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// screen is a terminal of which the last lines belong to the block.
//
// Between two writes the cursor stands at the start of the line below the block and is never hidden, so that whatever ends the process, even a
// kill -9, leaves a terminal in order.
type screen struct {
	size   func() (width, height int)
	colour bool
	drawn  []int // columns of the lines on the screen
}

// newScreen gives the terminal behind w, or nil if there is none or it cannot move the cursor.
func newScreen(w io.Writer) *screen {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	size := func() (int, int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}
	return &screen{size: size, colour: os.Getenv("NO_COLOR") == ""}
}

// draw gives what to write so that the rows stand where the last ones stood.
func (s *screen) draw(rows []row) string {
	width, height := s.size()
	var b strings.Builder
	if up := s.taken(width); up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", min(up, height-1))
	}
	s.drawn = nil
	for _, r := range rows {
		for _, line := range r.flow(width) {
			if len(s.drawn) >= height-1 { // what has scrolled away cannot be redrawn
				break
			}
			s.drawn = append(s.drawn, columns(line))
			b.WriteString("\r\x1b[K" + s.in(r.ink, line) + "\n")
		}
	}
	b.WriteString("\x1b[J") // what is left of a longer block
	return b.String()
}

// taken is how many rows of the screen the block takes now: a terminal that became narrower has wrapped its lines.
func (s *screen) taken(width int) int {
	rows := 0
	for _, n := range s.drawn {
		rows += max(1, (n+width-1)/width)
	}
	return rows
}

func (s *screen) in(i ink, text string) string {
	if !s.colour {
		return text
	}
	return i.on(text)
}
