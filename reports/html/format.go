package html

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// none stands where a figure is not known.
const none = "–"

// whole writes a count with commas between thousands.
func whole(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return strings.Replace(digits, "-", "−", 1)
}

// signed is whole with a plus sign for what is above 0.
func signed(n int64) string {
	if n > 0 {
		return "+" + whole(n)
	}
	return whole(n)
}

// figure writes a number with about three significant digits.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100 || v == math.Trunc(v):
		return whole(int64(math.Round(v)))
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
}

// percent writes a ratio.
func percent(ratio float64) string { return strconv.FormatFloat(ratio*100, 'f', 2, 64) + " %" }

// micros writes microseconds in the unit that suits them.
func micros(us int64) string {
	switch {
	case us < 1000:
		return whole(us) + " µs"
	case us < 1_000_000:
		return figure(float64(us)/1e3) + " ms"
	default:
		return figure(float64(us)/1e6) + " s"
	}
}

// since writes a moment or a length given in milliseconds.
func since(ms int64) string { return clock(float64(ms) / 1e3) }

// clock writes seconds as "4.2 s" below two minutes and "3:05" or "1:02:03" from there.
func clock(s float64) string {
	if math.Abs(s) < 120 {
		return strings.Replace(strconv.FormatFloat(math.Round(s*10)/10+0, 'f', -1, 64), "-", "−", 1) + " s"
	}
	n := int64(math.Round(s))
	two := func(v int64) string { return string([]byte{byte('0' + v/10), byte('0' + v%10)}) }
	if n < 3600 {
		return strconv.FormatInt(n/60, 10) + ":" + two(n%60)
	}
	return strconv.FormatInt(n/3600, 10) + ":" + two(n/60%60) + ":" + two(n%60)
}

// clip shortens a text that is longer than the page allows, never within a rune.
func clip(s string) string { return clipTo(s, maxText) }

func clipTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// clipAll shortens a list and each line of it.
func clipAll(lines []string) []string {
	var out []string
	for i, l := range lines {
		if i == maxEvidence {
			return append(out, "… and "+whole(int64(len(lines)-i))+" more in result.json")
		}
		out = append(out, clip(l))
	}
	return out
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return whole(n) + " " + many
}

// orNone gives the text, or a dash for an empty one.
func orNone(s string) string {
	if s == "" {
		return none
	}
	return clip(s)
}
