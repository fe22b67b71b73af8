package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"gatecrash/sim/journal"
)

// Spec of a process.
type Spec struct {
	Path string
	Args []string
	Dir  string   // working folder, must be enterable by the user
	Env  []string // nil: the environment of this process

	Credential *syscall.Credential // nil: the user of this process
	Log        *os.File            // standard output and error; a file, since a pipe would be held open by orphans
	Isolate    bool                // own pid and IPC namespaces, where allowed
	Outlive    bool                // goes on when this process dies
}

// Process is a started program.
type Process struct {
	cmd      *exec.Cmd
	id       journal.Process
	isolated bool
	exited   chan struct{}
	err      error // set before exited is closed
}

// Start starts the program. Without the right to make namespaces it is started without them.
func Start(spec Spec) (*Process, error) {
	p, err := launch(spec)
	if spec.Isolate && refused(err) {
		spec.Isolate = false
		p, err = launch(spec)
	}
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", spec.Path, err)
	}
	return p, nil
}

func launch(spec Spec) (*Process, error) {
	p := &Process{cmd: command(spec), isolated: spec.Isolate, exited: make(chan struct{})}
	started := make(chan error)
	go p.own(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// own forks the child, reports how that went, and stays on the forking thread until the child has ended.
func (p *Process) own(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		p.id, err = journal.Identify(p.cmd.Process.Pid)
	}
	started <- err
	if p.cmd.Process != nil {
		p.err = p.cmd.Wait()
	}
	close(p.exited)
}

func command(spec Spec) *exec.Cmd {
	cmd := exec.Command(spec.Path, spec.Args...) //nolint:noctx // a server outlives the context of its start; its verbs end it
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	if spec.Log != nil {
		cmd.Stdout, cmd.Stderr = spec.Log, spec.Log
	}
	cmd.SysProcAttr = attributes(spec)
	return cmd
}

// ID names this incarnation.
func (p *Process) ID() journal.Process { return p.id }

// Exited is closed when the process has ended and is reaped.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Err is how the process ended; valid once Exited is closed.
func (p *Process) Err() error { return p.err }

// Running reports whether the process has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Wait waits for the end of the process.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the end of process %d: %w", p.id.PID, context.Cause(ctx))
	}
}

// Stop asks the first process to end with the signal and waits for it.
func (p *Process) Stop(ctx context.Context, signal syscall.Signal) error {
	if err := p.signal(signal); err != nil {
		return err
	}
	return p.Wait(ctx)
}

func (p *Process) signal(signal syscall.Signal) error {
	err := p.cmd.Process.Signal(signal)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %v to process %d: %w", signal, p.id.PID, err)
	}
	return nil
}

// Kill ends the whole tree with SIGKILL and returns when it is gone.
func (p *Process) Kill(ctx context.Context) error {
	var children []journal.Process
	if !p.isolated && p.Running() {
		// A stopped parent forks no more, so the list is complete.
		if err := p.signal(syscall.SIGSTOP); err != nil {
			return err
		}
		children = descendants(p.id.PID)
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	for _, child := range children {
		if err := child.Kill(ctx); err != nil {
			return err
		}
	}
	return p.Wait(ctx)
}

// Pause stops the whole tree with SIGSTOP and returns when all of it stands still.
func (p *Process) Pause(ctx context.Context) error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for {
		still := standsStill(p.id.PID)
		for _, child := range descendants(p.id.PID) {
			if !standsStill(child.PID) {
				still = false
				if err := send(child, syscall.SIGSTOP); err != nil {
					return err
				}
			}
		}
		if still || !p.Running() {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("pause process %d: %w", p.id.PID, context.Cause(ctx))
		case <-time.After(time.Millisecond):
		}
	}
}

// Resume lets the whole tree go on.
func (p *Process) Resume() error {
	for _, child := range descendants(p.id.PID) {
		if err := send(child, syscall.SIGCONT); err != nil {
			return err
		}
	}
	return p.signal(syscall.SIGCONT)
}

func send(to journal.Process, signal syscall.Signal) error {
	if !to.Alive() {
		return nil
	}
	err := syscall.Kill(to.PID, signal)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("send %v to process %d: %w", signal, to.PID, err)
	}
	return nil
}

// Run starts the program, waits for its end and returns how it ended. When ctx ends first the tree is killed.
func Run(ctx context.Context, spec Spec) error {
	p, err := Start(spec)
	if err != nil {
		return err
	}
	if err := p.Wait(ctx); err != nil {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		return errors.Join(err, p.Kill(grace))
	}
	if p.Err() != nil {
		return fmt.Errorf("run %q: %w", spec.Path, p.Err())
	}
	return nil
}
