package scenario

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Writings of the words, also for the schema.
const (
	durationPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`
	ratePattern     = `^[0-9]+(\.[0-9]+)?/s$`
	sharePattern    = `^(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?)%$`
	poolPattern     = `^([1-9][0-9]{0,8} per visitor|shared [1-9][0-9]{0,8})$`
)

var (
	durationForm = regexp.MustCompile(durationPattern)
	rateForm     = regexp.MustCompile(ratePattern)
	shareForm    = regexp.MustCompile(sharePattern)
	poolForm     = regexp.MustCompile(poolPattern)
)

// duration is a time with its unit.
type duration time.Duration

func (d *duration) set(text string) bool {
	if !durationForm.MatchString(text) {
		return false
	}
	got, err := time.ParseDuration(text)
	*d = duration(got)
	return err == nil
}

func (d duration) number() float64 { return float64(d) }
func (duration) want() string      { return "a time with a unit (ns, us, ms, s, m, h)" }
func (duration) suffix() string    { return "s" }

// rate is a number per second.
type rate float64

func (r *rate) set(text string) bool { return setNumber((*float64)(r), rateForm, text, "/s", 1) }
func (r rate) number() float64       { return float64(r) }
func (rate) want() string            { return "a rate per second" }
func (rate) suffix() string          { return "/s" }

// share is a part of a whole, 0 to 1, written in percent.
type share float64

func (s *share) set(text string) bool {
	return setNumber((*float64)(s), shareForm, text, "%", 100) && *s <= 1
}
func (s share) number() float64 { return float64(s) }
func (share) want() string      { return "a share from 0% to 100%" }
func (share) suffix() string    { return "%" }

// setNumber reads a number with a unit behind it.
func setNumber(to *float64, form *regexp.Regexp, text, unit string, divisor float64) bool {
	if !form.MatchString(text) {
		return false
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(text, unit), 64)
	*to = f / divisor
	return err == nil && !math.IsInf(f, 0)
}

// budget is a share, or unlimited as -1.
type budget float64

func (b *budget) set(text string) bool {
	if text == "unlimited" {
		*b = -1
		return true
	}
	return (*share)(b).set(text)
}

func (b budget) number() float64 { return float64(b) }
func (budget) want() string      { return "a share from 0% to 100%, or unlimited" }
func (budget) suffix() string    { return "%" }

// pool says how many visitors share an identity.
type pool Pool

func (p *pool) set(text string) bool {
	if !poolForm.MatchString(text) {
		return false
	}
	n, shared := strings.CutPrefix(text, "shared ")
	size, err := strconv.Atoi(strings.TrimSuffix(n, " per visitor"))
	switch {
	case shared:
		*p = pool{Shared, size}
	case size == 1:
		*p = pool{OnePerVisitor, 1}
	default:
		*p = pool{ManyPer, size}
	}
	return err == nil
}

func (p pool) number() float64 { return float64(p.N) }
func (pool) want() string      { return "1 per visitor, N per visitor or shared N" }
func (pool) suffix() string    { return " per visitor" }
