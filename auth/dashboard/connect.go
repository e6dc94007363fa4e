package dashboard

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/visible"
	"example.com/griot/web"
)

// connectForm is the submitted form with a client's settings for OpenID Connect and native applications, and the reason
// for the refusal.
type connectForm struct {
	redirects, logoutURI string
	allowed              bool // the setting of the client's type: [tenant.Connect.StateOptional] or [tenant.Connect.AnyLoopbackPort]
	emailDomain          string
	verified             string // true, false, or empty
	username             string // a [tenant.UsernameForm]
	wrongRedirects       bool
	wrongURI, stale      bool
	wrongDomain          string // key of the problem with the domain; empty: none
	wrongVerified        bool   // the domain isn't proven
	confirm              bool   // the form asks before it replaces a domain or a form of user names
}

func savedConnect(c *tenant.Connect) *connectForm {
	return &connectForm{
		redirects: strings.Join(c.PostLogoutRedirectURIs, "\n"), logoutURI: c.BackchannelLogoutURI, allowed: c.StateOptional || c.AnyLoopbackPort,
		emailDomain: c.EmailDomain, verified: c.EmailVerifiedText(), username: string(c.PreferredUsername),
	}
}

// connect returns the settings of a submitted form of a client.
func (f *connectForm) connect(c *tenant.Client) tenant.Connect {
	out := tenant.Connect{
		PostLogoutRedirectURIs: tenant.Pasted(strings.Fields(f.redirects)), BackchannelLogoutURI: f.logoutURI,
		StateOptional: f.allowed && c.Type == tenant.Confidential, AnyLoopbackPort: f.allowed && c.Type == tenant.Public,
		EmailDomain: f.emailDomain, PreferredUsername: tenant.UsernameForm(f.username),
	}
	if verified, err := strconv.ParseBool(f.verified); err == nil && f.emailDomain != "" {
		out.EmailVerified = &verified
	}
	return out
}

// connectView returns the form for a client's page, with the health of the deliveries of logout tokens.
func (d *Dashboard) connectView(r *http.Request, v *visit, c *tenant.Client, in *connectForm) (view web.TenantConnect, err error) {
	view = web.TenantConnect{
		URL: clientPath(c.ID) + "/connect", Version: c.Connect.Version(), RedirectLines: in.redirects, WrongRedirects: in.wrongRedirects,
		LogoutURI: web.Field{ID: "backchannel", Name: "backchannel", Type: "url", Label: v.lang.T("tenant.connect.backchannel"), Value: in.logoutURI, Hint: v.lang.T("tenant.connect.backchannel_hint")},
	}
	view.Allowed, view.Allows, view.AllowsHint = in.allowed, v.lang.T("tenant.connect.state_optional"), v.lang.T("tenant.connect.state_optional_hint")
	if c.Type == tenant.Public {
		view.Allows, view.AllowsHint = v.lang.T("tenant.connect.any_port"), v.lang.T("tenant.connect.any_port_hint")
	}
	if err := d.addClaims(r, v, &view, c, in); err != nil {
		return view, err
	}
	switch {
	case in.stale:
		view.LogoutURI.Wrong = web.StaleText(v.lang, in.logoutURI, c.Connect.BackchannelLogoutURI)
		view.StaleAllowed = web.StaleText(v.lang, onOrOff(v, in.allowed), onOrOff(v, savedConnect(&c.Connect).allowed))
		view.StaleRedirects = web.StaleText(v.lang, strings.Join(strings.Fields(in.redirects), " "), strings.Join(c.Connect.PostLogoutRedirectURIs, " "))
	case in.wrongURI:
		view.LogoutURI.Wrong = v.lang.T("tenant.connect.backchannel_wrong")
	}
	if c.Connect.BackchannelLogoutURI == "" {
		return view, nil
	}
	s, err := d.Clients.State(r.Context(), c.ID)
	if err != nil || s == nil {
		return view, err
	}
	state := &endpoint{}
	state.describe(v, s, d.Now())
	if !s.DisabledAt.IsZero() {
		state.Problem.Text = v.lang.T("tenant.connect.disabled")
	}
	view.State, view.Problem = &state.State, state.Problem
	return view, nil
}

// addClaims adds the fields for email and preferred_username to a form.
func (d *Dashboard) addClaims(r *http.Request, v *visit, view *web.TenantConnect, c *tenant.Client, in *connectForm) error {
	saved := savedConnect(&c.Connect)
	view.DomainsURL = domainsPath
	view.EmailDomain = web.Field{
		ID: "email-domain", Name: "emailDomain", Label: v.lang.T("tenant.connect.domain"), Value: in.emailDomain, Placeholder: "people.example.com", Hint: v.lang.T("tenant.connect.domain_hint"),
	}
	view.Verified = web.Select{
		ID: "email-verified", Name: "emailVerified", Label: v.lang.T("tenant.connect.verified"), Hint: v.lang.T("tenant.connect.verified_hint"),
		Options: verifiedChoices.options(v, in.verified),
	}
	view.Username = web.Select{
		ID: "preferred-username", Name: "preferredUsername", Label: v.lang.T("tenant.connect.username"), Hint: v.lang.T("tenant.connect.username_hint"),
		Options: usernameChoices.options(v, in.username),
	}
	switch {
	case in.stale:
		view.EmailDomain.Wrong = web.StaleText(v.lang, in.emailDomain, saved.emailDomain)
		view.Verified.Wrong = verifiedChoices.stale(v, in.verified, saved.verified)
		view.Username.Wrong = usernameChoices.stale(v, in.username, saved.username)
	case in.wrongDomain != "":
		view.EmailDomain.Wrong = v.lang.T(in.wrongDomain)
	case in.wrongVerified:
		view.Verified.Wrong = v.lang.T("tenant.connect.verified_wrong")
	}
	if in.confirm {
		view.Confirm = &web.TenantConfirmClaims{EmailDomain: saved.emailDomain, PreferredUsername: saved.username}
	}
	state, err := d.Tenants.EmailDomain(r.Context(), c)
	view.Taken = state == tenant.DomainTaken
	view.Unproven = state == tenant.DomainUnproven && saved.verified == "true"
	return err
}

// choices are the values of a choice with the keys of their labels.
type choices []struct{ value, text string }

var (
	verifiedChoices = choices{{"", "tenant.connect.verified_none"}, {"false", "tenant.connect.verified_false"}, {"true", "tenant.connect.verified_true"}}
	usernameChoices = choices{
		{"", "tenant.connect.username_none"}, {string(tenant.UsernameSub), "tenant.connect.username_sub"}, {string(tenant.UsernameName), "tenant.connect.username_name"},
	}
)

func (c choices) options(v *visit, chosen string) (out []web.Option) {
	for _, one := range c {
		out = append(out, web.Option{Value: one.value, Label: v.lang.T(one.text), Selected: one.value == chosen})
	}
	return out
}

// stale returns the text of a stale form; see [web.StaleText].
func (c choices) stale(v *visit, typed, saved string) string {
	for _, one := range c {
		if one.value == saved && typed != saved {
			return v.lang.T("component.stale_value", v.lang.T(one.text))
		}
	}
	return ""
}

// onOrOff names the state of a checkbox.
func onOrOff(v *visit, on bool) string {
	if on {
		return v.lang.T("tenant.connect.on")
	}
	return v.lang.T("tenant.connect.off")
}

// changeConnect handles POST /dashboard/clients/{id}/connect.
func (d *Dashboard) changeConnect(w http.ResponseWriter, r *http.Request, v *visit, c *tenant.Client) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	sent := &connectForm{
		redirects: in.Get("after"), logoutURI: visible.Trim(in.Get("backchannel")), allowed: in.Has("allow"),
		emailDomain: visible.Trim(in.Get("emailDomain")), verified: in.Get("emailVerified"), username: in.Get("preferredUsername"),
	}
	var replaced tenant.Replaced
	if in.Has("confirm") {
		replaced = tenant.Replaced{EmailDomain: in.Get("replacesEmailDomain"), PreferredUsername: tenant.UsernameForm(in.Get("replacesPreferredUsername"))}
	}
	if sent.wrongURI = sent.logoutURI != "" && d.Clients.CheckURL(sent.logoutURI) != nil; sent.wrongURI {
		return d.showClient(w, r, v, http.StatusBadRequest, c, savedClient(c), sent)
	}
	_, err = d.Clients.Set(r.Context(), v.tenant.ID, c.ID, in.Get(forms.VersionField), sent.connect(c), replaced)
	switch {
	case errors.Is(err, forms.ErrStale):
		if c, err = d.owned(r, v); err != nil { // the client as it is stored now
			return err
		}
		sent.stale = true
		return d.showClient(w, r, v, http.StatusConflict, c, savedClient(c), sent)
	case errors.Is(err, apierror.AuthReplacesMismatch.Err()):
		sent.confirm = true
		return d.showClient(w, r, v, http.StatusConflict, c, savedClient(c), sent)
	case errors.Is(err, apierror.AuthDomainTaken.Err()):
		sent.wrongDomain = "tenant.connect.domain_taken"
		return d.showClient(w, r, v, http.StatusConflict, c, savedClient(c), sent)
	case errors.Is(err, apierror.AuthDomainNotProven.Err()):
		sent.wrongVerified = true
		return d.showClient(w, r, v, http.StatusConflict, c, savedClient(c), sent)
	case errors.Is(err, tenant.ErrEmailDomain):
		sent.wrongDomain = "tenant.domains.wrong"
		return d.showClient(w, r, v, http.StatusBadRequest, c, savedClient(c), sent)
	case errors.Is(err, tenant.ErrAfterSignOut):
		sent.wrongRedirects = true
		return d.showClient(w, r, v, http.StatusBadRequest, c, savedClient(c), sent)
	case err != nil:
		return err
	}
	return d.done(w, v, clientPath(c.ID), once{Done: "tenant.done.saved"})
}
