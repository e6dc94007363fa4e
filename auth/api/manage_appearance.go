package api

import (
	"net/http"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/httpx"
)

// appearanceOut is the look of a tenant's waiting page.
type appearanceOut struct {
	Name    string   `json:"name"`
	Accent  *string  `json:"accent"` // null: Griot's own color
	Accents []string `json:"accents"`
}

func writeAppearance(w http.ResponseWriter, a tenant.Appearance) error {
	out := &appearanceOut{Name: a.Name, Accents: tenant.Accents()}
	if a.Accent != "" {
		out.Accent = &a.Accent
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

func (a *API) appearance(w http.ResponseWriter, _ *http.Request, t *tenant.Tenant) error {
	return writeAppearance(w, t.Appearance())
}

// appearanceChange leaves fields unchanged that are not sent. An empty accent selects Griot's own color.
type appearanceChange struct {
	Name   *string `json:"name"`
	Accent *string `json:"accent"`
}

func (a *API) changeAppearance(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	in := &appearanceChange{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return err
	}
	next, _, err := a.tenants.ChangeAppearance(r.Context(), t.ID, &tenant.AppearanceChange{Name: in.Name, Accent: in.Accent})
	if err != nil {
		return err
	}
	return writeAppearance(w, next)
}
