package operator

import (
	"time"

	authadmin "example.com/griot/auth/admin"
)

// deletionTime is how long a form's deletion may take before its page says that it has not ended.
const deletionTime = 10 * time.Second

func (p *Pages) renameTenant(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	id := v.r.PathValue("id")
	return act(v, tenantPath(id), "tenants.rename", authadmin.TenantName{TenantID: id, Name: in.Get("name")}, done("operator.done.saved"))
}

// deleteTenant deletes a tenant in steps, as many as there is time for. One that was not deleted whole is there still, and
// the form goes on.
func (p *Pages) deleteTenant(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	id := v.r.PathValue("id")
	if in.Get("confirm") != "yes" {
		return v.leave(tenantPath(id)+"#delete", once{wrong: "operator.confirm.missing"})
	}
	step := authadmin.TenantDeletion{TenantID: id}
	for until := p.o.Now().Add(deletionTime); ; {
		d, err := verb[authadmin.Deletion](v, "tenants.delete", step)
		switch {
		case err != nil:
			return v.leaveAfter(err, tenantsPath, "", once{})
		case d.Done:
			return v.leave(tenantsPath, once{done: "operator.done.tenant_deleted"})
		case !p.o.Now().Before(until):
			return v.leave(tenantPath(id)+"#delete", once{wrong: "operator.tenant.delete_more"})
		}
		step.Position = d.Position
	}
}

func (p *Pages) deleteClient(v *visit) error {
	return act(v, tenantPath(v.r.PathValue("id")), "clients.delete", authadmin.ByClientID{ClientID: v.r.PathValue("client")}, done("operator.done.client_deleted"))
}
