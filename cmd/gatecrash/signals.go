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
