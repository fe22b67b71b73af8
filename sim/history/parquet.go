package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Names gives meaning to the numbers of the records. It is kept in the Parquet file's metadata.
type Names struct {
	Header
	Sales  []string // by Record.Sale
	Crowds []string // by Record.Crowd
}

// Keys of the Parquet file's metadata.
const (
	metaRun    = "gatecrash.run"
	metaZero   = "gatecrash.zero"
	metaSales  = "gatecrash.sales"
	metaCrowds = "gatecrash.crowds"
)

const (
	rowsPerGroup = 100_000
	rowsPerWrite = 1_000
)

// row is one request in requests.parquet. account is the index in the plan; times count from the run's zero.
type row struct {
	Run        string `parquet:"run,dict"`
	Sale       string `parquet:"sale,dict"`
	Crowd      string `parquet:"crowd,dict"`
	Visitor    uint32 `parquet:"visitor,delta"`
	Account    uint32 `parquet:"account,delta"`
	Intent     uint64 `parquet:"intent,delta"`
	Attempt    uint32 `parquet:"attempt,dict"`
	Op         string `parquet:"op,dict"`
	Replica    uint32 `parquet:"replica,dict"`
	IntendedNS int64  `parquet:"intended_ns,delta"`
	SentNS     int64  `parquet:"sent_ns,delta"`
	DoneNS     int64  `parquet:"done_ns,delta"`
	Outcome    string `parquet:"outcome,dict"`
	Status     uint32 `parquet:"status,dict"`
	Problem    string `parquet:"problem,dict"`
	ErrorClass string `parquet:"error_class,dict"`
	Booking    int64  `parquet:"booking,delta"`
	Version    int64  `parquet:"version,delta"`
	Path       string `parquet:"path,dict"`
	Quantity   uint32 `parquet:"quantity,dict"`
	Answered   uint32 `parquet:"answered,dict"`
	Phase      string `parquet:"phase,dict"`
}

// WriteParquet writes the records to a Parquet file at path, whole or not at all: it replaces path only when everything is written.
func WriteParquet(path string, n Names, records iter.Seq2[*Record, error]) error {
	tmp := path + ".tmp"
	f, err := os.Create(tmp)
	if err != nil {
		return fmt.Errorf("create requests: %w", err)
	}
	err = errors.Join(writeRows(f, n, records), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", path, err), os.Remove(tmp))
	}
	return nil
}

// Convert writes the records of requests.rec at from to a Parquet file at to, and says how many bytes of a torn tail were cut.
// phase fills in the phase of each record; nil leaves it as it is.
func Convert(from, to string, sales, crowds []string, phase func(*Record) Phase) (tailLost int64, err error) {
	r, err := Open(from)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	records := r.Records()
	if phase != nil {
		records = phased(records, phase)
	}
	err = WriteParquet(to, Names{Header: r.Header(), Sales: sales, Crowds: crowds}, records)
	return r.TailLost(), err
}

func phased(records iter.Seq2[*Record, error], phase func(*Record) Phase) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for r, err := range records {
			if err == nil {
				r.Phase = phase(r)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func writeRows(f *os.File, n Names, records iter.Seq2[*Record, error]) error {
	options, err := n.options()
	if err != nil {
		return err
	}
	w := parquet.NewGenericWriter[row](f, options...)
	batch := make([]row, 0, rowsPerWrite)
	for rec, err := range records {
		if err != nil {
			return err
		}
		batch = append(batch, n.row(rec))
		if len(batch) == rowsPerWrite {
			if _, err := w.Write(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if _, err := w.Write(batch); err != nil {
		return err
	}
	return w.Close()
}

func (n Names) options() ([]parquet.WriterOption, error) {
	sales, err := json.Marshal(n.Sales)
	if err != nil {
		return nil, err
	}
	crowds, err := json.Marshal(n.Crowds)
	if err != nil {
		return nil, err
	}
	return []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.MaxRowsPerRowGroup(rowsPerGroup),
		parquet.KeyValueMetadata(metaRun, n.RunID),
		parquet.KeyValueMetadata(metaZero, n.Zero.UTC().Format(time.RFC3339Nano)),
		parquet.KeyValueMetadata(metaSales, string(sales)),
		parquet.KeyValueMetadata(metaCrowds, string(crowds)),
	}, nil
}

func (n Names) row(r *Record) row {
	return row{
		Run: n.RunID, Sale: indexName(n.Sales, r.Sale), Crowd: indexName(n.Crowds, r.Crowd),
		Visitor: r.Visitor, Account: r.Account, Intent: r.Intent, Attempt: uint32(r.Attempt), Op: r.Op.String(), Replica: uint32(r.Replica),
		IntendedNS: r.Intended, SentNS: r.Sent, DoneNS: r.Done,
		Outcome: r.Outcome.String(), Status: uint32(r.Status), Problem: r.Problem.String(), ErrorClass: r.Error.String(),
		Booking: r.Booking, Version: r.Version, Path: r.Path.String(), Quantity: uint32(r.Quantity), Answered: uint32(r.Answered),
		Phase: r.Phase.String(),
	}
}

// indexName names an index; "#7" where the list has no name for it.
func indexName(names []string, i uint16) string {
	if int(i) < len(names) {
		return names[i]
	}
	return "#" + strconv.Itoa(int(i))
}

func nameIndex(names []string, s string) (int64, error) {
	for i, n := range names {
		if n == s {
			return int64(i), nil
		}
	}
	if num, ok := strings.CutPrefix(s, "#"); ok {
		i, err := strconv.ParseUint(num, 10, 16)
		return int64(i), err
	}
	return 0, fmt.Errorf("unknown name %q", s)
}
