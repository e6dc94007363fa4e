package api

import (
	"net/http"
	"slices"

	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/internal/i18n"
	"griot/messaging/account"
)

type accountBody struct {
	Name *string `json:"name"`
	Lang *string `json:"lang"`
}

type accountAnswer struct {
	Success bool        `json:"success"`
	Account accountItem `json:"account"`
}

type accountItem struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Lang i18n.Lang `json:"lang"`
}

// changeAccount: PATCH /api/account.
func (a *API) changeAccount(w http.ResponseWriter, r *http.Request) error {
	c, err := a.session(w, r)
	if err != nil {
		return err
	}
	var in accountBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if in.Name != nil {
		name, err := checkName(*in.Name)
		if err != nil {
			return err
		}
		in.Name = &name
	}
	if in.Lang != nil && !slices.Contains(i18n.Langs(), i18n.Lang(*in.Lang)) {
		return fault.InvalidRequest.On("lang").Detailf("lang is fr or en.")
	}
	if in.Name != nil || in.Lang != nil {
		if _, err := a.o.Directory.Change(r.Context(), c.Account.ID, &account.Change{Name: in.Name, Lang: in.Lang}); err != nil {
			return err
		}
	}
	of, err := a.o.Directory.Account(r.Context(), c.Account.ID)
	if err == nil && of == nil {
		err = fault.AccountNotFound.Err()
	}
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, accountAnswer{true, accountItem{of.ID, of.Name, of.Lang}})
}
