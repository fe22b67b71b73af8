package httpapi

import (
	"net/http"
	"time"

	"gatecrash/system/booking"
)

// saleBody is what everyone may know of a sale, as it was at most cacheFor ago.
type saleBody struct {
	ID         string            `json:"id"`
	State      booking.SaleState `json:"state"`
	Capacity   int64             `json:"capacity"`
	Free       int64             `json:"free"`
	PerAccount int               `json:"per_account"`
	OpensInMS  *int64            `json:"opens_in_ms,omitempty"` // scheduled with a time only
}

// look answers from memory: no session, no query of its own.
func (a *API) look(w http.ResponseWriter, r *http.Request) error {
	sale, err := a.sales.get(r.Context(), r.PathValue("sale"))
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeJSON(w, http.StatusOK, saleOf(sale, time.Now()))
}

// saleOf tells a sale whose time has come as open, as the ledger does.
func saleOf(s booking.Sale, now time.Time) saleBody {
	body := saleBody{ID: s.ID, State: s.State, Capacity: s.Capacity, Free: s.Free, PerAccount: s.PerAccount}
	if s.State != booking.Scheduled {
		return body
	}
	if opened(s, now) {
		body.State = booking.Open
	} else if !s.OpensAt.IsZero() {
		// rounded up: whoever comes back then finds it open
		ms := (s.OpensAt.Sub(now) + time.Millisecond - 1).Milliseconds()
		body.OpensInMS = &ms
	}
	return body
}

func opened(s booking.Sale, now time.Time) bool {
	return !s.OpensAt.IsZero() && !now.Before(s.OpensAt)
}
