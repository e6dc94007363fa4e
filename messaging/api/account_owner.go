package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
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
	owner, err := a.TransferAccount(r.Context(), c, in.MemberID, in.Role, web.Language(r))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, transferAnswer{true, owner, in.Role})
}

// TransferAccount makes a member the owner of the caller's account and notifies them by email. The caller becomes a
// member with a role.
func (a *API) TransferAccount(ctx context.Context, c *account.Caller, memberID string, become account.Role, lang i18n.Lang) (owner string, err error) {
	if !become.Offered() {
		return "", fault.InvalidRequest.On("role").Detailf("role must be developer or viewer.")
	}
	owner, err = a.o.Directory.Transfer(ctx, c.Account, memberID, become)
	switch {
	case errors.Is(err, account.ErrEmailTaken):
		return "", fault.OwnsAnotherAccount.On("memberId")
	case errors.Is(err, account.ErrNotOwner): // another request was faster
		return "", fault.Forbidden.Err().Detailf("You are no longer the owner.")
	case err != nil:
		return "", account.Refusal(err)
	}
	a.o.Mail.NotifyTransfer(owner, c.Account.Name, c.Email, lang)
	return owner, nil
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
	at, err := a.CloseAccount(w, r, c, in.Name)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, closeAnswer{true, formatTime(at), formatTime(at.Add(account.ClosedTime))})
}

// CloseAccount closes the caller's account, whose name they have typed, cancels its queued messages, and removes the session's cookie.
func (a *API) CloseAccount(w http.ResponseWriter, r *http.Request, c *account.Caller, name string) (at time.Time, err error) {
	if strings.TrimSpace(name) != c.Account.Name {
		return at, fault.InvalidRequest.On("name").Detailf("name must be the account's name.")
	}
	at, err = a.o.Directory.Close(r.Context(), c.Account, func(tx *db.Tx) (refused, err error) { return a.o.Billing.MayClose(tx, c.Account.ID) })
	switch {
	case errors.Is(err, account.ErrNotOwner): // another request was faster
		return at, fault.AccountClosed.Err()
	case err != nil:
		return at, err
	}
	a.o.Engine.StartCancelWaiting(c.Account)
	a.o.Mail.NotifyClosed(c.Account.Email, c.Account.Name, at.Add(account.ClosedTime), web.Language(r))
	a.sessions.Forget(w)
	return at, nil
}
