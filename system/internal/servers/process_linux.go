package servers

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// spawn starts cmd so that it ends with this process, whatever ends that. end asks it to stop, waits, and kills it if it does not.
//
// The kernel sends the death signal when the starting thread ends, so that thread is kept until the child is gone.
func spawn(cmd *exec.Cmd) (end func(), exited <-chan struct{}, err error) {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.Pdeathsig = syscall.SIGQUIT // Postgres ends at once and takes its children along; Redis dies of it
	attr.Setpgid = true              // a ^C at the terminal goes to the test binary alone
	cmd.SysProcAttr = &attr
	started, gone := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(gone)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, nil, err
	}
	return func() { terminate(cmd.Process, gone) }, gone, nil
}

// terminate sends SIGINT, which is a fast stop for Postgres and a clean one for Redis, and SIGKILL to what remains.
func terminate(p *os.Process, gone <-chan struct{}) {
	_ = p.Signal(syscall.SIGINT)
	select {
	case <-gone:
	case <-time.After(stopWithin):
		_ = p.Kill()
		<-gone
	}
}

// unprivileged gives what a program needs to run as another user when this process is root, which Postgres refuses; dir becomes that user's.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("find a user other than root: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}
