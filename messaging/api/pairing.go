package api

import (
	"context"
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/session"
)

// pairers can link a sender's number to a phone and see its code.
var pairers = session.Owners.WithCode()

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

// Pairing returns the progress of pairing a sender's number.
func (a *API) Pairing(ctx context.Context, of *account.Account, senderID string) (gateway.PairingProgress, error) {
	from, err := ownSender(of, senderID)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	return a.o.Pairing.Progress(ctx, from)
}

// StartPairing starts to pair a sender's number with a phone.
func (a *API) StartPairing(ctx context.Context, of *account.Account, senderID string, method gateway.PairingMethod) (gateway.PairingProgress, error) {
	from, err := ownSender(of, senderID)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	if method != gateway.PairByQR && method != gateway.PairByCode {
		return gateway.PairingProgress{}, fault.InvalidRequest.On("method").Detailf("method must be qr or code.")
	}
	return a.o.Pairing.Start(ctx, from, method)
}

// CancelPairing cancels the pairing of a sender's number.
func (a *API) CancelPairing(ctx context.Context, of *account.Account, senderID string) (gateway.PairingProgress, error) {
	from, err := ownSender(of, senderID)
	if err != nil {
		return gateway.PairingProgress{}, err
	}
	return a.o.Pairing.Cancel(ctx, from)
}

// PairingOffered reports whether a sender belongs to the account itself and its gateway supports pairing.
func (a *API) PairingOffered(ctx context.Context, from account.Sender) bool {
	return from.AccountID != "" && a.o.Pairing.Offered(ctx, from)
}

// ownSender returns one of an account's own senders. For missing senders and those of other accounts, the error is
// sender_not_found. Only operators manage the platform's senders.
func ownSender(of *account.Account, senderID string) (account.Sender, error) {
	for _, s := range of.Senders {
		switch {
		case s.ID != senderID:
		case s.AccountID == "":
			return s, fault.Forbidden.Err().Detailf("All accounts share this sender, so only the operator can change it.")
		default:
			return s, nil
		}
	}
	return account.Sender{}, fault.SenderNotFound.Err().Detailf("The account doesn't have this sender.")
}

// startPairing handles POST /api/senders/:id/pair.
func (a *API) startPairing(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in pairBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	now, err := a.StartPairing(r.Context(), c.Account, r.PathValue("id"), in.Method)
	return writePairing(w, now, err)
}

// cancelPairing handles DELETE /api/senders/:id/pair.
func (a *API) cancelPairing(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	now, err := a.CancelPairing(r.Context(), c.Account, r.PathValue("id"))
	return writePairing(w, now, err)
}

func writePairing(w http.ResponseWriter, now gateway.PairingProgress, err error) error {
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpx.WriteJSON(w, http.StatusOK, pairingAnswer{true, pairingOf(now)})
}
