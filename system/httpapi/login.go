package httpapi

import (
	"net/http"
	"time"

	"gatecrash/system/booking"
	"gatecrash/system/session"
)

// sessionBody is a session as it is told.
type sessionBody struct {
	Token     string `json:"token"`
	Account   string `json:"account"`
	ExpiresMS int64  `json:"expires_in_ms"`
}

// login opens a session for whoever brings a proof of the identity provider.
func (a *API) login(w http.ResponseWriter, r *http.Request) error {
	var account, proof string
	var expires int64
	err := readBody(w, r, field{name: "account", into: &account}, field{name: "expires", into: &expires}, field{name: "proof", into: &proof})
	if err != nil {
		return err
	}
	if err := validAccount(account); err != nil {
		return err
	}
	if err := session.VerifyProof(a.settings.LoginKey, account, time.Unix(expires, 0), proof, time.Now()); err != nil {
		return err
	}
	s, err := a.Sessions.Open(r.Context(), account, a.address(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, sessionBody{s.Token, s.Account, s.Life.Milliseconds()})
}

// validAccount asks the one place that knows: an intent of this account with everything else in order.
func validAccount(account string) error {
	return booking.Intent{Sale: "any", Account: account, Key: "any", Quantity: 1}.Validate()
}
