package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"gatecrash/system/booking"
)

// bookingBody is a booking as it is told.
type bookingBody struct {
	ID       string        `json:"id"`
	Sale     string        `json:"sale"`
	Account  string        `json:"account"`
	Quantity int           `json:"quantity"`
	State    booking.State `json:"state"`
	Version  int64         `json:"version"` // the ledger version that booked it
	Path     booking.Path  `json:"path"`
}

func bodyOf(b booking.Booking, path booking.Path) bookingBody {
	return bookingBody{strconv.FormatInt(b.ID, 10), b.Sale, b.Account, b.Quantity, b.State, b.Version, path}
}

// book answers 201 for a new booking and 200 for one that an earlier attempt made.
func (a *API) book(w http.ResponseWriter, r *http.Request) error {
	account, err := a.admit(r)
	if err != nil {
		return err
	}
	in := booking.Intent{Sale: r.PathValue("sale"), Account: account}
	if in.Key, err = idempotencyKey(r); err != nil {
		return err
	}
	if err := readBody(w, r, field{name: "quantity", into: &in.Quantity}); err != nil {
		return err
	}
	if err := in.Validate(); err != nil {
		return err
	}
	ans, err := a.decide(r.Context(), in)
	if err != nil {
		return err
	}
	status := http.StatusCreated
	if ans.Path == booking.PathReplay {
		status = http.StatusOK
	}
	return writeJSON(w, status, bodyOf(ans.Booking, ans.Path))
}

// decide turns away what a sale that takes no bookings need not see, and leaves everything else to the domain.
func (a *API) decide(ctx context.Context, in booking.Intent) (booking.Answer, error) {
	sale, err := a.sales.hint(ctx, in.Sale)
	switch {
	case errors.Is(err, booking.ErrUnknownSale):
		return booking.Answer{}, err
	case err != nil: // not known; the ledger decides
	case sale.State == booking.Scheduled && !opened(sale, time.Now()):
		return booking.Answer{}, &booking.StateError{State: sale.State} // nothing can have been booked
	case sale.State == booking.Paused || sale.State == booking.Closed:
		return a.replayOnly(ctx, in, sale.State)
	}
	return a.Bookings.Book(ctx, in)
}

// replayOnly gives a retry its booking, and refuses whatever has none.
func (a *API) replayOnly(ctx context.Context, in booking.Intent, st booking.SaleState) (booking.Answer, error) {
	b, err := a.Replays.Find(ctx, in)
	switch {
	case errors.Is(err, booking.ErrUnknownBooking):
		return booking.Answer{}, &booking.StateError{State: st}
	case err != nil:
		return booking.Answer{}, err
	case b.Quantity != in.Quantity:
		return booking.Answer{}, booking.ErrKeyReused
	}
	return booking.Answer{Booking: b, Path: booking.PathReplay}, nil
}

func (a *API) get(w http.ResponseWriter, r *http.Request) error {
	return a.withBooking(w, r, a.Ledger.Get)
}

// cancel is idempotent: a second cancel gives the same answer.
func (a *API) cancel(w http.ResponseWriter, r *http.Request) error {
	return a.withBooking(w, r, a.Bookings.Cancel)
}

func (a *API) withBooking(w http.ResponseWriter, r *http.Request, do func(context.Context, string, int64) (booking.Booking, error)) error {
	account, err := a.admit(r)
	if err != nil {
		return err
	}
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 63)
	if err != nil {
		return booking.ErrUnknownBooking
	}
	b, err := do(r.Context(), account, int64(id))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, bodyOf(b, booking.PathDB))
}

func idempotencyKey(r *http.Request) (string, error) {
	all := r.Header["Idempotency-Key"]
	if len(all) != 1 {
		return "", invalid("header Idempotency-Key: got %d, want one", len(all))
	}
	return all[0], nil
}
