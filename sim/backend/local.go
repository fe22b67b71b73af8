package backend

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"gatecrash/sim/backend/process"
	"gatecrash/sim/journal"
)

// portTries is how many ports the first start of a server may try.
const portTries = 5

// local is what both local servers share.
type local struct {
	options   Options
	programs  programs
	user      *syscall.Credential
	folder    string
	mark      journal.Mark // of the folder
	addresses *Addresses   // filled as the servers get their ports
	hold      func() (*heldPort, error)
}

// openLocal starts both servers as child processes.
func openLocal(ctx context.Context, o Options) (*managed, error) {
	return openLocalOn(ctx, o, func() (*heldPort, error) { return holdPort(0) })
}

func openLocalOn(ctx context.Context, o Options, hold func() (*heldPort, error)) (*managed, error) {
	l, err := prepareLocal(o, hold)
	if err != nil {
		return nil, err
	}
	m := newManaged(Local, o.names(), nil, nil)
	l.addresses, m.data = &m.addresses, filesystem(l.folder)
	m.servers[Postgres].runner = newLocalPostgres(l)
	m.servers[Redis].runner = newLocalRedis(l)
	m.cleanup = l.removeFolder
	if err := m.open(ctx); err != nil {
		return nil, errors.Join(err, m.Close(ctx))
	}
	if o.Keep {
		m.keep = o.Journal.Keep
	}
	return m, nil
}

func prepareLocal(o Options, hold func() (*heldPort, error)) (*local, error) {
	found, err := findPrograms(o.BinaryDirs)
	if err != nil {
		return nil, err
	}
	user, err := serverUser()
	if err != nil {
		return nil, err
	}
	parent, err := parentFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	l := &local{options: o, programs: found, user: user, hold: hold}
	l.folder = filepath.Join(parent, "gatecrash-"+o.RunID+"-"+rand.Text()[:8])
	if err := l.makeFolder(); err != nil {
		return nil, errors.Join(err, l.removeFolder(context.Background()))
	}
	return l, nil
}

// makeFolder creates the private folder, after the journal knows it. Root's is passable, for the user the servers run as.
func (l *local) makeFolder() error {
	var err error
	if l.mark, err = l.options.Journal.Folder(l.folder, l.realPrograms()...); err != nil {
		return err
	}
	mode := os.FileMode(0o700)
	if l.user != nil {
		mode = 0o711
	}
	if err := os.Mkdir(l.folder, mode); err != nil {
		return fmt.Errorf("create folder of the servers: %w", err)
	}
	if err := os.Chmod(l.folder, mode); err != nil { // whatever the umask
		return fmt.Errorf("create folder of the servers: %w", err)
	}
	if l.options.LogDir == "" {
		l.options.LogDir = l.folder
	}
	if err := os.MkdirAll(l.options.LogDir, 0o755); err != nil {
		return fmt.Errorf("create folder of logs: %w", err)
	}
	return nil
}

func (l *local) realPrograms() []string {
	return []string{realPath(l.programs.postgres), realPath(l.programs.initdb), realPath(l.programs.redis)}
}

func (l *local) removeFolder(ctx context.Context) error {
	return errors.Join(journal.RemoveFolder(ctx, l.folder, l.realPrograms()), l.options.Journal.Done(l.mark))
}

// localServer is the part of a local runner that is the same for both servers.
type localServer struct {
	*local
	name    Name
	dir     string // working folder and data
	stopBy  syscall.Signal
	port    *heldPort
	child   *process.Process
	mark    journal.Mark // of the child
	logFile string
	query   func(context.Context) error
}

// running reports whether the child has not ended yet.
func (s *localServer) running(context.Context) (bool, error) {
	return s.child != nil && s.child.Running(), nil
}

// launch starts the program with the server's log appended to its file.
func (s *localServer) launch(path string, args ...string) error {
	log, err := os.OpenFile(s.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer log.Close()
	s.child, err = process.Start(s.spec(log, path, args...))
	if err != nil {
		return err
	}
	if err := s.options.Journal.Done(s.mark); err != nil {
		return err
	}
	s.mark, err = s.options.Journal.Process(string(s.name), s.child.ID())
	return err
}

func (s *localServer) spec(log *os.File, path string, args ...string) process.Spec {
	return process.Spec{
		Path: path, Args: args, Dir: s.dir, Log: log, Credential: s.user, Isolate: true, Outlive: s.options.Keep,
		Env: []string{"PATH=" + filepath.Dir(path) + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "HOME=" + s.dir},
	}
}

func (s *localServer) ready(ctx context.Context) error {
	err := answer(ctx, s.child.Exited(), s.query)
	if errors.Is(err, ErrExited) {
		return fmt.Errorf("%w; the end of %s:\n%s", err, s.logFile, tail(s.logFile))
	}
	return err
}

func (s *localServer) stop(ctx context.Context) error { return s.child.Stop(ctx, s.stopBy) }

func (s *localServer) kill(ctx context.Context) error {
	if s.child == nil {
		return nil
	}
	return s.child.Kill(ctx)
}

func (s *localServer) pause(ctx context.Context) error { return s.child.Pause(ctx) }

func (s *localServer) resume(context.Context) error { return s.child.Resume() }

func (s *localServer) pid() int {
	if s.child == nil || !s.child.Running() {
		return 0
	}
	return s.child.ID().PID
}

// remove kills the child. The folder goes once both servers are gone.
func (s *localServer) remove(ctx context.Context) error {
	return errors.Join(s.kill(ctx), s.options.Journal.Done(s.mark), s.port.release())
}

// firstStart starts a server that never ran: configure writes the port into its files. A port that somebody took between choice and
// start is given up for another one; later the port must stay.
func (s *localServer) firstStart(ctx context.Context, configure func() error, start func() error) error {
	for try := 1; ; try++ {
		err := s.tryPort(ctx, configure, start)
		if !errors.Is(err, errPortTaken) || try == portTries {
			return err
		}
	}
}

func (s *localServer) tryPort(ctx context.Context, configure func() error, start func() error) error {
	held, err := s.hold()
	if err != nil {
		return err
	}
	s.port = held
	if err := errors.Join(configure(), start()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, ErrNotReady)
	defer cancel()
	err = s.ready(ctx)
	if errors.Is(err, ErrExited) && somebodyListens(context.WithoutCancel(ctx), held.port) {
		return errors.Join(errPortTaken, err, held.release())
	}
	return err
}

// somebodyListens reports whether a dial to the port is taken up. Asked only after our own server has ended.
func somebodyListens(ctx context.Context, port int) bool {
	d := net.Dialer{Timeout: time.Second}
	conn, err := d.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// tail is the end of a log for an error's text.
func tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	if _, err := f.Seek(-1500, io.SeekEnd); err != nil {
		_, err = f.Seek(0, io.SeekStart)
		if err != nil {
			return err.Error()
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, 1500))
	if err != nil {
		return err.Error()
	}
	return string(text)
}
