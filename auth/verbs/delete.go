package verbs

import (
	"context"
	"strings"

	"example.com/griot/auth/tenant"
)

// TenantName is the input of tenants.rename.
type TenantName struct {
	TenantID string `json:"tenantId" arg:"TENANT" help:"tenant ID from griot admin tenants list"`
	Name     string `json:"name" flag:"name,required" help:"name on the waiting page"`
}

func (s *service) renameTenant(ctx context.Context, in *TenantName) (Tenant, error) {
	name := strings.TrimSpace(in.Name)
	_, found, err := s.tenants.ChangeAppearance(ctx, in.TenantID, &tenant.AppearanceChange{Name: &name})
	if err == nil && !found {
		err = noTenant()
	}
	if err != nil {
		return Tenant{}, err
	}
	return s.showTenant(ctx, &OfTenant{in.TenantID})
}

// TenantDeletion is the input of tenants.delete.
type TenantDeletion struct {
	TenantID string `json:"tenantId" arg:"TENANT" help:"tenant ID from griot admin tenants list"`
	Position string `json:"position" again:"true"` // of the previous call; empty for the first
}

// Deletion is the progress of a deletion.
type Deletion struct {
	ID       string `json:"id" row:"deleted"`
	Done     bool   `json:"done"` // false: repeat the call with the position to continue
	Position string `json:"position,omitempty"`
}

func (s *service) deleteTenant(ctx context.Context, in *TenantDeletion) (Deletion, error) {
	d, err := s.logins.DeleteTenant(ctx, s.tenants, in.TenantID, in.Position)
	if err == nil && !d.Found {
		err = noTenant()
	}
	if d.Done {
		d.Position = ""
	}
	return Deletion{in.TenantID, d.Done, d.Position}, err
}

// ClientName is the input of clients.rename. An empty name removes it.
type ClientName struct {
	ClientID string `json:"clientId" arg:"CLIENT" help:"cl_test_... or cl_live_..."`
	Name     string `json:"name" flag:"name,required" help:"name on the tenant's dashboard (empty: none)"`
}

func (s *service) renameClient(ctx context.Context, in *ClientName) (Client, error) {
	return foundClient(s.tenants.RenameClient(ctx, in.ClientID, strings.TrimSpace(in.Name)))
}

func (s *service) deleteClient(ctx context.Context, in *ByClientID) (Client, error) {
	return foundClient(s.tenants.DeleteClient(ctx, in.ClientID))
}

func foundClient(c *tenant.Client, err error) (Client, error) {
	if err == nil && c == nil {
		err = noClient()
	}
	if err != nil {
		return Client{}, err
	}
	return newClient(c), nil
}
