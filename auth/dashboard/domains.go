package dashboard

import (
	"errors"
	"net/http"
	"slices"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

const (
	domainsPath = Home + "/domains"

	pageTenantDomains = "tenant_domains" // domains
)

func (d *Dashboard) domainRoutes() []httpx.Route {
	return []httpx.Route{
		d.page(domainsPath, d.domains),
		d.form(domainsPath, d.addDomain),
		d.form(domainsPath+"/{domain}/verify", d.verifyDomain),
		d.form(domainsPath+"/{domain}/remove", d.removeDomain),
	}
}

// domains is the page about a tenant's domains for email addresses.
type domains struct {
	URL  string
	Add  web.Field
	Rows []domainRow
}

type domainRow struct {
	ID, URL, Domain string
	State           web.Badge
	Problem         *web.Alert // of the check that the page is the response to; nil: none
	Lost            bool       // another tenant has proven it
	Name, Value     web.Code   // of the TXT record
	Removal         string     // the id of the dialog
}

// domains handles GET /dashboard/domains.
func (d *Dashboard) domains(w http.ResponseWriter, r *http.Request, v *visit) error {
	return d.showDomains(w, r, v, http.StatusOK, web.Field{}, "", nil, d.taken(w, r, v))
}

// showDomains shows the page with a submitted field, if it has a problem, and the refusal of the check of a domain.
func (d *Dashboard) showDomains(w http.ResponseWriter, r *http.Request, v *visit, status int, in web.Field, checked string, refused *apierror.Error, shown once) error {
	found, err := d.Tenants.Domains(r.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	page := domains{URL: domainsPath, Add: web.Field{
		ID: "domain", Name: "domain", Label: v.lang.T("tenant.domains.domain"), Hint: v.lang.T("tenant.domains.hint"), Placeholder: "people.example.com", Value: in.Value, Wrong: in.Wrong, Required: true,
	}}
	for i := range found {
		row := domainRowOf(v, &found[i])
		if found[i].Name == checked && refused != nil {
			row.Problem = &web.Alert{Tone: web.Bad, Title: v.lang.T("tenant.domains.checked"), Text: v.lang.T(checkTexts[refused.Kind])}
		}
		page.Rows = append(page.Rows, row)
	}
	return d.show(w, r, v, status, pageTenantDomains, shown, page)
}

// checkTexts are the keys of the sentences that explain why a check has proven nothing.
var checkTexts = map[*apierror.Kind]string{
	apierror.AuthDomainRecordMissing: "tenant.domains.missing",
	apierror.AuthDomainTaken:         "tenant.domains.other",
	apierror.AuthDomainLookup:        "tenant.domains.no_answer",
	apierror.AuthRateLimited:         "tenant.domains.limited",
}

func domainRowOf(v *visit, d *tenant.Domain) domainRow {
	row := domainRow{
		ID: "domain-" + d.Name, URL: domainsPath + "/" + d.Name, Domain: d.Name, Lost: !d.LostAt.IsZero(), Removal: "remove-" + d.Name,
		Name:  web.Code{ID: "name-" + d.Name, Title: v.lang.T("tenant.domains.record_name"), Text: d.RecordName()},
		Value: web.Code{ID: "value-" + d.Name, Title: v.lang.T("tenant.domains.record_value"), Text: d.RecordValue()},
	}
	switch {
	case !d.VerifiedAt.IsZero():
		row.State = web.Badge{Tone: web.Good, Text: v.lang.T("tenant.domains.proven")}
	case row.Lost:
		row.State = web.Badge{Tone: web.Bad, Text: v.lang.T("tenant.domains.lost")}
	default:
		row.State = web.Badge{Tone: web.Warn, Text: v.lang.T("tenant.domains.unproven")}
	}
	return row
}

// addDomain handles POST /dashboard/domains.
func (d *Dashboard) addDomain(w http.ResponseWriter, r *http.Request, v *visit) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	typed := in.Get("domain")
	name, err := tenant.ParseDomain(typed)
	if err != nil {
		return d.showDomains(w, r, v, http.StatusBadRequest, web.Field{Value: typed, Wrong: v.lang.T("tenant.domains.wrong")}, "", nil, once{})
	}
	_, _, err = d.Tenants.AddDomain(r.Context(), v.tenant.ID, name)
	if errors.Is(err, apierror.AuthTooManyDomains.Err()) {
		return d.showDomains(w, r, v, http.StatusBadRequest, web.Field{Value: typed, Wrong: v.lang.T("tenant.domains.full", tenant.MaxDomains)}, "", nil, once{})
	}
	if err != nil {
		return err
	}
	return d.done(w, v, domainsPath, once{Done: "tenant.done.domain_added"})
}

// ownDomain returns the domain that a path names, if the tenant has it.
func (d *Dashboard) ownDomain(r *http.Request, v *visit) (string, error) {
	found, err := d.Tenants.Domains(r.Context(), v.tenant.ID)
	if err != nil {
		return "", err
	}
	name := r.PathValue("domain")
	if !slices.ContainsFunc(found, func(d tenant.Domain) bool { return d.Name == name }) {
		return "", apierror.AuthDomainNotFound.Err()
	}
	return name, nil
}

// verifyDomain handles POST /dashboard/domains/{domain}/verify.
func (d *Dashboard) verifyDomain(w http.ResponseWriter, r *http.Request, v *visit) error {
	name, err := d.ownDomain(r, v)
	if err != nil {
		return err
	}
	_, err = d.Tenants.VerifyDomain(r.Context(), v.tenant.ID, name)
	if refused, ok := errors.AsType[*apierror.Error](err); ok && checkTexts[refused.Kind] != "" {
		return d.showDomains(w, r, v, refused.Kind.Status, web.Field{}, name, refused, once{})
	}
	if err != nil {
		return err
	}
	return d.done(w, v, domainsPath, once{Done: "tenant.done.domain_proven"})
}

// removeDomain handles POST /dashboard/domains/{domain}/remove.
func (d *Dashboard) removeDomain(w http.ResponseWriter, r *http.Request, v *visit) error {
	name, err := d.ownDomain(r, v)
	if err != nil {
		return err
	}
	if _, err := d.Tenants.RemoveDomain(r.Context(), v.tenant.ID, name); err != nil {
		return err
	}
	return d.done(w, v, domainsPath, once{Done: "tenant.done.domain_removed"})
}
