package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// wrap gives a route its deadline, turns its error into an answer, counts it, and keeps a panic from being a silent cut.
func (a *API) wrap(rt route) http.Handler {
	replica := strconv.Itoa(a.settings.Replica)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(r.Context(), a.settings.Deadline)
		defer cancel()
		w.Header().Set("Replica", replica)
		out := &answer{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				a.panicked(rt, out, p)
			}
			a.Metrics.request(rt.name, out.status, out.problem, time.Since(began))
			if out.abort {
				panic(http.ErrAbortHandler)
			}
		}()
		if err := rt.handle(a, out, r.WithContext(ctx)); err != nil {
			out.problem = writeProblem(out, err)
			a.logFailure(rt, out.problem, err)
		}
	})
}

// panicked logs and answers 500; an answer that has begun can only be cut.
func (a *API) panicked(rt route, out *answer, p any) {
	a.Log.Error("panic in a request", "route", rt.name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if out.status != 0 {
		out.abort = true
		return
	}
	out.problem = writeProblem(out, fmt.Errorf("panic: %v", p))
}

// logFailure logs what the operator should hear of. Refusals are counted, not logged; a dependency that is down would fill the log, so it is debug.
func (a *API) logFailure(rt route, problem string, err error) {
	level := slog.LevelDebug
	if problem == "internal" {
		level = slog.LevelError
	}
	a.Log.Log(context.Background(), level, "request failed", "route", rt.name, "problem", problem, "error", err)
}

// answer remembers what was answered.
type answer struct {
	http.ResponseWriter
	status  int // 0: nothing yet
	problem string
	abort   bool
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController, and with it http.MaxBytesReader, reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

var errNoBearer = errors.New("want one header Authorization: Bearer TOKEN")

func bearer(r *http.Request) (string, error) {
	all := r.Header["Authorization"]
	if len(all) != 1 {
		return "", errNoBearer
	}
	scheme, token, ok := strings.Cut(all[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", errNoBearer
	}
	return token, nil
}

// operator lets only the holder of the operator's secret through. Hashes are compared, so that not even the length shows in the time taken.
func operator(next func(*API, http.ResponseWriter, *http.Request) error) func(*API, http.ResponseWriter, *http.Request) error {
	return func(a *API, w http.ResponseWriter, r *http.Request) error {
		if len(a.settings.OperatorKey) == 0 {
			return fmt.Errorf("operator's routes: %w", errNotEnabled)
		}
		token, err := bearer(r)
		if err != nil {
			return fmt.Errorf("%w: %w", errOperator, err)
		}
		got, want := sha256.Sum256([]byte(token)), sha256.Sum256(a.settings.OperatorKey)
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			return errOperator
		}
		return next(a, w, r)
	}
}
