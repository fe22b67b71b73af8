//go:build unix

package httpclient

import "golang.org/x/sys/unix"

// alive looks at an idle connection without waiting: closed, reset or talking out of turn means that it is of no use any more.
func (c *conn) alive() bool {
	if c.raw == nil {
		return true
	}
	idle := false
	err := c.raw.Control(func(fd uintptr) {
		var one [1]byte
		_, _, err := unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		idle = err == unix.EAGAIN
	})
	return err == nil && idle
}
