package process

import (
	"errors"
	"syscall"
)

// attributes puts the child into a process group of its own, so that ^C in a terminal reaches the harness alone.
func attributes(spec Spec) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Credential: spec.Credential}
	if !spec.Outlive {
		attr.Pdeathsig = syscall.SIGKILL
	}
	if spec.Isolate {
		attr.Cloneflags = syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC
	}
	return attr
}

// refused reports whether the kernel does not let this user make namespaces.
func refused(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC)
}
