package httpapi

import (
	"context"
	"net/http"
	"sync"
)

// health says that the process runs, and nothing of what it needs.
func (a *API) health(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, struct {
		Status string `json:"status"`
	}{"ok"})
}

type readyBody struct {
	Ready        bool              `json:"ready"`
	Dependencies map[string]string `json:"dependencies"` // "ok", or what is wrong
}

// ready says whether this replica can book, and which dependency is down. Without the gate it can: the fallback goes to the ledger.
func (a *API) ready(w http.ResponseWriter, r *http.Request) error {
	body := readyBody{Ready: true, Dependencies: map[string]string{}}
	for i, err := range a.ping(r.Context()) {
		d := a.Dependencies[i]
		body.Dependencies[d.Name] = "ok"
		if err != nil {
			body.Dependencies[d.Name] = "down"
			body.Ready = body.Ready && !d.Required
			a.Log.Debug("dependency down", "dependency", d.Name, "error", err)
		}
	}
	status := http.StatusOK
	if !body.Ready {
		status = http.StatusServiceUnavailable
	}
	return writeJSON(w, status, body)
}

// ping asks all at once, so that the slowest decides how long it takes.
func (a *API) ping(ctx context.Context) []error {
	ctx, cancel := context.WithTimeout(ctx, a.settings.Read)
	defer cancel()
	errs := make([]error, len(a.Dependencies))
	var wg sync.WaitGroup
	for i, d := range a.Dependencies {
		wg.Go(func() { errs[i] = d.Ping(ctx) })
	}
	wg.Wait()
	return errs
}

func (a *API) metrics(w http.ResponseWriter, r *http.Request) error {
	a.Metrics.Handler().ServeHTTP(w, r)
	return nil
}
