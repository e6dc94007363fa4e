package api

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/auth/login"
	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/web"
)

// openLink handles the waiting page's link to WhatsApp. The page is the same for every
// login, so it can't hold the deeplink. A person's click activates the login. Any other
// request, and a login without a deeplink, gets the plain page, which shows the status.
func (a *API) openLink(w http.ResponseWriter, r *http.Request, tokens []string) error {
	if err := getOnly(w, r); err != nil {
		return err
	}
	session, q, err := a.requestedSession(r, tokens)
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
	switch _, err := a.logins.Activate(r.Context(), session, web.Language(r), tenant.CallerOf(r.Context())); {
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

// clicked reports whether a person followed a link on a page of this service. The browser must confirm it with fetch
// metadata, which no page can forge. If the browser doesn't send them, Origin or Referer must match. Prefetched pages,
// typed addresses, and links from other programs don't count as clicks.
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

// phonesAddress returns the page of the virtual phones with a deeplink's message ready to send.
func phonesAddress(phonesURL, deeplink string) string {
	link, err := url.Parse(deeplink)
	if err != nil {
		return phonesURL
	}
	q := url.Values{"to": {strings.TrimPrefix(link.Path, "/")}, "text": {link.Query().Get("text")}}
	return phonesURL + "?" + q.Encode()
}

// tryAgain starts the same login again after it has expired, or if no one can prove it.
func (a *API) tryAgain(w http.ResponseWriter, r *http.Request, tokens []string) error {
	if err := getOnly(w, r); err != nil {
		return err
	}
	session, _, err := a.requestedSession(r, tokens)
	if err != nil {
		return err
	}
	over := session.StatusAt(a.now()) == login.Expired && session.EndedBy == ""
	if !over && !a.logins.Unreachable(session) {
		return seeOther(w, plainAddress(session))
	}
	if session.Subject != "" { // the person is in a token that isn't stored, so the application must start again
		v, err := a.logins.HandBack(r.Context(), session)
		if err != nil {
			return err
		}
		return seeOther(w, cmp.Or(v.RedirectURL, plainAddress(session)))
	}
	return seeOther(w, "/authorize?"+session.RestartQuery().Encode())
}

// short handles the address in a login's QR code. It redirects to the deeplink. It gives the
// same response for a login that is unknown, is over, or has no deeplink.
func (a *API) short(w http.ResponseWriter, r *http.Request) error {
	if err := a.limits.authorize(r); err != nil { // the request is not authenticated
		return err
	}
	deeplink, err := a.logins.DeeplinkByShortCode(r.Context(), r.PathValue("code"), web.Language(r))
	if err != nil {
		return err
	}
	if deeplink == "" {
		return apierror.AuthNotFound.Err()
	}
	return seeOther(w, deeplink)
}

// detailsOut is the content of the waiting page in addition to the status.
type detailsOut struct {
	Receiver     *string `json:"receiver"`
	ReceiverText *string `json:"receiverText"` // formatted for people
	Phone        *string `json:"phone"`
	Accent       *string `json:"accent"`
	ReturnHost   string  `json:"returnHost"`
}

// details returns the number to write to and, after the words have arrived, the masked number that sent them.
func (a *API) details(w http.ResponseWriter, r *http.Request, tokens []string) error {
	session, _, err := a.polledSession(r, tokens)
	if err != nil {
		return err
	}
	out := &detailsOut{ReturnHost: oauth.Host(session.RedirectURI)}
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

// appearanceOf returns the current appearance of the pages of a login's tenant.
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
