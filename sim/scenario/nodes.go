package scenario

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// spread is one time, or a median with a 95th percentile.
type spread Spread

type spreadShape struct {
	Median duration `yaml:"median" max:"24h" example:"800ms" doc:"half are below"`
	P95    duration `yaml:"p95" max:"24h" example:"4s" doc:"19 of 20 are below"`
}

func (s *spread) read(w *walker, n *yaml.Node, path string, tag reflect.StructTag) {
	if n.Kind != yaml.MappingNode {
		var d duration
		w.word(n, reflect.ValueOf(&d).Elem(), path, tag)
		*s = spread{time.Duration(d), time.Duration(d)}
		return
	}
	var shape spreadShape
	w.mapping(n, reflect.ValueOf(&shape).Elem(), path, tag)
	*s = spread{time.Duration(shape.Median), time.Duration(shape.P95)}
	switch {
	case !w.clean(path):
	case s.P95 < s.Median:
		w.rule(join(path, "p95"), "got %v, want at least the median of %v", s.P95, s.Median)
	case s.Median == 0 && s.P95 > 0:
		w.rule(join(path, "median"), "got 0s with a p95 of %v, want more than 0s", s.P95)
	case s.P95 > 100*s.Median:
		w.rule(join(path, "p95"), "got %v, want at most 100 times the median of %v", s.P95, s.Median)
	}
}

func (spread) want() string { return "a time with a unit, or {median: TIME, p95: TIME}" }

// quantities is one number of seats, or numbers of seats with their shares.
type quantities []Weight

// maxQuantity is the most seats that one intent may ask for.
const maxQuantity = 100

func (q *quantities) read(w *walker, n *yaml.Node, path string, tag reflect.StructTag) {
	if n.Kind != yaml.MappingNode {
		seats, ok := seatsOf(n)
		if !ok {
			w.say(n, path, "got %s, want %s%s", shown(n), q.want(), example(tag))
			return
		}
		*q = quantities{{Quantity: seats, Share: 1}}
		return
	}
	var sum float64
	given := w.keys(n, path, nil, func(string) bool { return true })
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if given[key.Value] != n.Content[i+1] {
			continue
		}
		seats, ok := seatsOf(key)
		if !ok {
			w.say(key, join(path, key.Value), "got %s seats, want a whole number from 1 to %d", shown(key), maxQuantity)
		}
		var part share
		w.value(n.Content[i+1], reflect.ValueOf(&part).Elem(), join(path, key.Value), `min:">0%" example:"50%"`)
		*q = append(*q, Weight{Quantity: seats, Share: float64(part)})
		sum += float64(part)
	}
	slices.SortFunc(*q, func(a, b Weight) int { return a.Quantity - b.Quantity })
	if w.clean(path) && !whole(sum) {
		w.rule(path, "got shares of %s together, want 100%%", percent(sum))
	}
}

func (quantities) want() string { return "a number of seats from 1 to 100, or {SEATS: SHARE, ...}" }

func seatsOf(n *yaml.Node) (int, bool) {
	seats, err := strconv.Atoi(n.Value)
	return seats, err == nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" && seats >= 1 && seats <= maxQuantity
}

func whole(sum float64) bool { return sum > 1-1e-9 && sum < 1+1e-9 }

func percent(f float64) string { return strconv.FormatFloat(f*100, 'g', 6, 64) + "%" }

// settings are server settings by name.
type settings map[string]string

var settingForm = regexp.MustCompile(`^[a-z][a-z0-9_.]*$`)

// settingsKept cannot be set by a scenario: durability is what is rehearsed, and places belong to the backend.
func settingsKept() []string {
	return []string{"fsync", "synchronous_commit", "full_page_writes", "wal_level", "data_directory", "hba_file", "ident_file", "config_file", "listen_addresses", "port",
		"unix_socket_directories", "external_pid_file", "shared_preload_libraries", "archive_command", "archive_library", "restore_command"}
}

func (s *settings) read(w *walker, n *yaml.Node, path string, tag reflect.StructTag) {
	if n.Kind != yaml.MappingNode {
		w.say(n, path, "got %s, want %s%s", shown(n), s.want(), example(tag))
		return
	}
	*s = settings{}
	for key, value := range w.keys(n, path, nil, func(string) bool { return true }) {
		full, name := join(path, key), strings.ToLower(key)
		switch {
		case !settingForm.MatchString(name):
			w.say(value, full, "got setting %q, want the name of a Postgres setting, for example commit_delay", key)
		case slices.Contains(settingsKept(), name):
			w.say(value, full, "got a setting that a scenario may not change (durable settings and the server's own place stay as they are), want another, for example commit_delay: 1000")
		case value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null" || len(value.Value) > 200 || strings.ContainsAny(value.Value, "\n\x00"):
			w.say(value, full, "got %s, want one word or number", shown(value))
		default:
			(*s)[name] = value.Value
		}
	}
}

func (settings) want() string { return "names of Postgres settings with their values" }

// verdictShape is a word, or {fail: CHECK}.
type verdictShape Verdict

func verdictWords() []string { return []string{"pass", "fail", "inconclusive", "invalid"} }

func (v *verdictShape) read(w *walker, n *yaml.Node, path string, tag reflect.StructTag) {
	switch {
	case n.Kind == yaml.ScalarNode && slices.Contains(verdictWords(), n.Value):
		v.Word = n.Value
	case n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "fail":
		v.Word, v.Of = "fail", n.Content[1].Value
		if !slices.Contains(CheckNames(), v.Of) || n.Content[1].Kind != yaml.ScalarNode {
			w.say(n.Content[1], join(path, "fail"), "got %s, want the name of a check, one of %s%s", shown(n.Content[1]), strings.Join(CheckNames(), ", "), didYouMean(v.Of, CheckNames()))
		}
	default:
		w.say(n, path, "got %s, want %s%s%s", shown(n), v.want(), example(tag), didYouMean(n.Value, verdictWords()))
	}
}

func (verdictShape) want() string { return "pass, fail, inconclusive, invalid or {fail: CHECK}" }
