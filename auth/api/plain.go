package api

import (
	"errors"
	"html/template"
	"net/http"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/web"
)

const (
	plainPath    = "/authorize/page"
	plainRefresh = "5" // seconds until the page reloads
)

// plain serves the waiting page for browsers without JavaScript. The page shows the
// login's status, reloads itself, and redirects to the client.
func (a *API) plain(w http.ResponseWriter, r *http.Request, tokens []string) error {
	if err := getOnly(w, r); err != nil { // a HEAD would start the code's lifetime
		return err
	}
	v, q, err := a.polledView(r, tokens)
	if err != nil {
		return err
	}
	// A redirect to another site right after a form counts as the form's own, which the
	// page's policy forbids (form-action). So that page reloads once more.
	if v.Status == login.Verified && q.Get("posted") == "" {
		return seeOther(w, v.RedirectURL)
	}
	if a.logins.Unreachable(v.Session) && !a.logins.Configured() {
		return login.NoLoginNumber()
	}
	data := a.plainData(&v)
	look, err := a.appearanceOf(r, v.Session)
	if err != nil {
		return err
	}
	data.Accent, data.Logo = look.Accent, look.Logo
	if data.View == web.PlainOpen {
		w.Header().Set("Refresh", plainRefresh+";url="+plainAddress(v.Session))
	}
	return a.page(w, r, web.PagePlain, data)
}

func (a *API) plainData(v *login.View) web.Plain {
	s := v.Session
	p := web.Plain{
		LoginKeyID: s.ID, Tenant: s.TenantName, Host: oauth.Host(s.RedirectURI), Words: s.Words, Test: s.Mode == tenant.Test,
		SecondsRemaining: int((s.ExpiresAt.Sub(v.At) + time.Second - 1) / time.Second),
		EndedBy:          string(v.EndedBy),
		Held:             string(v.Held),
		Back:             template.URL(v.RedirectURL), //nolint:gosec // a registered address, which may have an application's own scheme
	}
	switch v.Status {
	case login.Pending, login.Activated:
		p.View = web.PlainOpen
	case login.Verified:
		p.View = web.PlainVerified
	case login.Consumed:
		p.View = web.PlainConsumed
	case login.Expired:
		p.View = web.PlainExpired
	}
	if s.Phone != "" {
		p.Phone = s.Phone.Masked()
	}
	if p.Test {
		for _, n := range phone.SandboxNumbers() {
			p.Numbers = append(p.Numbers, string(n))
		}
	} else {
		p.Receiver, p.PhonesURL = a.logins.ReceiverNumber(s), a.phonesURL
	}
	return p
}

// plainForm handles the forms of that page, under the rules of /authorize/activate
// and /authorize/sandbox.
func (a *API) plainForm(w http.ResponseWriter, r *http.Request, tokens []string) error {
	if httpx.MediaType(r) != httpx.TypeForm {
		return apierror.AuthMediaType.Err()
	}
	form, err := a.http.ReadForm(w, r)
	if err != nil {
		return err
	}
	session, err := a.session(r, tokens, form.Get("loginKeyId"))
	if err != nil {
		return err
	}
	switch form.Get("action") {
	case "activate":
		if err = a.limits.activate(session.ID); err == nil {
			_, err = a.logins.Activate(r.Context(), session, web.Language(r), tenant.CallerOf(r.Context()))
		}
	case "sandbox":
		_, err = a.proveSandbox(w, r, session, form.Get("phoneE164"))
	case "hidden":
		err = a.holdSandbox(w, r, session)
	case "":
		err = missing("action")
	default:
		err = apierror.AuthMalformed("action", "activate, sandbox, or hidden")
	}
	if err != nil && !statusChanged(err) {
		return err
	}
	return seeOther(w, plainAddress(session)+"&posted=1")
}

// statusChanged reports whether a login is already past the requested step. The page then shows the current status.
func statusChanged(err error) bool {
	for _, k := range []*apierror.Kind{apierror.AuthLoginNotPending, apierror.AuthLoginExpired, apierror.AuthPhoneConflict} {
		if errors.Is(err, k.Err()) {
			return true
		}
	}
	return false
}
