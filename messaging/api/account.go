package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
)

// An accountChange is an owner's change of their account. Nil fields are unchanged.
type accountChange struct {
	Name     *string `json:"name"`
	Lang     *string `json:"lang"`
	TimeZone *string `json:"timeZone"`
	Country  *string `json:"country"`
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
	var in accountChange
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	of, err := a.o.Directory.ChangeFor(r.Context(), c, &account.Change{Name: in.Name, Lang: in.Lang, TimeZone: in.TimeZone, Country: in.Country})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, accountAnswer{true, accountOf(of)})
}
