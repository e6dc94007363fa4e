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

// Tenant is a tenant as operators see it.
type Tenant struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
}

func newTenant(t *tenant.Tenant) Tenant {
	return Tenant{ID: t.ID, Name: t.Name, CreatedAt: t.CreatedAt}
}

// TenantInput is the input of tenants.create.
type TenantInput struct {
	Name string `json:"name"`
}

func (s *service) createTenant(ctx context.Context, in *TenantInput) (Tenant, error) {
	name := strings.TrimSpace(in.Name)
	if n := utf8.RuneCountInString(name); n == 0 || n > tenant.MaxTenantName || strings.ContainsFunc(name, unicode.IsControl) {
		return Tenant{}, admin.Refuse("A tenant's name has 1 to %d characters, none of them a control character.", tenant.MaxTenantName)
	}
	t, err := s.tenants.CreateTenant(ctx, name)
	return newTenant(&t), err
}

func (s *service) listTenants(ctx context.Context, _ *Nothing) ([]Tenant, error) {
	found, err := s.tenants.ListTenants(ctx)
	return convert(found, newTenant), err
}
