package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/session"
	"example.com/griot/web"
)

const (
	whatsAppStartPath    = session.WhatsAppPath + "/start"
	whatsAppCallbackPath = session.WhatsAppPath + "/callback"

	signInSettingsPath = settingsPath + "/sign-in"
	whatsAppLinkPath   = signInSettingsPath + "/link"
)

// WhatsAppCallback is where the login service sends browsers back to, below the dashboard's address.
const WhatsAppCallback = whatsAppCallbackPath

// NewWhatsApp returns the client of the login service at issuer by which people sign in to the dashboard at address. It reaches
// the service at its public address, as any application does.
func NewWhatsApp(issuer, address, clientID, secret string, now clock.Now) (*login.Client, error) {
	return login.New(login.Options{
		Issuer: issuer, ClientID: clientID, ClientSecret: secret, RedirectURI: address + WhatsAppCallback, Now: now,
		Requests: griot.Options{Tries: 1, Timeout: callTime}, // somebody waits for the page
	})
}

func (d *Dashboard) whatsAppRoutes() []httpx.Route {
	return []httpx.Route{
		d.guard.Anyone("GET", whatsAppStartPath, d.startWhatsApp),
		d.guard.Anyone("GET", whatsAppCallbackPath, d.finishWhatsApp),
		d.member("GET", signInSettingsPath, session.Members, d.signInSettings),
		d.member("GET", signInSettingsPath+"/whatsapp", session.Members.WithCode(), d.startLink),
		d.member("GET", whatsAppLinkPath, session.Members.WithCode(), d.showLink),
		d.member("POST", whatsAppLinkPath, session.Members.WithCode(), d.link),
		d.member("POST", signInSettingsPath+"/remove", session.Members, d.unlink),
		d.form(signInSettingsPath+"/account", session.Owners.WithCode(), d.allowWhatsApp),
	}
}

const (
	whatsAppTime = 10 * time.Minute // for a sign-in, and then for a link to be confirmed
	callTime     = 10 * time.Second // of a request to the login service
)

// whatsAppAttempt is a sign-in at the login service that this browser has begun.
type whatsAppAttempt struct {
	login.Attempt
	Next  string    `json:"next"`
	Link  string    `json:"link"` // the session whose address the number is to be linked to; empty: to sign in
	Until time.Time `json:"until"`
}

// whatsAppCookie binds an attempt to its browser; the last one that it began counts.
func (d *Dashboard) whatsAppCookie() httpx.TokenCookie {
	return httpx.TokenCookie{Name: "svc_whatsapp", Path: session.WhatsAppPath, Secure: d.own.Secure, Host: true}
}

// linkCookie keeps who has shown a number until they confirm that they want to link it.
func (d *Dashboard) linkCookie() httpx.TokenCookie {
	return httpx.TokenCookie{Name: "svc_whatsapp_link", Path: whatsAppLinkPath, Secure: d.own.Secure, Host: true}
}

func (d *Dashboard) keep(w http.ResponseWriter, cookie httpx.TokenCookie, v any) error {
	plain, err := json.Marshal(v)
	if err != nil {
		return err
	}
	cookie.Set(w, d.box.Seal(plain, cookie.Name), int(whatsAppTime.Seconds()))
	return nil
}

// kept reads what keep has kept; false: nothing.
func (d *Dashboard) kept(r *http.Request, cookie httpx.TokenCookie, v any) bool {
	plain, ok, _ := httpx.OneOf(cookie.Values(r), func(value string) ([]byte, bool, error) {
		plain, err := d.box.Open(value, cookie.Name)
		return plain, err == nil, nil
	})
	return ok && json.Unmarshal(plain, v) == nil
}

// beginWhatsApp leads the browser to the login service.
func (d *Dashboard) beginWhatsApp(w http.ResponseWriter, r *http.Request, next, link string) error {
	client := d.o.WhatsApp
	if client == nil {
		return fault.NotFound.Err()
	}
	if err := d.sessions.TrySignIn(r); err != nil {
		return err
	}
	a := client.Attempt(login.StartOptions{UILocales: string(web.Language(r))})
	if err := d.keep(w, d.whatsAppCookie(), whatsAppAttempt{*a, next, link, d.o.Now().Add(whatsAppTime)}); err != nil {
		return err
	}
	return httpx.SeeOther(w, a.URL)
}

// offerWhatsApp puts the way to WhatsApp on the page that asks for an address.
func (d *Dashboard) offerWhatsApp(page *signIn) {
	if d.o.WhatsApp != nil {
		page.WhatsApp = withNext(whatsAppStartPath, page.Next)
	}
}

// startWhatsApp: GET /api/session/whatsapp/start.
func (d *Dashboard) startWhatsApp(w http.ResponseWriter, r *http.Request) error {
	return d.beginWhatsApp(w, r, httpx.OwnPath(r.URL.Query().Get(nextParam), homePath), "")
}

// Why a sign-in by WhatsApp has not worked: the ends of keys of texts.
const (
	whatsAppUnknown = "unknown" // no member has linked the number
	whatsAppOff     = "off"     // the accounts do not let people in by WhatsApp
	whatsAppFailed  = "failed"  // the login was not finished, or its token is not what it must be
	whatsAppStray   = "stray"   // it was not begun in this browser, or too long ago
	whatsAppDown    = "down"    // the login service can't be asked
	whatsAppTaken   = "taken"   // the number is another address's
)

const (
	problemParam     = "whatsapp"
	whatsAppProvider = "whatsapp" // the claim of a login by a message on WhatsApp
)

// finishWhatsApp: GET /api/session/whatsapp/callback. An attempt serves once.
func (d *Dashboard) finishWhatsApp(w http.ResponseWriter, r *http.Request) error {
	client := d.o.WhatsApp
	if client == nil {
		return fault.NotFound.Err()
	}
	var a whatsAppAttempt
	if !d.kept(r, d.whatsAppCookie(), &a) || !d.o.Now().Before(a.Until) {
		return httpx.SeeOther(w, problemURL(signInPath, whatsAppStray))
	}
	back := withNext(signInPath, a.Next)
	if a.Link != "" {
		back = signInSettingsPath
	}
	d.whatsAppCookie().Clear(w)
	if err := d.sessions.TrySignIn(r); err != nil {
		return err
	}
	who, err := client.Complete(r.Context(), r.URL.Query(), &a.Attempt)
	if problem := loginProblem(who, err); problem != "" {
		return httpx.SeeOther(w, problemURL(back, problem))
	}
	if a.Link != "" {
		return d.confirmLink(w, r, &a, who.Claims)
	}
	how, err := d.sessions.SignInByWhatsApp(w, r, who.Claims.Issuer, who.Claims.Subject)
	if err != nil {
		return err
	}
	switch how {
	case account.Opened:
		return httpx.SeeOther(w, a.Next)
	case account.SwitchedOff:
		return httpx.SeeOther(w, problemURL(back, whatsAppOff))
	case account.NotLinked:
	}
	return httpx.SeeOther(w, problemURL(back, whatsAppUnknown))
}

// loginProblem says why a login is no sign-in by WhatsApp, or returns "": its person must have proved a real number on WhatsApp.
func loginProblem(who *login.SignedIn, err error) string {
	if own, ok := errors.AsType[*login.Error](err); ok {
		switch {
		case errors.Is(own, login.ErrStateMismatch), errors.Is(own, login.ErrNoLogin):
			return whatsAppStray
		case errors.Is(own, login.ErrInvalidKeys):
			return whatsAppDown
		}
		return whatsAppFailed
	}
	if refused, ok := errors.AsType[*griot.Error](err); ok && refused.HTTPStatus < http.StatusInternalServerError {
		return whatsAppFailed
	}
	switch {
	case err != nil:
		return whatsAppDown
	case who.Claims.Provider != whatsAppProvider || who.Claims.Phone == "" || !who.Claims.PhoneVerified:
		return whatsAppFailed
	}
	return ""
}

func problemURL(path, problem string) string {
	u, err := url.Parse(path)
	if err != nil {
		return signInPath
	}
	q := u.Query()
	q.Set(problemParam, problem)
	u.RawQuery = q.Encode()
	return u.String()
}

// whatsAppProblem says what has not worked, by the address that it led to.
func whatsAppProblem(r *http.Request) string {
	lang := web.Language(r)
	if key := "dashboard.whatsapp.problem_" + r.URL.Query().Get(problemParam); lang.Has(key) {
		return lang.T(key)
	}
	return ""
}

// pendingLink is a number that a session's person has shown at the login service.
type pendingLink struct {
	Session string    `json:"session"`
	Issuer  string    `json:"issuer"`
	Subject string    `json:"subject"`
	Phone   string    `json:"phone"` // masked
	Until   time.Time `json:"until"`
}

func (d *Dashboard) confirmLink(w http.ResponseWriter, r *http.Request, a *whatsAppAttempt, who *login.Claims) error {
	s, err := d.sessions.Find(w, r)
	if err != nil {
		return d.unlessSignedOut(w, r, err)
	}
	number, ok := phone.Parse(who.Phone)
	if s.ID != a.Link || !ok {
		return httpx.SeeOther(w, problemURL(signInSettingsPath, whatsAppStray))
	}
	if err := d.keep(w, d.linkCookie(), pendingLink{s.ID, who.Issuer, who.Subject, number.Masked(), d.o.Now().Add(whatsAppTime)}); err != nil {
		return err
	}
	return httpx.SeeOther(w, whatsAppLinkPath)
}
