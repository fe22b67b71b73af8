package embedded

import "syscall"

// childAttr puts a replica into a process group of its own, so that ^C reaches the harness alone, and lets it die with the harness.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
