package history

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// FlushEvery is the longest that a record stays in memory while the disk keeps up.
const FlushEvery = 150 * time.Millisecond

const (
	slabRecords = 512
	slabBytes   = slabRecords * RecordSize
	// queueSlabs bounds what waits for a slow disk, about 80 MB; beyond it Append waits, and the wait shows as lateness of the generator.
	queueSlabs = 2048
)

// ErrClosed is the Writer's error when a record came after Close.
var ErrClosed = errors.New("history is closed")

// file is what a Writer needs of *os.File.
type file interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
}

// Writer appends records to requests.rec. Append is safe for concurrent use; one goroutine of the Writer does all I/O.
type Writer struct {
	path   string
	file   file
	shards []shard
	queue  chan []byte
	free   chan []byte
	stop   chan struct{}
	done   chan struct{}

	written atomic.Int64
	lost    atomic.Int64
	err     atomic.Pointer[error]
	closing sync.Once
	closed  error
}

// shard is a slab of one group of callers, padded so that two of them do not share a cache line.
type shard struct {
	mu     sync.Mutex
	slab   []byte
	closed bool
	_      [64]byte
}

// Create makes the file at path, which must not exist, and starts a Writer with that many shards (at least 1).
func Create(path string, h Header, shards int) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create history: %w", err)
	}
	w, err := newWriter(f, h, shards)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	w.path = path
	return w, nil
}

// Path of the file.
func (w *Writer) Path() string { return w.path }

func newWriter(f file, h Header, shards int) (*Writer, error) {
	head, err := AppendHeader(nil, h)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(head); err != nil {
		return nil, fmt.Errorf("write history header: %w", err)
	}
	w := &Writer{
		file: f, shards: make([]shard, max(1, shards)),
		queue: make(chan []byte, queueSlabs), free: make(chan []byte, queueSlabs),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	go w.run()
	return w, nil
}

// Append adds a record to the slab of a shard; any number is taken modulo the shards. It does no I/O. After a write error it counts the record as lost.
func (w *Writer) Append(n int, r *Record) {
	s := &w.shards[uint(n)%uint(len(w.shards))]
	full, err := s.append(w, r)
	if err != nil {
		w.lost.Add(1)
		w.fail(err)
	}
	if full != nil {
		w.enqueue(full)
	}
}

// append returns the slab when it is full. The caller queues it without the lock, which the Writer's goroutine needs to go on.
func (s *shard) append(w *Writer, r *Record) (full []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if s.slab == nil {
		s.slab = w.slab()
	}
	at := len(s.slab)
	s.slab = s.slab[:at+RecordSize]
	encode(s.slab[at:], r)
	if len(s.slab) == slabBytes {
		full, s.slab = s.slab, nil
	}
	return full, nil
}

func (w *Writer) enqueue(b []byte) {
	select {
	case w.queue <- b:
	case <-w.done:
		w.lost.Add(int64(len(b) / RecordSize))
		w.fail(ErrClosed)
	}
}

// Err is the first error of writing; nil: none so far. It is sticky: the run's history is incomplete from then on.
func (w *Writer) Err() error {
	if p := w.err.Load(); p != nil {
		return *p
	}
	return nil
}

// Written counts the records that reached the file.
func (w *Writer) Written() int64 { return w.written.Load() }

// Lost counts the records that did not reach the file because of Err.
func (w *Writer) Lost() int64 { return w.lost.Load() }

// Close writes what is left, syncs and closes the file; every Append must have returned. It returns the first error of the Writer's life. Calls after the first return the same.
func (w *Writer) Close() error {
	w.closing.Do(func() {
		w.flush()
		close(w.stop)
		<-w.done
		w.closed = w.Err()
	})
	return w.closed
}

func (w *Writer) slab() []byte {
	select {
	case b := <-w.free:
		return b[:0]
	default:
		return make([]byte, 0, slabBytes)
	}
}

// run owns the file until stop; the queue is drained before it ends.
func (w *Writer) run() {
	defer close(w.done)
	tick := time.NewTicker(FlushEvery)
	defer tick.Stop()
	for {
		select {
		case b := <-w.queue:
			w.write(b)
		case <-tick.C:
			w.sweep()
		case <-w.stop:
			w.finish()
			return
		}
	}
}

// sweep writes what the shards hold, from the Writer's own goroutine.
func (w *Writer) sweep() {
	for i := range w.shards {
		if b := w.shards[i].take(false); b != nil {
			w.write(b)
		}
	}
}

// flush closes the shards and queues what they hold, from outside the Writer's goroutine.
func (w *Writer) flush() {
	for i := range w.shards {
		if b := w.shards[i].take(true); b != nil {
			w.enqueue(b)
		}
	}
}

func (s *shard) take(closing bool) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.slab
	s.slab, s.closed = nil, s.closed || closing
	return b
}

func (w *Writer) finish() {
	for {
		select {
		case b := <-w.queue:
			w.write(b)
			continue
		default:
		}
		break
	}
	w.fail(wrap("sync history", w.file.Sync()))
	w.fail(wrap("close history", w.file.Close()))
}

// write appends one slab. After the first error nothing is written any more: a hole in the middle would look like corruption.
func (w *Writer) write(b []byte) {
	n := int64(len(b) / RecordSize)
	if w.Err() != nil {
		w.lost.Add(n)
		return
	}
	done, err := w.file.Write(b)
	whole := int64(done / RecordSize)
	w.written.Add(whole)
	if err != nil {
		w.lost.Add(n - whole)
		w.fail(fmt.Errorf("write history: %w", err))
		return
	}
	select {
	case w.free <- b:
	default:
	}
}

func (w *Writer) fail(err error) {
	if err != nil {
		w.err.CompareAndSwap(nil, &err)
	}
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
