package scenario

import (
	"cmp"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// timeShape bounds percentiles: its fixed keys, and keys p50, p99, p99.9, max and the like.
type timeShape struct {
	fixed  timeKeys
	bounds []PercentileBound
}

type timeKeys struct {
	Of         string `yaml:"of" enum:"login,look,book,cancel" example:"book" doc:"operation"`
	During     string `yaml:"during,omitempty" enum:"warm-up,steady,fault,recovery,sold-out" example:"steady" doc:"phase; left out: the whole run"`
	MinSamples int    `yaml:"min_samples,omitempty" default:"0" min:"0" max:"1000000000" example:"100" doc:"requests needed for a verdict; left out: 100, or what the percentile needs"`
}

const percentilePattern = `^p([1-9]|[1-9][0-9])(\.[0-9]{1,3})?$`

var percentileForm = regexp.MustCompile(percentilePattern)

func (timeShape) want() string { return "an operation with bounds of its percentiles" }

func (t *timeShape) read(w *walker, n *yaml.Node, path string, tag reflect.StructTag) {
	if n.Kind != yaml.MappingNode {
		w.say(n, path, "got %s, want keys and values%s", shown(n), example(tag))
		return
	}
	fixed := *n
	fixed.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && (key.Value == "max" || looksLikePercentile(key.Value)) {
			t.bound(w, key, value, path)
			continue
		}
		fixed.Content = append(fixed.Content, key, value)
	}
	w.mapping(&fixed, reflect.ValueOf(&t.fixed).Elem(), path, tag)
	slices.SortFunc(t.bounds, func(a, b PercentileBound) int { return cmp.Compare(a.Percentile, b.Percentile) })
	t.ordered(w, path)
}

// looksLikePercentile takes p and digits, right or wrong, so that p9999 is told what a percentile is and not that it is an unknown key.
func looksLikePercentile(key string) bool {
	return len(key) > 1 && key[0] == 'p' && strings.Trim(key[1:], "0123456789.-") == ""
}

func (t *timeShape) bound(w *walker, key, value *yaml.Node, path string) {
	full := join(path, key.Value)
	if w.has(full) {
		w.say(key, full, "got the key a second time, want it once (first on line %d)", w.at[full].line)
		return
	}
	w.at[full] = position{value.Line, value.Column}
	percentile := 100.0
	if key.Value != "max" {
		if !percentileForm.MatchString(key.Value) {
			w.say(key, full, "got a percentile that is not between 1 and 99.999, want for example p50, p99, p99.9 or max%s", dotted(key.Value))
			return
		}
		percentile = plainNumber(key.Value[1:])
	}
	var most duration
	w.value(value, reflect.ValueOf(&most).Elem(), full, `min:">0s" max:"24h" example:"800ms"`)
	t.bounds = append(t.bounds, PercentileBound{Percentile: percentile, AtMost: time.Duration(most)})
}

// dotted suggests p99.9 for p999.
func dotted(key string) string {
	if digits := key[1:]; len(digits) > 2 && len(digits) < 6 && strings.Trim(digits, "0123456789") == "" && digits[0] == '9' {
		return "; did you mean " + strconv.Quote("p"+digits[:2]+"."+digits[2:]) + "?"
	}
	return ""
}

// ordered wants at least one bound, and no lower bound for a higher percentile.
func (t *timeShape) ordered(w *walker, path string) {
	if !w.clean(path) {
		return
	}
	if len(t.bounds) == 0 {
		w.rule(path, "got no percentile, want at least one, for example p99: 800ms")
	}
	for i := 1; i < len(t.bounds); i++ {
		low, high := t.bounds[i-1], t.bounds[i]
		if high.AtMost < low.AtMost {
			w.rule(path, "got %v at percentile %g, want at least the %v of percentile %g", high.AtMost, high.Percentile, low.AtMost, low.Percentile)
		}
	}
}

// samples is what the highest percentile needs: one request beyond it, and never fewer than 100 in all.
func (t *timeShape) samples() int {
	if t.fixed.MinSamples > 0 {
		return t.fixed.MinSamples
	}
	need := 100
	for _, b := range t.bounds {
		if b.Percentile < 100 {
			need = max(need, int(math.Ceil(100/(100-b.Percentile)-1e-6)))
		}
	}
	return need
}
