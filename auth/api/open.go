package api

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/web"
)

// openLink is the waiting page's link to WhatsApp: the page is the same for every login
// and cannot hold the deeplink. A person's click activates the login; for everything else,
// and for a login that has no deeplink, the plain page says how it is.
func (a *API) openLink(w http.ResponseWriter, r *http.Request) error {
	if err := getOnly(w, r); err != nil {
		return err
	}
	session, q, err := a.requestedSession(r)
	if err != nil {
		return err
	}
	deeplink := a.logins.Deeplink(session, web.Language(r))
	if deeplink == "" || !a.clicked(r) {
		return seeOther(w, plainAddress(session))
	}
	if err := a.limits.activate(session.ID); err != nil {
		return err
	}
	switch _, err := a.logins.Activate(r.Context(), session, web.Language(r), caller(w, r)); {
	case statusChanged(err):
		return seeOther(w, plainAddress(session))
	case err != nil:
		return err
	}
	if q.Get("in") == "phones" && a.phonesURL != "" {
		deeplink = phonesAddress(a.phonesURL, deeplink)
	}
	return seeOther(w, deeplink)
}

// clicked reports whether a person followed a link on a page of this service. The browser must say so: by fetch metadata,
// which no page can forge, or where it doesn't send them, by Origin or Referer. A browser that loads pages in advance, and an
// address that was typed in or came from another program, are no click.
func (a *API) clicked(r *http.Request) bool {
	h := r.Header
	if h.Get("Sec-Purpose") != "" || h.Get("Purpose") != "" || h.Get("X-Moz") != "" {
		return false
	}
	if site := h.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin" && h.Get("Sec-Fetch-Mode") == "navigate"
	}
	if origin := h.Get("Origin"); origin != "" {
		return origin == a.own.URL
	}
	return strings.HasPrefix(h.Get("Referer"), a.own.URL+"/")
}

// phonesAddress is where the virtual phones have a deeplink's message ready to be sent.
func phonesAddress(phonesURL, deeplink string) string {
	link, err := url.Parse(deeplink)
	if err != nil {
		return phonesURL
	}
	q := url.Values{"to": {strings.TrimPrefix(link.Path, "/")}, "text": {link.Query().Get("text")}}
	return phonesURL + "?" + q.Encode()
}

// tryAgain starts the same login again, once it has expired.
func (a *API) tryAgain(w http.ResponseWriter, r *http.Request) error {
	if err := getOnly(w, r); err != nil {
		return err
	}
	session, _, err := a.requestedSession(r)
	if err != nil {
		return err
	}
	if session.StatusAt(a.now()) != login.Expired || session.EndedBy != "" {
		return seeOther(w, plainAddress(session))
	}
	if session.Subject != "" { // whom the application asks for is in a token that isn't stored: it starts again
		v, err := a.logins.HandBack(r.Context(), session)
		if err != nil {
			return err
		}
		return seeOther(w, cmp.Or(v.RedirectURL, plainAddress(session)))
	}
	return seeOther(w, "/authorize?"+session.RestartQuery().Encode())
}

// short is the address in a login's QR code. It redirects to the deeplink, and gives the same
// answer for a login that is unknown, is over, or has no deeplink.
func (a *API) short(w http.ResponseWriter, r *http.Request) error {
	if err := a.limits.authorize(r); err != nil { // the request is not authenticated
		return err
	}
	deeplink, err := a.logins.DeeplinkByShortCode(r.Context(), r.PathValue("code"), web.Language(r))
	if err != nil {
		return err
	}
	if deeplink == "" {
		return fault.AuthNotFound.Err()
	}
	return seeOther(w, deeplink)
}

// detailsOut is what the waiting page shows beside the status.
type detailsOut struct {
	Receiver     *string `json:"receiver"`
	ReceiverText *string `json:"receiverText"` // as people read it
	Phone        *string `json:"phone"`
	Accent       *string `json:"accent"`
}

// details returns the number to write to, and once the words have come, the masked number that sent them.
func (a *API) details(w http.ResponseWriter, r *http.Request) error {
	session, _, err := a.polledSession(r)
	if err != nil {
		return err
	}
	out := &detailsOut{}
	if number := a.logins.ReceiverNumber(session); number != "" {
		out.Receiver, out.ReceiverText = &number, new(phone.Grouped(number))
	}
	if session.Phone != "" {
		out.Phone = new(session.Phone.Masked())
	}
	look, err := a.appearanceOf(r, session)
	if err != nil {
		return err
	}
	if look.Accent != "" {
		out.Accent = &look.Accent
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// appearanceOf returns how the pages of a login look, as its tenant has them now.
func (a *API) appearanceOf(r *http.Request, session *login.Session) (tenant.Appearance, error) {
	c, err := a.tenants.Client(r.Context(), session.ClientID)
	if err != nil || c == nil {
		return tenant.Appearance{}, err
	}
	return tenant.Appearance{Name: c.TenantName, Accent: c.TenantAccent, Logo: c.TenantLogo}, nil
}

func plainAddress(session *login.Session) string { return plainPath + "?loginKeyId=" + session.ID }

// seeOther redirects the browser, without a Referer to other sites.
func seeOther(w http.ResponseWriter, address string) error {
	w.Header().Set("Referrer-Policy", "same-origin")
	return httpx.SeeOther(w, address)
}
