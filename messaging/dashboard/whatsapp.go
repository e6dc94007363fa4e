package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const (
	whatsAppStartPath    = access.WhatsAppPath + "/start"
	whatsAppCallbackPath = access.WhatsAppPath + "/callback"

	signInSettingsPath = settingsPath + "/sign-in"
	whatsAppLinkPath   = signInSettingsPath + "/link"
)

// WhatsAppCallback is the path to which the login service redirects browsers, below the dashboard's address.
const WhatsAppCallback = whatsAppCallbackPath

// NewWhatsApp returns the client of the login service at issuer with which people sign in to the dashboard at
// address. It connects to the service at its public address, like any application.
func NewWhatsApp(issuer, address, clientID, secret string, now clock.Now) (*login.Client, error) {
	return login.New(login.Options{
		Issuer: issuer, ClientID: clientID, ClientSecret: secret, RedirectURI: address + WhatsAppCallback, Now: now,
		Requests: griot.Options{Tries: 1, Timeout: callTime}, // a person waits for the page
	})
}

func (d *Dashboard) whatsAppRoutes() []httpx.Route {
	return []httpx.Route{
		d.guard.Anyone("GET", whatsAppStartPath, d.startWhatsApp),
		d.guard.Anyone("GET", whatsAppCallbackPath, d.finishWhatsApp),
		d.member("GET", signInSettingsPath, account.MayReadSignIn, d.signInSettings),
		d.member("GET", signInSettingsPath+"/whatsapp", account.MayLinkWhatsApp, d.startLink),
		d.member("GET", whatsAppLinkPath, account.MayLinkWhatsApp, d.showLink),
		d.member("POST", whatsAppLinkPath, account.MayLinkWhatsApp, d.link),
		d.member("POST", signInSettingsPath+"/remove", account.MayReadSignIn, d.unlink),
		d.form(signInSettingsPath+"/account", account.MayAllowWhatsApp, d.allowWhatsApp),
	}
}

const (
	whatsAppTime = 10 * time.Minute // for a sign-in, and then for the confirmation of a link
	callTime     = 10 * time.Second // for a request to the login service
)

// A whatsAppAttempt is a sign-in at the login service that this browser has started.
type whatsAppAttempt struct {
	login.Attempt
	Next  string    `json:"next"`
	Link  string    `json:"link"` // the session whose address the number will be linked to; empty: to sign in
	Until time.Time `json:"until"`
}

// whatsAppCookie binds an attempt to its browser. Only the last attempt that the browser started is valid.
func (d *Dashboard) whatsAppCookie() httpx.TokenCookie {
	return httpx.TokenCookie{Name: "svc_whatsapp", Path: access.WhatsAppPath, Secure: d.own.Secure, Host: true}
}

// linkCookie stores a number that a person has proved, until they confirm that they want to link it.
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

// kept reads the value that keep has stored. It returns false if there is none.
func (d *Dashboard) kept(r *http.Request, cookie httpx.TokenCookie, v any) bool {
	plain, ok, _ := httpx.OneOf(cookie.Values(r), func(value string) ([]byte, bool, error) {
		plain, err := d.box.Open(value, cookie.Name)
		return plain, err == nil, nil
	})
	return ok && json.Unmarshal(plain, v) == nil
}

// beginWhatsApp redirects the browser to the login service.
func (d *Dashboard) beginWhatsApp(w http.ResponseWriter, r *http.Request, next, link string) error {
	client := d.o.WhatsApp
	if client == nil {
		return apierror.NotFound.Err()
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

// offerWhatsApp adds the link for signing in by WhatsApp to the page that asks for an address.
func (d *Dashboard) offerWhatsApp(page *signIn) {
	if d.o.WhatsApp != nil {
		page.WhatsApp = withNext(whatsAppStartPath, page.Next)
	}
}

// startWhatsApp handles GET /api/session/whatsapp/start.
func (d *Dashboard) startWhatsApp(w http.ResponseWriter, r *http.Request) error {
	return d.beginWhatsApp(w, r, httpx.OwnPath(r.URL.Query().Get(nextParam), homePath), "")
}

// The reasons why a sign-in by WhatsApp has failed, as suffixes of text keys.
const (
	whatsAppUnknown = "unknown" // no member has linked the number
	whatsAppOff     = "off"     // the accounts do not allow sign-in by WhatsApp
	whatsAppFailed  = "failed"  // the login was not completed, or its token is invalid
	whatsAppStray   = "stray"   // it was started in another browser, or too long ago
	whatsAppDown    = "down"    // the login service cannot be reached
	whatsAppTaken   = "taken"   // the number belongs to another address
)

const (
	problemParam     = "whatsapp"
	whatsAppProvider = "whatsapp" // the claim of a login with a message on WhatsApp
)

// finishWhatsApp handles GET /api/session/whatsapp/callback. An attempt can be used only once.
func (d *Dashboard) finishWhatsApp(w http.ResponseWriter, r *http.Request) error {
	client := d.o.WhatsApp
	if client == nil {
		return apierror.NotFound.Err()
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

// loginProblem returns the reason why a login cannot be used to sign in, or "". Its person must have proved a real number on WhatsApp.
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

// whatsAppProblem describes the reason for a failure, from the parameter of the redirect.
func whatsAppProblem(r *http.Request) string {
	lang := web.Language(r)
	if key := "dashboard.whatsapp.problem_" + r.URL.Query().Get(problemParam); lang.Has(key) {
		return lang.T(key)
	}
	return ""
}

// A pendingLink is a number that a session's person has proved at the login service.
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
