package result

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// FileSum is size and SHA-256 of a file of the run directory.
type FileSum struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// sealed lists the files that a verdict rests on.
func sealed() []string {
	return []string{FileScenario, FileRequests, FileLedger, FileBookings, FileTruth, FileFaults, FileDrift}
}

// Odd is a file that is not the run's, and why.
type Odd struct{ File, Why string }

// Unsealed compares the directory with the sums in run.json and gives the files that are not those of the run.
func Unsealed(d Dir, r *Run) ([]Odd, error) {
	now, err := d.sums()
	if err != nil {
		return nil, err
	}
	var odd []Odd
	for _, name := range sealed() {
		was, wanted := r.Files[name]
		is, there := now[name]
		switch {
		case wanted && !there:
			odd = append(odd, Odd{name, "it is missing"})
		case wanted && is.Bytes != was.Bytes:
			odd = append(odd, Odd{name, fmt.Sprintf("it has %d bytes, run.json says %d", is.Bytes, was.Bytes)})
		case wanted && is != was:
			odd = append(odd, Odd{name, "it is not the file that run.json was written with"})
		case there && !wanted:
			odd = append(odd, Odd{name, "it is not among the files that run.json names"})
		}
	}
	return odd, nil
}

// sums of the files that are there.
func (d Dir) sums() (map[string]FileSum, error) {
	all := map[string]FileSum{}
	for _, name := range sealed() {
		sum, err := sumFile(d.Join(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sum up %s: %w", name, err)
		}
		all[name] = sum
	}
	return all, nil
}

func sumFile(path string) (FileSum, error) {
	f, err := os.Open(path)
	if err != nil {
		return FileSum{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return FileSum{Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}
