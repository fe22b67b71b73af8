package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"gatecrash/sim/target"
)

// startTimeout bounds the start of a replica: a connection to Postgres, the schema, and the first readiness.
const startTimeout = 20 * time.Second

// stopTimeout is how long a replica may take to end after SIGKILL before that is an error.
const stopTimeout = 5 * time.Second

// replica is one child process. It keeps its port over restarts.
type replica struct {
	number int
	binary string
	env    []string                                            // without the listen address
	logs   string                                              // folder
	born   func(pid int, what string) (gone func(), err error) // notes a child, and that it is gone
	arm    func(ctx context.Context, base, point string, hit int) error

	mu     sync.Mutex
	listen string // 127.0.0.1:0 before the first start
	life   *life  // nil before the first start
}

// life is one incarnation of a replica.
type life struct {
	pid       int
	killed    bool  // by the harness
	logFrom   int64 // where its part of the log file starts
	gone      chan struct{}
	how       target.Exit
	forgotten chan struct{} // closed when whoever noted the child has heard that it is gone
}

var _ target.Process = (*replica)(nil)

// Number implements target.Process.
func (r *replica) Number() int { return r.number }

// PID implements target.Process.
func (r *replica) PID() int {
	l := r.current()
	if l == nil || isClosed(l.gone) {
		return 0
	}
	return l.pid
}

// Exited implements target.Process.
func (r *replica) Exited() <-chan struct{} { return r.current().gone }

// How implements target.Process.
func (r *replica) How() target.Exit {
	l := r.current()
	if l == nil || !isClosed(l.gone) {
		return target.Exit{}
	}
	return l.how
}

// Arm implements target.Process.
func (r *replica) Arm(ctx context.Context, point string, hit int) error {
	return r.arm(ctx, r.base(), point, hit)
}

// base is the URL of the replica.
func (r *replica) base() string { return "http://" + r.addr() }

// addr is host:port of the replica.
func (r *replica) addr() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.listen
}

func (r *replica) current() *life {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.life
}

// Start implements target.Process.
func (r *replica) Start(ctx context.Context) error {
	if r.PID() != 0 {
		return nil
	}
	logFile, err := os.OpenFile(r.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer logFile.Close()
	l, stdout, err := r.spawn(logFile)
	if err != nil {
		return fmt.Errorf("start replica %d: %w", r.number, err)
	}
	if err := r.note(l); err != nil {
		return errors.Join(err, r.Kill(ctx))
	}
	addr, err := awaitReady(ctx, l, stdout)
	if err != nil {
		return errors.Join(fmt.Errorf("start replica %d: %w; see %s", r.number, err, logFile.Name()), r.Kill(ctx))
	}
	r.mu.Lock()
	r.listen = addr
	r.mu.Unlock()
	return nil
}

// note tells whoever keeps the journal of a child, and later that it is gone.
func (r *replica) note(l *life) error {
	gone, err := r.born(l.pid, fmt.Sprintf("replica %d", r.number))
	noted := err == nil
	go func() {
		<-l.gone
		if noted {
			gone()
		}
		close(l.forgotten)
	}()
	return err
}

// spawn forks the child on a thread that lives as long as the child does: the kernel's parent-death signal follows the forking thread, not the process.
func (r *replica) spawn(logFile *os.File) (*life, io.ReadCloser, error) {
	cmd := exec.Command(r.binary, "serve") //nolint:noctx // a replica outlives the context of its start; Kill ends it
	r.mu.Lock()
	cmd.Env = append(append([]string(nil), r.env...), "GATECRASH_LISTEN="+r.listen)
	r.mu.Unlock()
	cmd.Stderr = logFile
	cmd.SysProcAttr = childAttr()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	l := &life{gone: make(chan struct{}), forgotten: make(chan struct{})}
	if info, err := logFile.Stat(); err == nil {
		l.logFrom = info.Size()
	}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			l.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			r.bury(l, cmd)
		}
	}()
	if err := <-started; err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	r.life = l
	r.mu.Unlock()
	return l, stdout, nil
}

// bury waits for the child and notes how it ended.
func (r *replica) bury(l *life, cmd *exec.Cmd) {
	state, err := cmd.Process.Wait()
	how := target.Exit{PID: l.pid, At: time.Now()}
	if err == nil {
		how.Code = state.ExitCode()
		if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			how.Signal = ws.Signal().String()
		}
	}
	how.CrashPoint = crashPoint(r.logPath(), l.logFrom)
	r.mu.Lock()
	how.ByHarness = l.killed
	l.how = how
	r.mu.Unlock()
	close(l.gone)
}

// Kill implements target.Process. It returns when the child is gone and whoever noted it knows.
func (r *replica) Kill(context.Context) error {
	r.mu.Lock()
	l := r.life
	alive := l != nil && !isClosed(l.gone)
	if alive {
		l.killed = true
	}
	r.mu.Unlock()
	if l == nil {
		return nil
	}
	if alive {
		if err := syscall.Kill(l.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill replica %d, pid %d: %w", r.number, l.pid, err)
		}
	}
	select {
	case <-l.forgotten:
		return nil
	case <-time.After(stopTimeout):
		return fmt.Errorf("replica %d, pid %d, is still there %v after SIGKILL", r.number, l.pid, stopTimeout)
	}
}

// awaitReady reads the line that a ready replica prints, and keeps reading so that the child never blocks on a full pipe.
func awaitReady(ctx context.Context, l *life, stdout io.ReadCloser) (string, error) {
	type hello struct {
		Listening string `json:"listening"`
	}
	said := make(chan hello, 1)
	go func() {
		defer stdout.Close()
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			var h hello
			if json.Unmarshal(lines.Bytes(), &h) == nil && h.Listening != "" {
				select {
				case said <- h:
				default:
				}
			}
		}
	}()
	select {
	case h := <-said:
		return h.Listening, nil
	case <-l.gone:
		return "", fmt.Errorf("it ended before it was ready: exit code %d, signal %q", l.how.Code, l.how.Signal)
	case <-time.After(startTimeout):
		return "", fmt.Errorf("not ready after %v", startTimeout)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// crashPoint finds the crash point that a replica named in its part of the log: "crashpoint NAME hit N: kill".
// Another goroutine may have logged a line after it.
func crashPoint(path string, from int64) string {
	text, err := os.ReadFile(path)
	if err != nil || int64(len(text)) < from {
		return ""
	}
	found := ""
	for line := range strings.Lines(string(text[from:])) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "crashpoint" {
			found = f[1]
		}
	}
	return found
}

func (r *replica) logPath() string {
	return filepath.Join(r.logs, fmt.Sprintf("replica-%d.log", r.number))
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
