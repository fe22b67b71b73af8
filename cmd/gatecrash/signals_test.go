package main

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func TestFirstSignalStopsAndSecondAborts(t *testing.T) {
	stop, abort, release := onSignals(t.Context())
	defer release()
	signal := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	signal()
	select {
	case <-stop:
	case <-time.After(5 * time.Second):
		t.Fatal("the first signal did not close stop")
	}
	if abort.Err() != nil {
		t.Fatal("the first signal aborted")
	}
	signal()
	select {
	case <-abort.Done():
	case <-time.After(5 * time.Second):
		t.Fatal("the second signal did not abort")
	}
}

func TestMask(t *testing.T) {
	cases := []struct{ name, arg, want string }{
		{"no secret", "--seed=7", "--seed=7"},
		{"a plain URL", "postgres://u:secret@127.0.0.1/db", "postgres://u:xxxxx@127.0.0.1/db"},
		{"behind a flag", "--redis=redis://:secret@127.0.0.1:6379/0", "--redis=redis://:xxxxx@127.0.0.1:6379/0"},
		{"keywords", "--postgres=host=a password=secret", "--postgres=***"},
		{"a path", "runs/x=y.yaml", "runs/x=y.yaml"},
	}
	for _, c := range cases {
		if got := mask(c.arg); got != c.want {
			t.Errorf("%s: mask(%q) = %q, want %q", c.name, c.arg, got, c.want)
		}
	}
}

func TestValidateReportsEveryWrongFlag(t *testing.T) {
	f := runFlags{scale: -1, repeat: 0, retryInvalid: -1, timeout: -time.Second}
	err := f.validate()
	if err == nil {
		t.Fatal("validate() = nil")
	}
	if n := len(err.(interface{ Unwrap() []error }).Unwrap()); n != 4 {
		t.Errorf("validate() reports %d faults, want 4: %v", n, err)
	}
}
