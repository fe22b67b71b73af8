package chart

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"gatecrash/sim/result"
)

// table is a CSV file read by the names of its columns, so that later columns do no harm.
type table struct {
	column map[string]int
	rows   [][]string
}

// cell is one figure; an empty field is not known.
type cell struct {
	value float64
	known bool
}

func (t table) text(row int, name string) string { return t.rows[row][t.column[name]] }

func (t table) number(row int, name string) cell {
	v, err := strconv.ParseFloat(t.text(row, name), 64)
	return cell{value: v, known: err == nil}
}

// readTable reads as many whole rows as there are: the last row of a killed run may be torn.
func (d *Data) readTable(dir result.Dir, name string, want []string) table {
	f, err := os.Open(dir.Join(name))
	if !d.read(dir, name, err) {
		return table{}
	}
	defer f.Close()
	t, err := parseTable(bufio.NewReader(f), want)
	if err != nil {
		d.Missing = append(d.Missing, Missing{File: name, Why: err.Error()})
	}
	return t
}

func parseTable(r io.Reader, want []string) (table, error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return table{}, errors.New("is empty")
	}
	if err != nil {
		return table{}, fmt.Errorf("has no readable header: %w", err)
	}
	t := table{column: make(map[string]int, len(header))}
	for i, name := range header {
		t.column[name] = i
	}
	for _, name := range want {
		if _, ok := t.column[name]; !ok {
			return table{}, fmt.Errorf("has no column %q", name)
		}
	}
	t.rows, err = readRows(in)
	return t, err
}

func readRows(in *csv.Reader) ([][]string, error) {
	var rows [][]string
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, fmt.Errorf("is torn: %w", err)
		}
		rows = append(rows, row)
	}
}
