package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// onSignals listens for SIGINT and SIGTERM. The first closes stop: end in good order. The second cancels abort: tear down at once.
// release ends the listening; it must be called.
func onSignals(parent context.Context) (stop <-chan struct{}, abort context.Context, release func()) {
	abort, cancel := context.WithCancel(parent)
	first := make(chan struct{})
	got := make(chan os.Signal, 2)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-got:
			close(first)
		case <-abort.Done():
			return
		}
		select {
		case <-got:
			cancel()
		case <-abort.Done():
		}
	}()
	return first, abort, func() {
		signal.Stop(got)
		cancel()
		<-done
	}
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// order says which of several exit codes counts: earlier is worse. Code 1 stands twice in the contract, for a broken invariant and for a failed objective;
// both end a build, so one place is enough here.
var order = []int{exitInternal, exitFail, exitInterrupted, exitInvalid, exitInconclusive, exitPass}

// worse gives the code that counts of two runs.
func worse(a, b int) int {
	for _, code := range order {
		if a == code || b == code {
			return code
		}
	}
	return max(a, b)
}
