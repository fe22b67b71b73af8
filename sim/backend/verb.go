package backend

import (
	"context"
	"errors"
	"fmt"
)

// verbs is what each verb does to a server whose lock is held.
var verbs = map[Verb]func(*server, context.Context) error{
	Start:        (*server).up,
	Stop:         (*server).down,
	Kill:         (*server).shoot,
	Pause:        (*server).freeze,
	Resume:       (*server).thaw,
	Restart:      (*server).again,
	RestartEmpty: (*server).anew,
}

// up starts a server that is down; one that runs only has to answer.
func (s *server) up(ctx context.Context) error {
	if s.paused {
		return ErrPaused
	}
	return s.bringUp(ctx)
}

func (s *server) bringUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, ErrNotReady)
	defer cancel()
	runs, err := s.running(ctx)
	if err != nil {
		return err
	}
	if !runs {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	return s.ready(ctx)
}

// down stops a server in its own orderly way; one that does not end in time is killed.
func (s *server) down(ctx context.Context) error {
	if err := s.thawProcess(ctx); err != nil {
		return err
	}
	if runs, err := s.running(ctx); err != nil || !runs {
		return err
	}
	grace, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	err := s.stop(grace)
	if err != nil && errors.Is(grace.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return s.kill(ctx)
	}
	return err
}

func (s *server) shoot(ctx context.Context) error {
	if err := s.kill(ctx); err != nil {
		return err
	}
	s.paused = false
	return nil
}

func (s *server) freeze(ctx context.Context) error {
	if s.paused {
		return nil
	}
	if runs, err := s.running(ctx); err != nil || !runs {
		return errors.Join(err, ErrNotRunning)
	}
	if err := s.pause(ctx); err != nil {
		return err
	}
	s.paused = true
	return nil
}

func (s *server) thaw(ctx context.Context) error {
	if runs, err := s.running(ctx); err != nil || !runs {
		return errors.Join(err, ErrNotRunning)
	}
	if err := s.thawProcess(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, ErrNotReady)
	defer cancel()
	return s.ready(ctx)
}

func (s *server) thawProcess(ctx context.Context) error {
	if !s.paused {
		return nil
	}
	if err := s.resume(ctx); err != nil {
		return err
	}
	s.paused = false
	return nil
}

// again stops and starts a server. A server that was down is started.
func (s *server) again(ctx context.Context) error {
	if err := s.down(ctx); err != nil {
		return err
	}
	return s.bringUp(ctx)
}

// anew starts a server without any of its data: it is killed, since nothing of it is worth an orderly end.
func (s *server) anew(ctx context.Context) error {
	if err := s.shoot(ctx); err != nil {
		return err
	}
	if err := s.wipe(ctx); err != nil {
		return fmt.Errorf("forget data: %w", err)
	}
	if err := s.bringUp(ctx); err != nil {
		return err
	}
	return s.prepare(ctx)
}
