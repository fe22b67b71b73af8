package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Open starts, or for external reaches, the Postgres and Redis of a run and returns when both answer queries. The caller closes the
// backend; on an error nothing is left behind. Errors the user can mend are among the named ones of this package.
func Open(ctx context.Context, o Options) (Backend, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.Kind = cmp.Or(o.Kind, Auto)
	b, err := openers()[o.Kind](ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open %s backend: %w", o.Kind, err)
	}
	return b, nil
}

type opener func(context.Context, Options) (Backend, error)

func openers() map[Kind]opener {
	return map[Kind]opener{Auto: openAuto, Docker: as(openDocker), Local: as(openLocal), External: as(openExternal)}
}

// as turns an opener of one kind into one that gives the interface, nil on an error.
func as[B Backend](open func(context.Context, Options) (B, error)) opener {
	return func(ctx context.Context, o Options) (Backend, error) {
		b, err := open(ctx, o)
		if err != nil {
			return nil, err
		}
		return b, nil
	}
}

// openAuto takes docker where an engine answers and the images can be had within seconds, else local programs. A container that was
// started and failed is an error of its own: to run on something else then would hide it.
func openAuto(ctx context.Context, o Options) (Backend, error) {
	b, noDocker := as(openDocker)(ctx, o)
	if !errors.Is(noDocker, ErrNoEngine) && !errors.Is(noDocker, ErrMissingImage) {
		return b, noDocker
	}
	b, noLocal := as(openLocal)(ctx, o)
	if errors.Is(noLocal, ErrMissingBinary) || errors.Is(noLocal, ErrNoUser) {
		return nil, fmt.Errorf("%w:\ndocker: %w\nlocal: %w", ErrNoBackend, noDocker, noLocal)
	}
	return b, noLocal
}
