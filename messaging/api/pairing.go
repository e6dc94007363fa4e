package api

import (
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

type pairBody struct {
	Method gateway.PairingMethod `json:"method"`
}

type pairingAnswer struct {
	Success bool        `json:"success"`
	Pairing pairingItem `json:"pairing"`
}

// A pairingItem is the progress of a pairing. Anyone who has its code can take over the number, so the code is
// neither stored nor logged.
type pairingItem struct {
	State     gateway.PairingState `json:"state"`
	QR        *string              `json:"qr"`
	Code      *string              `json:"code"`
	ExpiresAt *string              `json:"expiresAt"`
	Reason    *string              `json:"reason"`
}

func pairingOf(now gateway.PairingProgress) pairingItem {
	return pairingItem{now.State, textOrNull(now.QR), textOrNull(now.Code), formatTimeOrNull(now.ExpiresAt), textOrNull(now.Reason)}
}

// startPairing handles POST /api/senders/:id/pair.
func (a *API) startPairing(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in pairBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	now, err := a.o.Pairing.StartFor(r.Context(), c, r.PathValue("id"), in.Method)
	return writePairing(w, now, err)
}

// cancelPairing handles DELETE /api/senders/:id/pair.
func (a *API) cancelPairing(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	now, err := a.o.Pairing.CancelFor(r.Context(), c, r.PathValue("id"))
	return writePairing(w, now, err)
}

func writePairing(w http.ResponseWriter, now gateway.PairingProgress, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpx.WriteJSON(w, http.StatusOK, pairingAnswer{true, pairingOf(now)})
}
