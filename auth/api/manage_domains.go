package api

import (
	"net/http"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/httpx"
)

// domainOut is a tenant's domain with the record that proves it.
type domainOut struct {
	Domain     string    `json:"domain"` // lower-case A-labels
	Record     recordOut `json:"record"`
	CreatedAt  string    `json:"createdAt"`
	VerifiedAt *string   `json:"verifiedAt"` // null: not proven
	LostAt     *string   `json:"lostAt"`     // null: no other tenant's proof has replaced the tenant's
}

type recordOut struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

func newDomainOut(d *tenant.Domain) domainOut {
	return domainOut{
		Domain: d.Name, Record: recordOut{"TXT", d.RecordName(), d.RecordValue()}, CreatedAt: formatTime(d.CreatedAt),
		VerifiedAt: timeOrNull(d.VerifiedAt), LostAt: timeOrNull(d.LostAt),
	}
}

type domainsOut struct {
	Domains []domainOut `json:"domains"`
}

// domains returns a tenant's domains.
func (a *API) domains(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	found, err := a.tenants.Domains(r.Context(), t.ID)
	if err != nil {
		return err
	}
	out := domainsOut{Domains: []domainOut{}}
	for i := range found {
		out.Domains = append(out.Domains, newDomainOut(&found[i]))
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}

type domainIn struct {
	Domain string `json:"domain"`
}

// addDomain adds a domain. It can be repeated.
func (a *API) addDomain(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	var in domainIn
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if in.Domain == "" {
		return missing("domain")
	}
	name, err := tenant.ParseDomain(in.Domain)
	if err != nil {
		return err
	}
	d, added, err := a.tenants.AddDomain(r.Context(), t.ID, name)
	if err != nil {
		return err
	}
	out, status := newDomainOut(d), http.StatusOK
	if added {
		status = http.StatusCreated
	}
	return httpx.WriteJSON(w, status, &out)
}

// pathDomain returns the domain of the path.
func pathDomain(r *http.Request) (string, error) {
	name, err := tenant.ParseDomain(r.PathValue("domain"))
	if err != nil {
		return "", err
	}
	return name, nil
}

// verifyDomain looks up the record of a domain. It can be repeated.
func (a *API) verifyDomain(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	name, err := pathDomain(r)
	if err != nil {
		return err
	}
	d, err := a.tenants.VerifyDomain(r.Context(), t.ID, name)
	if err != nil {
		return err
	}
	out := newDomainOut(d)
	return httpx.WriteJSON(w, http.StatusOK, &out)
}

type removedOut struct {
	Removed bool `json:"removed"`
}

// removeDomain removes a domain. It can be repeated.
func (a *API) removeDomain(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	name, err := pathDomain(r)
	if err != nil {
		return err
	}
	removed, err := a.tenants.RemoveDomain(r.Context(), t.ID, name)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, removedOut{removed})
}
