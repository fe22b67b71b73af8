package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/parquet-go/parquet-go"
)

// column says how one column of requests.parquet fills a field of a record.
type column struct {
	name string
	text func(s string) (int64, error) // columns of names; nil: an integer column
	set  func(r *Record, v int64)
}

// columns lists what the records need; "run" is in the metadata.
func (n Names) columns() []column {
	return []column{
		{"sale", func(s string) (int64, error) { return nameIndex(n.Sales, s) }, func(r *Record, v int64) { r.Sale = uint16(v) }},
		{"crowd", func(s string) (int64, error) { return nameIndex(n.Crowds, s) }, func(r *Record, v int64) { r.Crowd = uint16(v) }},
		{"visitor", nil, func(r *Record, v int64) { r.Visitor = uint32(v) }},
		{"account", nil, func(r *Record, v int64) { r.Account = uint32(v) }},
		{"intent", nil, func(r *Record, v int64) { r.Intent = uint64(v) }},
		{"attempt", nil, func(r *Record, v int64) { r.Attempt = uint8(v) }},
		{"op", number(ParseOp), func(r *Record, v int64) { r.Op = Op(v) }},
		{"replica", nil, func(r *Record, v int64) { r.Replica = uint8(v) }},
		{"intended_ns", nil, func(r *Record, v int64) { r.Intended = v }},
		{"sent_ns", nil, func(r *Record, v int64) { r.Sent = v }},
		{"done_ns", nil, func(r *Record, v int64) { r.Done = v }},
		{"outcome", number(ParseOutcome), func(r *Record, v int64) { r.Outcome = Outcome(v) }},
		{"status", nil, func(r *Record, v int64) { r.Status = uint16(v) }},
		{"problem", number(ParseProblem), func(r *Record, v int64) { r.Problem = Problem(v) }},
		{"error_class", number(ParseErrorClass), func(r *Record, v int64) { r.Error = ErrorClass(v) }},
		{"booking", nil, func(r *Record, v int64) { r.Booking = v }},
		{"version", nil, func(r *Record, v int64) { r.Version = v }},
		{"path", number(ParsePath), func(r *Record, v int64) { r.Path = Path(v) }},
		{"quantity", nil, func(r *Record, v int64) { r.Quantity = uint16(v) }},
		{"answered", nil, func(r *Record, v int64) { r.Answered = uint16(v) }},
		{"phase", number(ParsePhase), func(r *Record, v int64) { r.Phase = Phase(v) }},
	}
}

func number[T ~uint8](parse func(string) (T, error)) func(string) (int64, error) {
	return func(s string) (int64, error) {
		v, err := parse(s)
		return int64(v), err
	}
}

// ReadParquet reads requests.parquet by column and gives the records to each, one row group at a time; the slice is used again after each returns.
func ReadParquet(path string, each func([]Record) error) (n Names, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Names{}, fmt.Errorf("open requests: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if n, err = readFile(f, each); err != nil {
		return n, fmt.Errorf("read %q: %w", path, err)
	}
	return n, nil
}

// ReadAllParquet reads the whole file into memory.
func ReadAllParquet(path string) (Names, []Record, error) {
	var all []Record
	n, err := ReadParquet(path, func(rs []Record) error {
		all = append(all, rs...)
		return nil
	})
	return n, all, err
}

func readFile(f *os.File, each func([]Record) error) (Names, error) {
	info, err := f.Stat()
	if err != nil {
		return Names{}, err
	}
	p, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return Names{}, err
	}
	n, err := readNames(p)
	if err != nil {
		return Names{}, err
	}
	columns := n.columns()
	var records []Record
	for _, g := range p.RowGroups() {
		if records, err = readGroup(g, columns, records[:0]); err != nil {
			return n, err
		}
		if err := each(records); err != nil {
			return n, err
		}
	}
	return n, nil
}

func readNames(p *parquet.File) (n Names, err error) {
	n.RunID, _ = p.Lookup(metaRun)
	zero, ok := p.Lookup(metaZero)
	if !ok {
		return n, fmt.Errorf("%w: no %s in its metadata", ErrNotHistory, metaZero)
	}
	if n.Zero, err = time.Parse(time.RFC3339Nano, zero); err != nil {
		return n, err
	}
	sales, _ := p.Lookup(metaSales)
	crowds, _ := p.Lookup(metaCrowds)
	return n, errors.Join(json.Unmarshal([]byte(sales), &n.Sales), json.Unmarshal([]byte(crowds), &n.Crowds))
}

func readGroup(g parquet.RowGroup, columns []column, records []Record) ([]Record, error) {
	rows := int(g.NumRows())
	if cap(records) < rows {
		records = make([]Record, rows)
	}
	records = records[:rows]
	clear(records)
	for _, c := range columns {
		leaf, ok := g.Schema().Lookup(c.name)
		if !ok {
			return nil, fmt.Errorf("%w: no column %q", ErrNotHistory, c.name)
		}
		if err := c.read(g.ColumnChunks()[leaf.ColumnIndex], records); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	return records, nil
}

func (c column) read(chunk parquet.ColumnChunk, records []Record) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	var known knownDict
	for len(records) > 0 {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%d values are missing", len(records))
		}
		if err != nil {
			return err
		}
		n := int(page.NumValues())
		if n > len(records) {
			return fmt.Errorf("%d values too many", n-len(records))
		}
		err = c.fill(page, &known, records[:n])
		parquet.Release(page)
		if err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// fill sets the field in as many records as the page has values.
func (c column) fill(page parquet.Page, known *knownDict, records []Record) error {
	data := page.Data()
	switch dict := page.Dictionary(); {
	case dict != nil:
		table, err := known.table(dict, c)
		if err != nil {
			return err
		}
		for i, at := range data.Int32()[:len(records)] {
			if uint(at) >= uint(len(table)) {
				return fmt.Errorf("index %d is outside a dictionary of %d", at, len(table))
			}
			c.set(&records[i], table[at])
		}
	case page.Type().Kind() == parquet.Int32 && c.text == nil:
		for i, v := range data.Int32()[:len(records)] {
			c.set(&records[i], int64(uint32(v)))
		}
	case page.Type().Kind() == parquet.Int64 && c.text == nil:
		for i, v := range data.Int64()[:len(records)] {
			c.set(&records[i], v)
		}
	default:
		return c.fillValues(page.Values(), records)
	}
	return nil
}

// fillValues is the slow way, for names that a writer stored without a dictionary.
func (c column) fillValues(values parquet.ValueReader, records []Record) error {
	buf := make([]parquet.Value, len(records))
	for at := 0; at < len(buf); {
		n, err := values.ReadValues(buf[at:])
		if n == 0 && err != nil {
			return err
		}
		at += n
	}
	for i := range buf {
		v, err := c.value(buf[i])
		if err != nil {
			return err
		}
		c.set(&records[i], v)
	}
	return nil
}

func (c column) value(v parquet.Value) (int64, error) {
	switch {
	case c.text != nil && v.Kind() == parquet.ByteArray:
		return c.text(string(v.ByteArray()))
	case c.text == nil && v.Kind() == parquet.Int32:
		return int64(v.Uint32()), nil
	case c.text == nil && v.Kind() == parquet.Int64:
		return v.Int64(), nil
	default:
		return 0, fmt.Errorf("%w: unexpected type %s", ErrNotHistory, v.Kind())
	}
}

// knownDict keeps the meaning of the dictionary that the pages of a column share.
type knownDict struct {
	dict   parquet.Dictionary
	values []int64
}

func (k *knownDict) table(d parquet.Dictionary, c column) ([]int64, error) {
	if k.dict == d {
		return k.values, nil
	}
	k.dict, k.values = d, make([]int64, d.Len())
	for i := range k.values {
		v, err := c.value(d.Index(int32(i)))
		if err != nil {
			return nil, err
		}
		k.values[i] = v
	}
	return k.values, nil
}
