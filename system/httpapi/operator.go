package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/crashpoint"
)

// create adds a sale in state scheduled.
func (a *API) create(w http.ResponseWriter, r *http.Request) error {
	var s booking.Sale
	err := readBody(w, r, field{name: "id", into: &s.ID}, field{name: "capacity", into: &s.Capacity},
		field{name: "per_account", into: &s.PerAccount}, field{name: "opens_at", into: &s.OpensAt, optional: true})
	if err != nil {
		return err
	}
	if err := validSale(s); err != nil {
		return err
	}
	made, err := a.Ledger.Create(r.Context(), s)
	if err != nil {
		return err
	}
	a.changed(made.ID)
	return writeJSON(w, http.StatusCreated, operatorSale(made))
}

// validSale keeps names to what needs no quoting in a path, a Redis hash tag or a file name.
func validSale(s booking.Sale) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	foreign := func(r rune) bool { return !strings.ContainsRune(letters, r) }
	switch {
	case s.ID == "" || len(s.ID) > 64 || strings.ContainsFunc(s.ID, foreign) || strings.Trim(s.ID, ".") == "":
		return invalid("id: got %.80q, want 1 to 64 letters, digits, '-', '_' or '.'", s.ID)
	case s.Capacity < 1 || s.Capacity > maxCapacity:
		return invalid("capacity: got %d, want 1 to %d seats", s.Capacity, maxCapacity)
	case s.PerAccount < 1 || s.PerAccount > maxCapacity:
		return invalid("per_account: got %d, want 1 to %d seats", s.PerAccount, maxCapacity)
	}
	return nil
}

// maxCapacity bounds a sale, and a change of its seats, far above any venue and far below what int64 sums could overflow.
const maxCapacity = 100_000_000

// operatorSale is all of a sale.
type operatorSale struct {
	ID         string            `json:"id"`
	Capacity   int64             `json:"capacity"`
	Free       int64             `json:"free"`
	Version    int64             `json:"version"`
	State      booking.SaleState `json:"state"`
	PerAccount int               `json:"per_account"`
	OpensAt    time.Time         `json:"opens_at,omitzero"` // absent: only the operator opens it
}

func (a *API) list(w http.ResponseWriter, r *http.Request) error {
	sales, err := a.Ledger.Sales(r.Context())
	if err != nil {
		return err
	}
	all := make([]operatorSale, 0, len(sales))
	for _, s := range sales {
		all = append(all, operatorSale(s))
	}
	return writeJSON(w, http.StatusOK, struct {
		Sales []operatorSale `json:"sales"`
	}{all})
}

// gateBody is the gate's side of a sale. With error set nothing else is known.
type gateBody struct {
	Present bool   `json:"present"`
	Epoch   string `json:"epoch"`
	AsOf    int64  `json:"as_of"`
	Avail   int64  `json:"avail"`
	Debits  int    `json:"debits"`
	Seats   int64  `json:"debited_seats"`
	Error   string `json:"error,omitempty"`
}

type stateBody struct {
	Sale operatorSale `json:"sale"`
	Gate *gateBody    `json:"gate,omitempty"` // absent: the system runs without a gate
}

// state shows truth and gate of a sale side by side, as read one after the other.
func (a *API) state(w http.ResponseWriter, r *http.Request) error {
	sale, err := a.Ledger.Sale(r.Context(), r.PathValue("sale"))
	if err != nil {
		return err
	}
	body := stateBody{Sale: operatorSale(sale)}
	if a.Gate != nil {
		gate := a.gateView(r.Context(), sale.ID)
		body.Gate = &gate
	}
	return writeJSON(w, http.StatusOK, body)
}

func (a *API) gateView(ctx context.Context, sale string) gateBody {
	ctx, cancel := context.WithTimeout(ctx, a.settings.Read)
	defer cancel()
	v, err := a.Gate.View(ctx, sale)
	if err != nil {
		return gateBody{Error: err.Error()}
	}
	body := gateBody{Present: v.Present, Epoch: v.Epoch, AsOf: v.AsOf, Avail: v.Avail, Debits: len(v.Debits)}
	for _, d := range v.Debits {
		body.Seats += int64(d.Quantity)
	}
	return body
}

// move gives the handler that moves a sale to a state.
func move(to booking.SaleState) func(*API, http.ResponseWriter, *http.Request) error {
	return func(a *API, w http.ResponseWriter, r *http.Request) error {
		sale, err := a.Ledger.SetState(r.Context(), r.PathValue("sale"), to)
		if err != nil {
			return err
		}
		a.changed(sale.ID)
		return writeJSON(w, http.StatusOK, operatorSale(sale))
	}
}

// changed makes this replica see at once what it has just done, and the gate ready before the crowd comes.
func (a *API) changed(sale string) {
	a.sales.forget(sale)
	if a.Gate != nil {
		a.Refill(sale)
	}
}

// seats adds seats to a sale, or withdraws free ones; the idempotency key names the change.
func (a *API) seats(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	var n int64
	if err := readBody(w, r, field{name: "seats", into: &n}); err != nil {
		return err
	}
	if n == 0 || n > maxCapacity || n < -maxCapacity {
		return invalid("seats: got %d, want 1 to %d, or negative to withdraw", n, maxCapacity)
	}
	if err := (booking.Intent{Sale: "any", Account: "any", Key: key, Quantity: 1}).Validate(); err != nil {
		return err
	}
	sale, err := a.Bookings.AddSeats(r.Context(), r.PathValue("sale"), key, n)
	if err != nil {
		return err
	}
	a.sales.forget(sale.ID)
	return writeJSON(w, http.StatusOK, operatorSale(sale))
}

type crashBody struct {
	Points []string            `json:"points"`
	Armed  []crashpoint.Arming `json:"armed"`
}

func (a *API) crashPoints(w http.ResponseWriter, _ *http.Request) error {
	if !a.settings.CrashPoints {
		return fmt.Errorf("crash points: %w", errNotEnabled)
	}
	return writeJSON(w, http.StatusOK, crashBody{a.Crash.Points(), a.Crash.Armed()})
}

func (a *API) arm(w http.ResponseWriter, r *http.Request) error {
	if !a.settings.CrashPoints {
		return fmt.Errorf("crash points: %w", errNotEnabled)
	}
	var arming crashpoint.Arming
	var action string
	err := readBody(w, r, field{name: "point", into: &arming.Point}, field{name: "hit", into: &arming.Hit}, field{name: "action", into: &action})
	if err != nil {
		return err
	}
	arming.Action = crashpoint.Action(action)
	if err := a.Crash.Arm(arming); err != nil {
		return err
	}
	a.Log.Warn("crash point armed", "arming", arming.String())
	return a.crashPoints(w, r)
}

func (a *API) disarm(w http.ResponseWriter, r *http.Request) error {
	if !a.settings.CrashPoints {
		return fmt.Errorf("crash points: %w", errNotEnabled)
	}
	a.Crash.Disarm()
	return a.crashPoints(w, r)
}
