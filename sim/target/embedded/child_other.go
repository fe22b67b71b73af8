//go:build !linux

package embedded

import "syscall"

// childAttr puts a replica into a process group of its own, so that ^C reaches the harness alone. What outlives a killed harness is found by its journal.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
