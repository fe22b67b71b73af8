package crashpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// Action is how the process ends.
type Action string

// Actions. Exit ends with code 1 and runs no deferred call.
const (
	Kill Action = "kill" // SIGKILL to oneself
	Exit Action = "exit"
)

// Errors of arming, wrapped with the value that was given.
var (
	ErrUnknownPoint = errors.New("unknown crash point")
	ErrBadArming    = errors.New("bad crash point")
)

// Arming says at which hit of which point the process ends, and how.
type Arming struct {
	Point  string `json:"point"`
	Hit    int64  `json:"hit"`    // 1-based, counted from the arming
	Action Action `json:"action"` //
}

// String is the form that Parse reads.
func (a Arming) String() string { return fmt.Sprintf("%s:%d:%s", a.Point, a.Hit, a.Action) }

// Parse reads "point:hit:action", several separated by commas. It does not know the names; Arm does.
func Parse(text string) ([]Arming, error) {
	var all []Arming
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		f := strings.Split(part, ":")
		if len(f) != 3 {
			return nil, fmt.Errorf("%w: %q: want POINT:HIT:ACTION, for example booked-before-answer:50:kill", ErrBadArming, part)
		}
		hit, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: %q: hit: want a whole number", ErrBadArming, part)
		}
		all = append(all, Arming{Point: f[0], Hit: hit, Action: Action(f[2])})
	}
	return all, nil
}

// Set is the crash points of one process. Safe for concurrent use.
type Set struct {
	points []string
	stderr io.Writer
	die    func(Action)

	mu    sync.Mutex
	armed atomic.Pointer[map[string]*state] // nil: nothing armed. The map is never written after it is stored
}

type state struct {
	arming Arming
	hits   atomic.Int64
}

// New makes a set of the points that can be armed. The line printed before the end goes to stderr.
func New(points []string, stderr io.Writer) *Set {
	return &Set{points: points, stderr: stderr, die: die}
}

// Points lists the names that can be armed.
func (s *Set) Points() []string { return slices.Clone(s.points) }

// Arm sets a point; an earlier arming of the same point is replaced and its count forgotten.
func (s *Set) Arm(a Arming) error {
	switch {
	case !slices.Contains(s.points, a.Point):
		return fmt.Errorf("%w %q: known are %s", ErrUnknownPoint, a.Point, strings.Join(s.points, ", "))
	case a.Hit < 1:
		return fmt.Errorf("%w: hit of %q: got %d, want 1 or more", ErrBadArming, a.Point, a.Hit)
	case a.Action != Kill && a.Action != Exit:
		return fmt.Errorf("%w: action of %q: got %q, want kill or exit", ErrBadArming, a.Point, a.Action)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[string]*state{}
	if old := s.armed.Load(); old != nil {
		maps.Copy(next, *old)
	}
	next[a.Point] = &state{arming: a}
	s.armed.Store(&next)
	return nil
}

// Disarm forgets every arming.
func (s *Set) Disarm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed.Store(nil)
}

// Armed lists what is armed, by name.
func (s *Set) Armed() []Arming {
	all := []Arming{}
	if armed := s.armed.Load(); armed != nil {
		for _, point := range slices.Sorted(maps.Keys(*armed)) {
			all = append(all, (*armed)[point].arming)
		}
	}
	return all
}

// Hit passes a point. It does not return if the point is armed and this is its hit. The context is not used; it is there so that
// Hit can be a booking.Service's Crash.
func (s *Set) Hit(_ context.Context, point string) {
	armed := s.armed.Load()
	if armed == nil {
		return
	}
	st := (*armed)[point]
	if st == nil {
		return
	}
	if n := st.hits.Add(1); n == st.arming.Hit {
		fmt.Fprintf(s.stderr, "crashpoint %s hit %d: %s\n", point, n, st.arming.Action)
		s.die(st.arming.Action)
	}
}

// die ends the process. The signal may take a moment to arrive, and nothing after the point may run meanwhile on this goroutine.
func die(a Action) {
	if a == Exit {
		os.Exit(1)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic("crashpoint: kill self: " + err.Error())
	}
	select {}
}
