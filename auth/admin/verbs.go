package admin

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"griot/auth/tenant"
	"griot/internal/admin"
)

// Verbs returns the table of the auth house.
func Verbs(tenants *tenant.Store) admin.Verbs {
	h := &house{tenants: tenants}
	return admin.Verbs{
		"tenants.create": admin.Do(h.createTenant),
		"clients.create": admin.Do(h.createClient),
	}
}

type house struct {
	tenants *tenant.Store
}

// Tenant is a tenant as operators see it.
type Tenant struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
}

func shownTenant(t tenant.Tenant) Tenant {
	return Tenant{ID: t.ID, Name: t.Name, CreatedAt: t.CreatedAt}
}

// TenantInput is what a tenant is made of.
type TenantInput struct {
	Name string `json:"name"`
}

const maxName = 100 // characters, as the waiting page has room for

func (h *house) createTenant(ctx context.Context, in *TenantInput) (Tenant, error) {
	name := strings.TrimSpace(in.Name)
	if n := utf8.RuneCountInString(name); n == 0 || n > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return Tenant{}, admin.Refuse("A tenant's name has 1 to %d characters, none of them a control character.", maxName)
	}
	t, err := h.tenants.CreateTenant(ctx, name)
	return shownTenant(t), err
}

// existing refuses ids that are no tenant's.
func (h *house) existing(ctx context.Context, tenantID string) error {
	_, found, err := h.tenants.Tenant(ctx, tenantID)
	if err == nil && !found {
		err = admin.Refuse("There is no such tenant.")
	}
	return err
}
