package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"gatecrash/sim/scenario"
)

// operatorTimeout bounds one call of an operator's route, operatorTries how often a call is made: the system may be under a fault.
const (
	operatorTimeout = 2 * time.Second
	operatorTries   = 5
)

// operator calls the operator's routes of the booking system. Every call is idempotent, so it may be made again.
type operator struct {
	key  string
	http *http.Client
}

func newOperator(key string) *operator {
	return &operator{key: key, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2, Proxy: nil}}}
}

func (o *operator) close() { o.http.CloseIdleConnections() }

func (o *operator) create(ctx context.Context, base string, s scenario.Sale) error {
	return o.post(ctx, base, "/operator/v1/sales", map[string]any{"id": s.Name, "capacity": s.Capacity, "per_account": s.PerAccount})
}

func (o *operator) open(ctx context.Context, base, sale string) error {
	return o.post(ctx, base, "/operator/v1/sales/"+url.PathEscape(sale)+"/open", nil)
}

func (o *operator) arm(ctx context.Context, base, point string, hit int) error {
	return o.post(ctx, base, "/operator/v1/crashpoints", map[string]any{"point": point, "hit": hit, "action": "kill"})
}

// metrics reads the replica's metrics in the Prometheus text format.
func (o *operator) metrics(ctx context.Context, base string) (string, error) {
	return o.once(ctx, http.MethodGet, base+"/metrics", nil)
}

func (o *operator) post(ctx context.Context, base, path string, body any) error {
	text := []byte("{}")
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	var all []error
	for range operatorTries {
		_, err := o.once(ctx, http.MethodPost, base+path, text)
		if err == nil {
			return nil
		}
		all = append(all, err)
		if ctx.Err() != nil || errors.Is(err, errRefused) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.Join(all...)
}

// errRefused marks an answer that a second try would only repeat.
var errRefused = errors.New("refused")

func (o *operator) once(ctx context.Context, method, url string, body []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, operatorTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+o.key)
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := o.http.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s %s: %w", method, url, err)
	case res.StatusCode >= 400 && res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests:
		return "", fmt.Errorf("%s %s: %s: %s: %w", method, url, res.Status, text, errRefused)
	case res.StatusCode >= 300:
		return "", fmt.Errorf("%s %s: %s: %s", method, url, res.Status, text)
	}
	return string(text), nil
}
