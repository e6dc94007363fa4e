package dashboard

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/web"
)

func clientPath(clientID string) string { return clientsPath + "/" + clientID }

// clientLink returns the name of a client, or its ID if it has none, and its page. Of a deleted client it returns the ID only.
func clientLink(clients []tenant.Client, clientID string) (name, path string) {
	if i := slices.IndexFunc(clients, func(c tenant.Client) bool { return c.ClientID == clientID }); i >= 0 {
		return cmp.Or(clients[i].Name, clientID), clientPath(clients[i].ID)
	}
	return clientID, ""
}

func clientView(c *tenant.Client) web.TenantClientView {
	return web.TenantClientView{
		URL: clientPath(c.ID), Name: cmp.Or(c.Name, c.ClientID), ClientID: c.ClientID, Confidential: c.Type == tenant.Confidential, Live: c.Mode == tenant.Live,
		Active: c.Active, Redirects: c.RedirectURIs, CreatedAt: c.CreatedAt,
	}
}

// clients lists the tenant's clients.
func (d *Dashboard) clients(w http.ResponseWriter, r *http.Request, v *visit) error {
	found, err := d.Tenants.ListClients(r.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	page := web.TenantClients{NewURL: clientsPath + "/new", Empty: web.Empty{
		Icon: "key", Title: v.lang.T("tenant.clients.empty_title"), Text: v.lang.T("tenant.clients.empty_text"),
		ActionURL: clientsPath + "/new", Action: v.lang.T("tenant.clients.add"),
	}}
	for i := range found {
		page.Clients = append(page.Clients, clientView(&found[i]))
	}
	return d.show(w, r, v, http.StatusOK, web.PageTenantClients, d.taken(w, r, v), page)
}

// newClient shows the form for a new client.
func (d *Dashboard) newClient(w http.ResponseWriter, r *http.Request, v *visit) error {
	return d.showNewClient(w, r, v, http.StatusOK, url.Values{"type": {string(tenant.Confidential)}, "mode": {string(tenant.Test)}}, nil)
}

func (d *Dashboard) showNewClient(w http.ResponseWriter, r *http.Request, v *visit, status int, in url.Values, wrong error) error {
	page := web.TenantNewClient{
		ID: d.formOf(v, in).ID, ClientsURL: clientsPath, Name: nameField(v, in.Get("name"), wrong), Redirects: in.Get("redirects"), WrongRedirects: wrongClient(wrong),
		Type: web.Select{ID: "type", Name: "type", Label: v.lang.T("tenant.client.type"), Hint: v.lang.T("tenant.client.type_hint"), Options: []web.Option{
			{Value: string(tenant.Confidential), Label: v.lang.T("tenant.client.confidential"), Selected: in.Get("type") == string(tenant.Confidential)},
			{Value: string(tenant.Public), Label: v.lang.T("tenant.client.public"), Selected: in.Get("type") == string(tenant.Public)},
		}},
		Mode: web.Select{ID: "mode", Name: "mode", Label: v.lang.T("tenant.client.mode"), Hint: v.lang.T("tenant.client.mode_hint"), Options: []web.Option{
			{Value: string(tenant.Test), Label: v.lang.T("tenant.client.test"), Selected: in.Get("mode") == string(tenant.Test)},
			{Value: string(tenant.Live), Label: v.lang.T("tenant.client.live"), Selected: in.Get("mode") == string(tenant.Live)},
		}},
	}
	page.Name.Focus = status == http.StatusOK
	return d.show(w, r, v, status, web.PageTenantNewClient, once{}, page)
}

func nameField(v *visit, value string, wrong error) web.Field {
	f := web.Field{ID: "name", Name: "name", Label: v.lang.T("tenant.client.name"), Value: value, Hint: v.lang.T("tenant.client.name_hint")}
	if errors.Is(wrong, tenant.ErrName) {
		f.Wrong = v.lang.T("tenant.client.name_wrong", tenant.MaxName)
	}
	return f
}

// refusesForm reports whether a form has invalid values, so it must be shown again.
func refusesForm(err error) bool {
	return errors.Is(err, tenant.ErrName) || wrongClient(err)
}

// wrongClient reports whether an error is about a client's redirect addresses, or its type or mode, which every page sends.
func wrongClient(err error) bool {
	return errors.Is(err, apierror.AuthMalformedParameter.Err()) && !errors.Is(err, tenant.ErrName)
}

// formOf returns a form that creates an object in a session.
func (d *Dashboard) formOf(v *visit, in url.Values) forms.Creation {
	f := forms.Creation{ID: in.Get("id")}
	if !id.Valid(f.ID) {
		f.ID = id.New(d.Now())
	}
	f.Seeds = d.seeds.MACs("client", f.ID, v.token)
	return f
}

func (d *Dashboard) createClient(w http.ResponseWriter, r *http.Request, v *visit) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	form := d.formOf(v, in)
	c, secret, err := d.Tenants.CreateFormClient(r.Context(), form, v.tenant.ID, strings.TrimSpace(in.Get("name")),
		tenant.Type(in.Get("type")), tenant.Mode(in.Get("mode")), tenant.Pasted(strings.Fields(in.Get("redirects"))))
	if refusesForm(err) {
		return d.showNewClient(w, r, v, http.StatusBadRequest, in, err)
	}
	if errors.Is(err, tenant.ErrTooManyClients) {
		return apierror.AuthTooManyClients.Err()
	}
	if errors.Is(err, tenant.ErrClientMade) { // the secret is not shown again
		return httpx.SeeOther(w, clientPath(form.ID))
	}
	if err != nil {
		return err
	}
	return d.done(w, v, clientPath(c.ID), once{Done: "tenant.done.client_created", Secret: secret})
}

// owned returns the client that a path names. It returns the same error for another tenant's client
// and for an unknown one.
func (d *Dashboard) owned(r *http.Request, v *visit) (*tenant.Client, error) {
	clientID := r.PathValue("id")
	if !id.Valid(clientID) {
		return nil, apierror.AuthNotFound.Err()
	}
	c, err := d.Tenants.OwnedClient(r.Context(), v.tenant.ID, clientID)
	if err == nil && c == nil {
		err = apierror.AuthNotFound.Err()
	}
	return c, err
}

// ofClient passes the client that the path names to a handler.
func (d *Dashboard) ofClient(next func(w http.ResponseWriter, r *http.Request, v *visit, c *tenant.Client) error) visitHandler {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		c, err := d.owned(r, v)
		if err != nil {
			return err
		}
		return next(w, r, v, c)
	}
}

// client shows one client.
func (d *Dashboard) client(w http.ResponseWriter, r *http.Request, v *visit, c *tenant.Client) error {
	return d.showClient(w, r, v, http.StatusOK, c, savedClient(c), savedConnect(&c.Connect))
}

// clientForm is the submitted form of a client, with its name and redirect addresses, and the reason for the refusal.
type clientForm struct {
	name, redirects string
	wrong           error
}

func savedClient(c *tenant.Client) *clientForm {
	return &clientForm{name: c.Name, redirects: strings.Join(c.RedirectURIs, "\n")}
}

func (d *Dashboard) showClient(w http.ResponseWriter, r *http.Request, v *visit, status int, c *tenant.Client, in *clientForm, signOut *connectForm) error {
	connect, err := d.connectView(r, v, c, signOut)
	if err != nil {
		return err
	}
	shown := d.taken(w, r, v)
	page := web.TenantClient{
		TenantClientView: clientView(c), ClientsURL: clientsPath, NameField: nameField(v, in.name, in.wrong), RedirectLines: in.redirects,
		WrongRedirects: errors.Is(in.wrong, tenant.ErrRedirects), Snippets: d.snippets(c), Version: c.Version(), Connect: connect,
	}
	if errors.Is(in.wrong, forms.ErrStale) {
		page.NameField.Wrong = web.StaleText(v.lang, in.name, c.Name)
		page.StaleRedirects = web.StaleText(v.lang, strings.Join(strings.Fields(in.redirects), " "), strings.Join(c.RedirectURIs, " "))
	}
	if errors.Is(in.wrong, forms.ErrStale) || signOut.stale {
		shown.Wrong = "component.stale"
	}
	if shown.Secret != "" {
		page.Secret = &web.Code{ID: "secret", Title: "client_secret", Text: shown.Secret}
	}
	if c.Mode == tenant.Test && c.Active {
		page.TryURL = tryURL(c)
		page.Open = slices.ContainsFunc(c.RedirectURIs, func(uri string) bool { return !oauth.OfThisMachine(uri) })
	}
	return d.show(w, r, v, status, web.PageTenantClient, shown, page)
}

func (d *Dashboard) describeClient(w http.ResponseWriter, r *http.Request, v *visit, c *tenant.Client) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(in.Get("name"))
	_, err = d.Tenants.DescribeClient(r.Context(), v.tenant.ID, c.ID, in.Get(forms.VersionField), name, tenant.Pasted(strings.Fields(in.Get("redirects"))))
	if errors.Is(err, forms.ErrStale) {
		if c, err = d.owned(r, v); err != nil { // the client as it is stored now
			return err
		}
		return d.showClient(w, r, v, http.StatusConflict, c, &clientForm{name, in.Get("redirects"), forms.ErrStale}, savedConnect(&c.Connect))
	}
	if refusesForm(err) {
		return d.showClient(w, r, v, http.StatusBadRequest, c, &clientForm{in.Get("name"), in.Get("redirects"), err}, savedConnect(&c.Connect))
	}
	if err != nil {
		return err
	}
	return d.done(w, v, clientPath(c.ID), once{Done: "tenant.done.saved"})
}

func (d *Dashboard) switchClient(w http.ResponseWriter, r *http.Request, v *visit, c *tenant.Client) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	on := in.Get("active") == "true"
	if _, _, err := d.Tenants.SwitchClient(r.Context(), c.ClientID, on); err != nil {
		return err
	}
	shown := once{Done: "tenant.done.client_off"}
	if on {
		shown.Done = "tenant.done.client_on"
	}
	return d.done(w, v, clientPath(c.ID), shown)
}

func (d *Dashboard) rotateClient(w http.ResponseWriter, r *http.Request, v *visit, c *tenant.Client) error {
	secret, _, err := d.Tenants.RotateSecret(r.Context(), v.tenant.ID, c.ID)
	if errors.Is(err, tenant.ErrPublic) {
		return apierror.AuthClientIsPublic.Err()
	}
	if err != nil {
		return err
	}
	return d.done(w, v, clientPath(c.ID), once{Done: "tenant.done.rotated", Secret: secret})
}
