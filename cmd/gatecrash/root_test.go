package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestExitCodes(t *testing.T) {
	child := func(name string, do func() error) *cobra.Command {
		c := &cobra.Command{Use: name, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return do() }}
		c.Flags().Int("n", 0, "")
		return c
	}
	tests := []struct {
		name   string
		args   []string
		do     func() error
		code   int
		stderr string // must be part of what is printed
	}{
		{"pass", []string{"it"}, func() error { return nil }, 0, ""},
		{"failed silently", []string{"it"}, func() error { return exitWith(exitFail, nil) }, 1, ""},
		{"usage", []string{"it"}, func() error { return exitWith(exitUsage, errors.New("no such file")) }, 2, "no such file"},
		{"inconclusive", []string{"it"}, func() error { return exitWith(exitInconclusive, errors.New("no data")) }, 3, "no data"},
		{"invalid", []string{"it"}, func() error { return exitWith(exitInvalid, errors.New("broke")) }, 4, "broke"},
		{"interrupted", []string{"it"}, func() error { return exitWith(exitInterrupted, nil) }, 130, ""},
		{"plain error", []string{"it"}, func() error { return errors.New("odd") }, 70, "odd"},
		{"panic", []string{"it"}, func() error { panic("promise broken") }, 70, "promise broken"},
		{"unknown command", []string{"itt"}, nil, 2, "unknown command"},
		{"unknown flag", []string{"it", "--wat"}, nil, 2, "unknown flag"},
		{"bad flag value", []string{"it", "--n", "x"}, nil, 2, "invalid argument"},
		{"too many arguments", []string{"it", "more"}, nil, 2, "more"},
		{"no command", nil, nil, 2, "a command is needed"},
		{"help", []string{"--help"}, nil, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			got := execute(context.Background(), newRoot([]*cobra.Command{child("it", tt.do)}), tt.args, &out, &errs)
			if got != tt.code || !strings.Contains(errs.String(), tt.stderr) {
				t.Errorf("run(%q) = %d, stderr %q; want %d, stderr with %q", tt.args, got, errs.String(), tt.code, tt.stderr)
			}
			if tt.stderr == "" && errs.Len() != 0 {
				t.Errorf("run(%q) printed %q to stderr; want nothing", tt.args, errs.String())
			}
		})
	}
}

func TestShippedCommandsHaveHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"--help"}, &out, &errs); code != 0 || !strings.Contains(out.String(), "gatecrash") {
		t.Errorf("run(--help) = %d, %q; want 0 and the usage", code, out.String())
	}
}
