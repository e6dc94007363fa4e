package verbs

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/id"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/visible"
)

// Tenant is a tenant as the operator sees it.
type Tenant struct {
	ID        string    `json:"id" col:"TENANT"`
	Name      string    `json:"name" col:"NAME"`
	CreatedAt time.Time `json:"createdAt" col:"CREATED"`
}

func newTenant(t *tenant.Tenant) Tenant {
	return Tenant{ID: t.ID, Name: t.Name, CreatedAt: t.CreatedAt}
}

// TenantInput is the input of tenants.create.
type TenantInput struct {
	Name string `json:"name" flag:"name,required" help:"name on the waiting page"`
}

func (s *service) createTenant(ctx context.Context, in *TenantInput) (Tenant, error) {
	name := strings.TrimSpace(in.Name)
	if name == "" || !visible.Name(name, tenant.MaxTenantName) {
		return Tenant{}, verb.Refuse("The tenant's name must have 1 to %d visible characters.", tenant.MaxTenantName)
	}
	t, err := s.tenants.OpenTenant(ctx, name)
	return newTenant(&t), err
}

const maxSearch = 100 // characters

// TenantSearch is a page of the tenants, newest first.
type TenantSearch struct {
	Text   string `json:"text"`   // an id, or a part of a name; empty: all
	Before string `json:"before"` // the last id of the previous page
	Limit  int    `json:"limit"`
}

// TenantPage is the result of a TenantSearch.
type TenantPage struct {
	Tenants []Tenant `json:"tenants"`
	Next    string   `json:"next"` // empty after the last page
}

func (s *service) findTenants(ctx context.Context, in *TenantSearch) (TenantPage, error) {
	switch {
	case in.Limit < 1 || in.Limit > maxEvents:
		return TenantPage{}, verb.Refuse("The limit must be 1 to %d.", maxEvents)
	case in.Before != "" && !id.Valid(in.Before):
		return TenantPage{}, noTenant()
	case utf8.RuneCountInString(in.Text) > maxSearch:
		return TenantPage{}, verb.Refuse("A search can have at most %d characters.", maxSearch)
	}
	found, next, err := s.tenants.FindTenants(ctx, strings.TrimSpace(in.Text), in.Before, in.Limit)
	return TenantPage{Tenants: verb.Each(found, newTenant), Next: next}, err
}

func (s *service) showTenant(ctx context.Context, in *OfTenant) (Tenant, error) {
	t, found, err := s.tenants.Tenant(ctx, in.TenantID)
	if err == nil && !found {
		err = noTenant()
	}
	return newTenant(&t), err
}

func (s *service) listTenants(ctx context.Context, _ *Nothing) ([]Tenant, error) {
	found, err := s.tenants.ListTenants(ctx)
	return verb.Each(found, newTenant), err
}
