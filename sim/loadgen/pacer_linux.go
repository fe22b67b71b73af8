package loadgen

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// threadPacer waits in poll(2) on a timerfd with an absolute deadline; an eventfd wakes it.
type threadPacer struct {
	timer, event int
	base         time.Time     // the same instant as mono
	mono         time.Duration // by CLOCK_MONOTONIC

	mu    sync.Mutex // of ended, so that Wake never writes to a descriptor that is no longer ours
	ended bool
}

// NewPacer gives the best Pacer of this platform.
func NewPacer() Pacer {
	p, err := newThreadPacer()
	if err != nil { // a sandbox without these calls: less precise, and the lateness shows it
		return NewTimerPacer()
	}
	return p
}

func newThreadPacer() (*threadPacer, error) {
	timer, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, errors.Join(err, unix.Close(timer))
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return nil, errors.Join(err, unix.Close(timer), unix.Close(event))
	}
	return &threadPacer{timer: timer, event: event, base: time.Now(), mono: time.Duration(ts.Nano())}, nil
}

// Begin implements Pacer.
func (p *threadPacer) Begin() { runtime.LockOSThread() }

// Wait implements Pacer.
func (p *threadPacer) Wait(until time.Time) {
	at := p.mono + until.Sub(p.base)
	if time.Until(until) <= 0 || at <= 0 {
		return
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(at))}
	if err := unix.TimerfdSettime(p.timer, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		panic("loadgen: the pacer waits between Begin and End only: " + err.Error())
	}
	fds := [2]unix.PollFd{{Fd: int32(p.timer), Events: unix.POLLIN}, {Fd: int32(p.event), Events: unix.POLLIN}}
	for _, err := unix.Poll(fds[:], -1); errors.Is(err, unix.EINTR); {
		_, err = unix.Poll(fds[:], -1)
	}
	var buf [8]byte
	_, _ = unix.Read(p.event, buf[:]) // EAGAIN when it was the timer, which the next TimerfdSettime clears
}

// Wake implements Pacer.
func (p *threadPacer) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	_, _ = unix.Write(p.event, one[:]) // EAGAIN only when it is woken already
}

// End implements Pacer.
func (p *threadPacer) End() {
	runtime.UnlockOSThread()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	_ = unix.Close(p.timer) // nothing was written to either
	_ = unix.Close(p.event)
}
