package backend

import (
	"context"
	"fmt"
)

// Open starts, or for external checks and reaches, the Postgres and Redis of a run and returns when both answer queries. On an error nothing is left
// behind. The caller closes the backend.
func Open(ctx context.Context, o Options) (Backend, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	var b Backend
	var err error
	switch o.Kind {
	case Local, Auto, "":
		b, err = openLocal(ctx, o)
	case Docker:
		b, err = openDocker(ctx, o)
	default:
		err = ErrBadOptions
	}
	if err != nil {
		return nil, fmt.Errorf("open %s backend: %w", o.Kind, err)
	}
	return b, nil
}
