package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// runLabel carries the run's id on each container.
const runLabel = "gatecrash.run"

// containerServer runs one server as a container whose port is published on 127.0.0.1 alone.
type containerServer struct {
	name      Name
	engine    *engine
	options   Options
	request   testcontainers.ContainerRequest // without the port
	files     map[string]string               // path inside -> text, readable for all inside
	inside    string                          // port inside, such as 5432/tcp
	signal    string                          // asks for an orderly stop
	addressed func(port int)                  // told the port once it is known
	query     func(context.Context) error
	prepared  func(context.Context) error
	id        string
	port      *heldPort
	hostPID   int
}

var _ runner = (*containerServer)(nil)

func (c *containerServer) running(ctx context.Context) (bool, error) {
	if c.id == "" {
		return false, nil
	}
	inspect, err := c.engine.api.ContainerInspect(ctx, c.id, client.ContainerInspectOptions{})
	if err != nil {
		return false, fmt.Errorf("inspect container: %w", err)
	}
	if inspect.Container.State == nil || !inspect.Container.State.Running {
		c.hostPID = 0
		return false, nil
	}
	c.hostPID = inspect.Container.State.Pid
	return true, nil
}

func (c *containerServer) start(ctx context.Context) error {
	if c.port == nil {
		return c.firstStart(ctx)
	}
	if c.id == "" {
		return c.create(ctx)
	}
	return c.startAgain(ctx)
}

func (c *containerServer) startAgain(ctx context.Context) error {
	if _, err := c.engine.api.ContainerStart(ctx, c.id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("start container: %w", err)
	}
	return nil
}

// firstStart gets the container its port. The engine gives no typed error for a port that was taken meanwhile, so any failure is tried once
// more with another port, which is not held then: an engine whose proxy does not share a held port works as well.
func (c *containerServer) firstStart(ctx context.Context) error {
	held, err := c.choosePort()
	if err != nil {
		return err
	}
	first := c.create(ctx)
	if first == nil || ctx.Err() != nil {
		return first
	}
	if err := errors.Join(c.discard(ctx), held.release()); err != nil {
		return errors.Join(first, err)
	}
	if held, err = c.choosePort(); err != nil {
		return errors.Join(first, err)
	}
	if err := held.release(); err != nil {
		return err
	}
	return c.create(ctx)
}

func (c *containerServer) choosePort() (*heldPort, error) {
	held, err := holdPort(0)
	if err != nil {
		return nil, err
	}
	c.port = held
	c.addressed(held.port)
	return held, nil
}

// create makes a fresh container with fresh volumes and starts it. The id is kept also on an error, for the removal.
func (c *containerServer) create(ctx context.Context) error {
	request := c.request
	request.ExposedPorts = []string{c.inside}
	request.Labels = map[string]string{runLabel: c.options.RunID, "gatecrash.server": string(c.name)}
	request.ConfigModifier = func(config *container.Config) { config.StopSignal = c.signal }
	request.HostConfigModifier = c.publish
	for path, text := range c.files {
		file := testcontainers.ContainerFile{Reader: strings.NewReader(text), ContainerFilePath: path, FileMode: 0o644}
		request.Files = append(request.Files, file)
	}
	made, err := c.engine.provider.CreateContainer(ctx, request)
	if made != nil {
		c.id = made.GetContainerID()
	}
	if err != nil {
		return fmt.Errorf("create container from %q: %w", request.Image, err)
	}
	if err := made.Start(ctx); err != nil {
		return fmt.Errorf("start container from %q: %w", request.Image, err)
	}
	return nil
}

func (c *containerServer) publish(host *container.HostConfig) {
	binding := network.PortBinding{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1}), HostPort: strconv.Itoa(c.port.port)}
	host.PortBindings = network.PortMap{network.MustParsePort(c.inside): {binding}}
}

// stop needs no timeout of the engine's own: the caller kills when ctx ends.
func (c *containerServer) stop(ctx context.Context) error {
	forever := -1
	if _, err := c.engine.api.ContainerStop(ctx, c.id, client.ContainerStopOptions{Timeout: &forever}); err != nil {
		return fmt.Errorf("stop container: %w", err)
	}
	return nil
}

// kill sends SIGKILL and waits for the end. The engine refuses to kill what does not run: that is no error here.
func (c *containerServer) kill(ctx context.Context) error {
	if c.id == "" {
		return nil
	}
	_, err := c.engine.api.ContainerKill(ctx, c.id, client.ContainerKillOptions{Signal: "KILL"})
	if err != nil && !cerrdefs.IsConflict(err) && !cerrdefs.IsNotFound(err) {
		return fmt.Errorf("kill container: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	select {
	case <-c.exited(ctx):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the end of the container: %w", context.Cause(ctx))
	}
}

// exited is closed when the container has ended or is not there any more; ctx ends the waiting.
func (c *containerServer) exited(ctx context.Context) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		wait := c.engine.api.ContainerWait(ctx, c.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
		select {
		case <-wait.Result:
			close(ended)
		case err := <-wait.Error:
			if cerrdefs.IsNotFound(err) {
				close(ended)
			}
		case <-ctx.Done():
		}
	}()
	return ended
}

func (c *containerServer) pause(ctx context.Context) error {
	if _, err := c.engine.api.ContainerPause(ctx, c.id, client.ContainerPauseOptions{}); err != nil {
		return fmt.Errorf("pause container: %w", err)
	}
	return nil
}

func (c *containerServer) resume(ctx context.Context) error {
	if _, err := c.engine.api.ContainerUnpause(ctx, c.id, client.ContainerUnpauseOptions{}); err != nil {
		return fmt.Errorf("resume container: %w", err)
	}
	return nil
}

// wipe throws the container and its volumes away; start makes them anew on the same port.
func (c *containerServer) wipe(ctx context.Context) error { return c.discard(ctx) }

func (c *containerServer) ready(ctx context.Context) error {
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	err := answer(ctx, c.exited(watch), c.query)
	if errors.Is(err, ErrExited) {
		if err := c.saveLog(ctx); err != nil {
			return errors.Join(ErrExited, err)
		}
		return fmt.Errorf("%w; the end of %s:\n%s", err, c.logFile(), tail(c.logFile()))
	}
	if err != nil {
		return err
	}
	_, err = c.running(ctx) // learns the pid
	return err
}

func (c *containerServer) prepare(ctx context.Context) error { return c.prepared(ctx) }

func (c *containerServer) pid() int { return c.hostPID }

func (c *containerServer) remove(ctx context.Context) error {
	return errors.Join(c.discard(ctx), c.port.release())
}

// discard saves the log and removes the container with its volumes, in whatever state it is.
func (c *containerServer) discard(ctx context.Context) error {
	if c.id == "" {
		return nil
	}
	logged := c.saveLog(ctx)
	_, err := c.engine.api.ContainerRemove(ctx, c.id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if err != nil && !cerrdefs.IsNotFound(err) && !cerrdefs.IsConflict(err) {
		return errors.Join(logged, fmt.Errorf("remove container: %w", err))
	}
	c.id, c.hostPID = "", 0
	return logged
}

func (c *containerServer) logFile() string {
	return filepath.Join(c.options.LogDir, string(c.name)+".log")
}

// saveLog appends the container's log to the run's. It must not hold up a removal for long.
func (c *containerServer) saveLog(ctx context.Context) error {
	if c.options.LogDir == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reply, err := c.engine.api.ContainerLogs(ctx, c.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true})
	if cerrdefs.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read container's log: %w", err)
	}
	defer reply.Close()
	f, err := os.OpenFile(c.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("save container's log: %w", err)
	}
	_, err = stdcopy.StdCopy(f, f, reply)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) {
		err = nil // a log that is still being written may end anywhere
	}
	return errors.Join(err, f.Close())
}
