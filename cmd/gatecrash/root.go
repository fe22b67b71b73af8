package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Exit codes of every command.
const (
	exitPass         = 0   // pass, or the scenario's expect_verdict was met
	exitFail         = 1   // a broken invariant or a failed objective; for compare: a regression
	exitUsage        = 2   // usage, scenario file, missing binary, unwritable output: nothing was run
	exitInconclusive = 3   // no data, or a fault that never bit
	exitInvalid      = 4   // the planned load was not offered, or the environment broke
	exitInternal     = 70  // an error inside Gatecrash, a panic too
	exitInterrupted  = 130 // SIGINT or SIGTERM ended the command early
)

// exitError ends a command with a code. A nil err prints nothing: the command has said all there is to say.
type exitError struct {
	code int
	err  error
}

// Error implements error.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap gives the cause.
func (e *exitError) Unwrap() error { return e.err }

// exitWith ends a command with a code and, unless err is nil, a message.
func exitWith(code int, err error) error { return &exitError{code: code, err: err} }

// commands lists every command, in the order of help. A command writes to cmd.OutOrStdout and cmd.ErrOrStderr, waits on
// cmd.Context, handles signals itself where it must, and ends with exitWith; any other error ends with exitInternal.
func commands() []*cobra.Command {
	return []*cobra.Command{
		newRunCommand(),
		newCheckCommand(),
		newReportCommand(),
		newPlanCommand(),
		newValidateCommand(),
		newScenariosCommand(),
		newServeCommand(),
		newDoctorCommand(),
		newCleanCommand(),
	}
}

// run is the whole program: it runs one command and returns the exit code. Tests start the same function.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	return execute(ctx, newRoot(commands()), args, stdout, stderr)
}

func execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "gatecrash: internal error: panic: %v\n%s", p, debug.Stack())
			code = exitInternal
		}
	}()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return exitCode(root.ExecuteContext(ctx), stderr)
}

// exitCode prints the error, if it has something to say, and maps it. What cobra itself reports is wrong usage.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return exitPass
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{code: exitUsage, err: err}
	}
	if exit.err != nil {
		fmt.Fprintf(stderr, "gatecrash: %v\n", exit.err)
	}
	return exit.code
}

func newRoot(children []*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:               "gatecrash",
		Short:             "Rehearse a ticket sale before the real one",
		Version:           version(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprint(cmd.ErrOrStderr(), cmd.UsageString())
			return exitWith(exitUsage, errors.New("a command is needed"))
		},
	}
	for _, child := range children {
		classify(child)
		root.AddCommand(child)
	}
	return root
}

// classify makes an unclassified error of a command's own code an internal one, so that it is not mistaken for wrong usage.
func classify(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		classify(child)
	}
	inner := cmd.RunE
	if inner == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := inner(cmd, args)
		var exit *exitError
		if err == nil || errors.As(err, &exit) {
			return err
		}
		return exitWith(exitInternal, err)
	}
}

// version is what the Go toolchain recorded in the binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit := ""
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = " " + s.Value
		}
	}
	return info.Main.Version + commit
}
