package backend

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// heldPort is a free port of 127.0.0.1, bound by a socket that does not listen. Neither another run nor the kernel picks it while it is
// held, and a dial to it is refused at once as long as no server listens. The server itself may bind it, since both sockets allow
// the address to be used again (SO_REUSEADDR; socket(7): not while one of them listens).
type heldPort struct {
	port int
	file *os.File
}

// holdPort binds the port, or any free one for 0. The socket binds before it allows reuse, so a port somebody else holds is refused.
func holdPort(port int) (*heldPort, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("hold port: %w", err)
	}
	held := &heldPort{file: os.NewFile(uintptr(fd), "held port")}
	bound, err := bindLoopback(fd, port)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold port %d: %w", port, err), held.release())
	}
	held.port = bound
	return held, nil
}

func bindLoopback(fd, port int) (int, error) {
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port}); err != nil {
		return 0, err
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	inet, ok := name.(*unix.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("socket has no IPv4 address")
	}
	return inet.Port, nil
}

func (h *heldPort) release() error {
	if h == nil {
		return nil
	}
	return h.file.Close()
}
