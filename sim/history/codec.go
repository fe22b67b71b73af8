package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
)

// Sizes of the file in bytes.
const (
	HeaderSize = 128
	RecordSize = 80
)

// FormatVersion is the version of requests.rec that Writer writes.
const FormatVersion = 1

const (
	magic       = "GCRASHRQ"
	maxRunID    = 64
	recordSum   = RecordSize - 4
	headerSum   = HeaderSize - 4
	offsetRunID = 25
)

// Errors of reading requests.rec.
var (
	// ErrNotHistory means that the file does not start with a header of this format.
	ErrNotHistory = errors.New("not a file of request records")
	// ErrCorrupt means that a record in the middle of the file is damaged: good records follow it, so it is no torn tail.
	ErrCorrupt = errors.New("damaged record")
)

// Header stands at the start of requests.rec.
type Header struct {
	RunID string    // at most 64 bytes
	Zero  time.Time // wall clock at the run's zero
}

// AppendHeader appends the encoded header to b.
func AppendHeader(b []byte, h Header) ([]byte, error) {
	if len(h.RunID) > maxRunID {
		return b, fmt.Errorf("encode header: run id %q is longer than %d bytes", h.RunID, maxRunID)
	}
	at := len(b)
	b = append(b, make([]byte, HeaderSize)...)
	p := b[at:]
	copy(p, magic)
	binary.LittleEndian.PutUint32(p[8:], FormatVersion)
	binary.LittleEndian.PutUint32(p[12:], RecordSize)
	binary.LittleEndian.PutUint64(p[16:], uint64(h.Zero.UnixNano()))
	p[24] = byte(len(h.RunID))
	copy(p[offsetRunID:], h.RunID)
	binary.LittleEndian.PutUint32(p[headerSum:], checksum(p[:headerSum]))
	return b, nil
}

// decodeHeader reads a header from p, which has at least HeaderSize bytes.
func decodeHeader(p []byte) (Header, error) {
	if string(p[:8]) != magic {
		return Header{}, ErrNotHistory
	}
	if binary.LittleEndian.Uint32(p[headerSum:]) != checksum(p[:headerSum]) {
		return Header{}, fmt.Errorf("%w: header checksum", ErrNotHistory)
	}
	if v, n := binary.LittleEndian.Uint32(p[8:]), binary.LittleEndian.Uint32(p[12:]); v != FormatVersion || n != RecordSize {
		return Header{}, fmt.Errorf("%w: version %d with records of %d bytes, want %d with %d", ErrNotHistory, v, n, FormatVersion, RecordSize)
	}
	n := int(p[24])
	if n > maxRunID {
		return Header{}, fmt.Errorf("%w: run id of %d bytes", ErrNotHistory, n)
	}
	zero := time.Unix(0, int64(binary.LittleEndian.Uint64(p[16:]))).UTC()
	return Header{RunID: string(p[offsetRunID : offsetRunID+n]), Zero: zero}, nil
}

// encode writes r into p, which has RecordSize bytes.
func encode(p []byte, r *Record) {
	_ = p[RecordSize-1]
	le := binary.LittleEndian
	le.PutUint64(p[0:], uint64(r.Intended))
	le.PutUint64(p[8:], uint64(r.Sent))
	le.PutUint64(p[16:], uint64(r.Done))
	le.PutUint64(p[24:], uint64(r.Booking))
	le.PutUint64(p[32:], uint64(r.Version))
	le.PutUint64(p[40:], r.Intent)
	le.PutUint32(p[48:], r.Visitor)
	le.PutUint32(p[52:], r.Account)
	le.PutUint16(p[56:], r.Sale)
	le.PutUint16(p[58:], r.Crowd)
	le.PutUint16(p[60:], r.Status)
	le.PutUint16(p[62:], r.Quantity)
	le.PutUint16(p[64:], r.Answered)
	p[66], p[67], p[68], p[69] = r.Attempt, byte(r.Op), r.Replica, byte(r.Outcome)
	p[70], p[71], p[72], p[73] = byte(r.Problem), byte(r.Error), byte(r.Path), byte(r.Phase)
	p[74], p[75] = 0, 0
	le.PutUint32(p[recordSum:], checksum(p[:recordSum]))
}

// decode reads a record from p, which has RecordSize bytes; false: the checksum does not hold.
func decode(p []byte, r *Record) bool {
	_ = p[RecordSize-1]
	le := binary.LittleEndian
	if le.Uint32(p[recordSum:]) != checksum(p[:recordSum]) {
		return false
	}
	r.Intended, r.Sent, r.Done = int64(le.Uint64(p[0:])), int64(le.Uint64(p[8:])), int64(le.Uint64(p[16:]))
	r.Booking, r.Version, r.Intent = int64(le.Uint64(p[24:])), int64(le.Uint64(p[32:])), le.Uint64(p[40:])
	r.Visitor, r.Account = le.Uint32(p[48:]), le.Uint32(p[52:])
	r.Sale, r.Crowd, r.Status = le.Uint16(p[56:]), le.Uint16(p[58:]), le.Uint16(p[60:])
	r.Quantity, r.Answered = le.Uint16(p[62:]), le.Uint16(p[64:])
	r.Attempt, r.Op, r.Replica, r.Outcome = p[66], Op(p[67]), p[68], Outcome(p[69])
	r.Problem, r.Error, r.Path, r.Phase = Problem(p[70]), ErrorClass(p[71]), Path(p[72]), Phase(p[73])
	return true
}

// checksum is CRC-32C; of zeros it is not 0, so an empty page is no valid record.
func checksum(p []byte) uint32 {
	return crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)) // made once by the library
}
