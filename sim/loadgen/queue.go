package loadgen

import (
	"container/heap"

	"gatecrash/sim/crowd"
)

// guest is a visitor who has come and not left.
type guest struct {
	v       crowd.Visitor
	visit   Visit
	step    crowd.Step // the next, or the one under way
	session string
	bad     bool // logs in with a wrong proof
}

// agenda holds guests by the instant of their next step; ties by their place in the plan.
type agenda []*guest

// Len implements heap.Interface.
func (a agenda) Len() int { return len(a) }

// Less implements heap.Interface.
func (a agenda) Less(i, j int) bool {
	if a[i].step.At != a[j].step.At {
		return a[i].step.At < a[j].step.At
	}
	return a[i].v.Index < a[j].v.Index
}

// Swap implements heap.Interface.
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *agenda) Push(x any) { *a = append(*a, x.(*guest)) }

// Pop implements heap.Interface.
func (a *agenda) Pop() any {
	old := *a
	n := len(old) - 1
	g := old[n]
	old[n] = nil
	*a = old[:n]
	return g
}

func (a *agenda) add(g *guest) { heap.Push(a, g) }

func (a *agenda) next() *guest { return heap.Pop(a).(*guest) }

// line is a first-in first-out queue of guests that wait for room.
type line struct {
	guests []*guest
	head   int
}

func (l *line) len() int { return len(l.guests) - l.head }

func (l *line) add(g *guest) { l.guests = append(l.guests, g) }

func (l *line) next() *guest {
	g := l.guests[l.head]
	l.guests[l.head] = nil
	l.head++
	if l.head == len(l.guests) {
		l.guests, l.head = l.guests[:0], 0
	} else if l.head > 1024 && l.head > len(l.guests)/2 {
		n := copy(l.guests, l.guests[l.head:])
		clear(l.guests[n:])
		l.guests, l.head = l.guests[:n], 0
	}
	return g
}
