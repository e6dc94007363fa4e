package dashboard

import (
	"net/http"
	"net/url"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

// The pages for sign-in settings.
const (
	pageSignInSettings = "dashboard_sign_in_settings" // signInSettings
	pageWhatsAppLink   = "dashboard_whatsapp_link"    // whatsAppLink
)

// signInSettings is the page of a person's sign-in methods, and of the methods that an owner allows in the account.
type signInSettings struct {
	Email    string
	WhatsApp bool // sign-in by WhatsApp is available
	Phone    string
	LinkedAt time.Time
	Owner    bool
	Allowed  bool // in this account
	Problem  string
}

// signInSettings handles GET /dashboard/settings/sign-in.
func (d *Dashboard) signInSettings(v *visit) error {
	page := &signInSettings{
		Email: v.caller.Email, WhatsApp: d.o.WhatsApp != nil, Owner: v.caller.Owner(), Problem: whatsAppProblem(v.r),
	}
	l, err := d.o.Directory.WhatsAppLink(v.r.Context(), v.caller.Email)
	if err != nil {
		return err
	}
	if l != nil {
		page.Phone, page.LinkedAt = l.Phone, l.LinkedAt
	}
	if page.Allowed, err = d.o.Directory.WhatsAppSignIn(v.r.Context(), v.caller.Account.ID); err != nil {
		return err
	}
	return d.serve(v, http.StatusOK, pageSignInSettings, settingsPath, page)
}

// session returns the session of a member's request.
func (d *Dashboard) session(w http.ResponseWriter, r *http.Request) (*account.Session, error) {
	s, err := d.sessions.Find(w, r)
	if err == nil && s.Caller == nil {
		err = apierror.AccountRequired.Err()
	}
	return s, err
}

// startLink handles GET /dashboard/settings/sign-in/whatsapp. Nothing is linked until the person confirms it.
func (d *Dashboard) startLink(v *visit) error {
	s, err := d.session(v.w, v.r)
	if err != nil {
		return err
	}
	return d.beginWhatsApp(v.w, v.r, signInSettingsPath, s.ID)
}

// whatsAppLink is the page that asks whether to link a number.
type whatsAppLink struct{ Email, Phone string }

func (d *Dashboard) pendingLink(w http.ResponseWriter, r *http.Request) (*pendingLink, *account.Session, error) {
	s, err := d.session(w, r)
	if err != nil {
		return nil, nil, err
	}
	var p pendingLink
	if !d.kept(r, d.linkCookie(), &p) || p.Session != s.ID || !d.o.Now().Before(p.Until) {
		return nil, s, nil
	}
	return &p, s, nil
}

// showLink handles GET /dashboard/settings/sign-in/link.
func (d *Dashboard) showLink(v *visit) error {
	p, _, err := d.pendingLink(v.w, v.r)
	if err != nil {
		return err
	}
	if p == nil {
		return httpx.SeeOther(v.w, problemURL(signInSettingsPath, whatsAppStray))
	}
	return d.serve(v, http.StatusOK, pageWhatsAppLink, settingsPath, &whatsAppLink{v.caller.Email, p.Phone})
}

// link handles POST /dashboard/settings/sign-in/link.
func (d *Dashboard) link(v *visit) error {
	p, s, err := d.pendingLink(v.w, v.r)
	if err != nil {
		return err
	}
	d.linkCookie().Clear(v.w)
	if p == nil {
		return httpx.SeeOther(v.w, problemURL(signInSettingsPath, whatsAppStray))
	}
	linked, err := d.sessions.LinkWhatsApp(v.r, s, account.WhatsAppLink{Issuer: p.Issuer, Subject: p.Subject, Phone: p.Phone})
	if err == nil && !linked {
		return httpx.SeeOther(v.w, problemURL(signInSettingsPath, whatsAppTaken))
	}
	return v.seeAfter(err, signInSettingsPath+"?done=whatsapp_linked")
}

// unlink handles POST /dashboard/settings/sign-in/remove.
func (d *Dashboard) unlink(v *visit) error {
	s, err := d.session(v.w, v.r)
	if err != nil {
		return err
	}
	return v.seeAfter(d.sessions.UnlinkWhatsApp(v.r, s), signInSettingsPath+"?done=whatsapp_unlinked")
}

// allowWhatsApp handles POST /dashboard/settings/sign-in/account.
func (d *Dashboard) allowWhatsApp(v *visit, form url.Values) error {
	err := d.o.Directory.AllowWhatsAppSignIn(v.r.Context(), v.caller, form.Get("allow") == "yes")
	return v.seeAfter(err, signInSettingsPath+"?done=settings_saved")
}
