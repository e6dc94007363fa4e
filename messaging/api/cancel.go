package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

type cancelAnswer struct {
	Success   bool           `json:"success"`
	MessageID string         `json:"messageId"`
	Status    message.Status `json:"status"`
}

// cancel handles POST /api/messages/:id/cancel, for an account's key or its owner.
func (a *API) cancel(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	m, err := a.o.Messages.Find(r.Context(), c, r.PathValue("messageId"))
	if err != nil {
		return err
	}
	if m, err = a.o.Delivery.Cancel(r.Context(), c, m); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, cancelAnswer{Success: true, MessageID: m.ID, Status: m.Status})
}
