package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

type transferBody struct {
	MemberID string       `json:"memberId"`
	Role     account.Role `json:"role"` // of the previous owner
}

type transferAnswer struct {
	Success bool         `json:"success"`
	Owner   string       `json:"owner"`
	Role    account.Role `json:"role"`
}

// transferAccount handles POST /api/account/transfer.
func (a *API) transferAccount(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in transferBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	owner, err := a.sessions.Transfer(r.Context(), c, in.MemberID, in.Role, web.Language(r))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, transferAnswer{true, owner, in.Role})
}

type closeBody struct {
	Name string `json:"name"` // the account's name, typed again
}

type closeAnswer struct {
	Success  bool   `json:"success"`
	ClosedAt string `json:"closedAt"`
	ErasedAt string `json:"erasedAt"` // the time at which its data will be erased
}

// closeAccount handles POST /api/account/close.
func (a *API) closeAccount(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in closeBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	at, err := a.o.Closing.Close(r.Context(), c, in.Name, web.Language(r))
	if err != nil {
		return err
	}
	a.sessions.Forget(w)
	return httpx.WriteJSON(w, http.StatusOK, closeAnswer{true, formatTime(at), formatTime(at.Add(account.ClosedTime))})
}
