package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// Reader streams requests.rec. Not safe for concurrent use.
type Reader struct {
	header Header
	in     *bufio.Reader
	closer io.Closer
	offset int64 // of the next record in the file
	lost   int64
	ended  bool
}

// Open opens the file at path and reads its header.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open history: %w", err)
	}
	r, err := NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open history %q: %w", path, err), f.Close())
	}
	r.closer = f
	return r, nil
}

// NewReader reads the header from in and gives a Reader of what follows. Memory is bounded whatever in holds.
func NewReader(in io.Reader) (*Reader, error) {
	b := bufio.NewReaderSize(in, 1<<16)
	var head [HeaderSize]byte
	if _, err := io.ReadFull(b, head[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("%w: shorter than its header", ErrNotHistory)
		}
		return nil, fmt.Errorf("read history header: %w", err)
	}
	h, err := decodeHeader(head[:])
	if err != nil {
		return nil, err
	}
	return &Reader{header: h, in: b, offset: HeaderSize}, nil
}

// Header of the file.
func (r *Reader) Header() Header { return r.header }

// TailLost is how many bytes of a torn tail were cut; final once Next has returned io.EOF.
func (r *Reader) TailLost() int64 { return r.lost }

// Next reads one record into rec. io.EOF: no more. ErrCorrupt: a damaged record with good ones after it.
func (r *Reader) Next(rec *Record) error {
	if r.ended {
		return io.EOF
	}
	p, err := r.in.Peek(RecordSize)
	if err != nil {
		return r.tail(int64(len(p)), err)
	}
	if !decode(p, rec) {
		return r.damaged()
	}
	r.skip()
	return nil
}

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

func (r *Reader) skip() {
	n, _ := r.in.Discard(RecordSize) // Peek has them buffered, so it cannot fail
	r.offset += int64(n)
}

// tail ends the stream at a record of n bytes only.
func (r *Reader) tail(n int64, err error) error {
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("read history at %d: %w", r.offset, err)
	}
	r.ended, r.lost = true, n
	return io.EOF
}

// damaged looks for a good record after a bad one: with none to the end of the file it is a torn tail.
func (r *Reader) damaged() error {
	first := r.offset
	var ignored Record
	for {
		p, err := r.in.Peek(RecordSize)
		if err != nil {
			return r.tail(r.offset-first+int64(len(p)), err)
		}
		if decode(p, &ignored) {
			r.ended = true
			return fmt.Errorf("%w: at byte %d", ErrCorrupt, first)
		}
		r.skip()
	}
}

// Records iterates over what Next gives, until the end or the first error.
func (r *Reader) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		var rec Record
		for {
			switch err := r.Next(&rec); {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			case !yield(&rec, nil):
				return
			}
		}
	}
}

// Slice iterates over records in memory.
func Slice(records []Record) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for i := range records {
			if !yield(&records[i], nil) {
				return
			}
		}
	}
}

// ReadAll reads the whole file at path. On ErrCorrupt it returns the records before the damage too.
func ReadAll(path string) (h Header, records []Record, tailLost int64, err error) {
	r, err := Open(path)
	if err != nil {
		return Header{}, nil, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	records, err = r.all(fileRecords(path))
	return r.header, records, r.lost, err
}

func (r *Reader) all(sizeHint int64) ([]Record, error) {
	records := make([]Record, 0, sizeHint)
	for rec, err := range r.Records() {
		if err != nil {
			return records, err
		}
		records = append(records, *rec)
	}
	return records, nil
}

// fileRecords is how many records a file of this size holds; only a hint.
func fileRecords(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || info.Size() < HeaderSize {
		return 0
	}
	return (info.Size() - HeaderSize) / RecordSize
}
