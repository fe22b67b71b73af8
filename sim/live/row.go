package live

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ink is the colour of a line, as an ANSI code; "" is the terminal's own.
type ink string

const (
	plain  ink = ""
	bold   ink = "1"
	dim    ink = "2"
	red    ink = "31"
	green  ink = "32"
	yellow ink = "33"
)

// on writes text in the colour.
func (i ink) on(text string) string {
	if i == plain {
		return text
	}
	return "\x1b[" + string(i) + "m" + text + "\x1b[0m"
}

// row is one statement of the block: a label and parts of falling weight.
type row struct {
	label string
	parts []string
	ink   ink
}

// labelWidth is the column in which parts begin; on terminals below narrow columns they are indented less.
const (
	labelWidth   = 9
	narrow       = 30
	narrowIndent = 2
	gap          = "  "
)

// flow fits a row to a width: parts that do not fit go to a next line below the first part; a part that is too wide for any line is cut.
func (r row) flow(width int) []string {
	if width <= 0 {
		return nil
	}
	line, indent := "", 0
	if r.label != "" {
		line, indent = r.label+strings.Repeat(" ", max(1, labelWidth-len(r.label))), labelWidth
		if width < narrow {
			indent = narrowIndent
		}
	}
	var lines []string
	first := true
	for _, p := range r.parts {
		p = printable(p)
		if !first && columns(line)+len(gap)+columns(p) > width {
			lines = append(lines, cut(line, width))
			line, first = strings.Repeat(" ", indent), true
		}
		if !first {
			line += gap
		}
		line, first = line+p, false
	}
	return append(lines, cut(line, width))
}

// printable drops what would move the cursor or change the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}

// columns that a text takes: one for each rune. Wide runes are rare in names, and cost at most a wrapped line.
func columns(s string) int { return utf8.RuneCountInString(s) }

func cut(line string, width int) string {
	if columns(line) <= width {
		return line
	}
	return string([]rune(line)[:width])
}

// wrap breaks a line between words. What follows a break is indented a little more than the line; a word that is wider than the terminal stays whole.
func wrap(line string, width int) string {
	words := strings.Fields(line)
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if columns(line) <= width || len(words) == 0 {
		return line
	}
	var b strings.Builder
	b.WriteString(indent + words[0])
	at := columns(indent + words[0])
	for _, w := range words[1:] {
		if at+1+columns(w) > width {
			b.WriteString("\n" + indent + gap + w)
			at = columns(indent+gap) + columns(w)
			continue
		}
		b.WriteString(" " + w)
		at += 1 + columns(w)
	}
	return b.String()
}
