package api

import (
	"context"
	"net/http"
	"slices"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
)

// An AccountChange is an owner's change of their account. Nil fields are unchanged.
type AccountChange struct {
	Name     *string `json:"name"`
	Lang     *string `json:"lang"`
	TimeZone *string `json:"timeZone"`
	Country  *string `json:"country"`

	Shown string `json:"-"` // the [account.Account.ProfileVersion] that a form showed; empty: not checked
}

type accountAnswer struct {
	Success bool        `json:"success"`
	Account accountItem `json:"account"`
}

type accountItem struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Lang     i18n.Lang `json:"lang"`
	TimeZone string    `json:"timeZone"`
	Country  *string   `json:"country"`
}

func accountOf(a *account.Account) accountItem {
	return accountItem{a.ID, a.Name, a.Lang, a.TimeZone, textOrNull(a.Country)}
}

// changeAccount handles PATCH /api/account.
func (a *API) changeAccount(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in AccountChange
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	of, err := a.ChangeAccount(r.Context(), c, &in)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, accountAnswer{true, accountOf(of)})
}

// ChangeAccount changes a caller's account and returns it.
func (a *API) ChangeAccount(ctx context.Context, c *account.Caller, to *AccountChange) (*account.Account, error) {
	if to.Name != nil {
		name, err := account.CheckAccountName(*to.Name)
		if err != nil {
			return nil, err
		}
		to.Name = &name
	}
	if to.Lang != nil && !slices.Contains(i18n.Langs(), i18n.Lang(*to.Lang)) {
		return nil, fault.InvalidRequest.On("lang").Detailf("lang must be fr or en.")
	}
	if to.TimeZone != nil && !account.ValidTimeZone(*to.TimeZone) {
		return nil, fault.InvalidRequest.On("timeZone").Detailf("timeZone must be a name from the IANA database, such as Africa/Bamako.")
	}
	if to.Country != nil {
		country, ok := account.CheckCountry(*to.Country)
		if !ok {
			return nil, fault.InvalidRequest.On("country").Detailf("country must be the code of a country (ML), a calling code (223), or empty for none.")
		}
		to.Country = &country
	}
	if to.Name != nil || to.Lang != nil || to.TimeZone != nil || to.Country != nil {
		if _, err := a.o.Directory.Change(ctx, c.Account.ID, &account.Change{Name: to.Name, Lang: to.Lang, TimeZone: to.TimeZone, Country: to.Country, ShownProfile: to.Shown}); err != nil {
			return nil, err
		}
	}
	of, err := a.o.Directory.Account(ctx, c.Account.ID)
	if err == nil && of == nil {
		err = fault.AccountNotFound.Err()
	}
	return of, err
}
