package api

import (
	"net/http"
	"net/url"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/web"
)

const anID26 = "an ID26"

// session returns the login that a request names, if it belongs to the browser (L33 to L35).
func (a *API) session(r *http.Request, tokens []string, loginKeyID string) (*login.Session, error) {
	switch {
	case len(tokens) == 0:
		return nil, apierror.AuthSessionMissing.Err()
	case loginKeyID == "":
		return nil, missing("loginKeyId")
	case !id.Valid(loginKeyID):
		return nil, apierror.AuthMalformed("loginKeyId", anID26)
	default:
		return a.logins.Owned(r.Context(), loginKeyID, tokens)
	}
}

type activateIn struct {
	LoginKeyID string `json:"loginKeyId"`
}

type activateOut struct {
	Activated bool    `json:"activated"`
	Deeplink  *string `json:"deeplink"`
}

func (a *API) activate(w http.ResponseWriter, r *http.Request, tokens []string) error {
	in := &activateIn{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return err
	}
	session, err := a.session(r, tokens, in.LoginKeyID)
	if err != nil {
		return err
	}
	if err := a.limits.activate(session.ID); err != nil {
		return err
	}
	deeplink, err := a.logins.Activate(r.Context(), session, web.Language(r), tenant.CallerOf(r.Context()))
	if err != nil {
		return err
	}
	out := activateOut{Activated: true}
	if deeplink != "" {
		out.Deeplink = &deeplink
	}
	return httpx.WriteJSON(w, http.StatusCreated, &out)
}

type statusOut struct {
	ID            string          `json:"id"`
	Status        login.Status    `json:"status"`
	Mode          tenant.Mode     `json:"mode"`
	MatchingWords string          `json:"matchingWords"`
	ExpiresAt     string          `json:"expiresAt"`
	ServerTime    string          `json:"serverTime"`
	TenantName    string          `json:"tenantName"`
	Held          login.Held      `json:"held,omitempty"`    // absent for most
	EndedBy       login.EndReason `json:"endedBy,omitempty"` // absent if the login timed out
	RedirectURL   string          `json:"redirectUrl,omitempty"`
}

// requestedSession returns the login that a query names, and the query.
func (a *API) requestedSession(r *http.Request, tokens []string) (*login.Session, url.Values, error) {
	q, err := query(r)
	if err != nil {
		return nil, nil, err
	}
	session, err := a.session(r, tokens, q.Get("loginKeyId"))
	return session, q, err
}

// polledSession returns the login of a poll, within the rate limit of polls.
func (a *API) polledSession(r *http.Request, tokens []string) (*login.Session, url.Values, error) {
	session, q, err := a.requestedSession(r, tokens)
	if err == nil {
		err = a.limits.status(session.ID)
	}
	return session, q, err
}

// polledView returns the view of a login for a poll, with the code if one can be handed back.
func (a *API) polledView(r *http.Request, tokens []string) (login.View, url.Values, error) {
	session, q, err := a.polledSession(r, tokens)
	if err != nil {
		return login.View{}, nil, err
	}
	v, err := a.logins.HandBack(r.Context(), session)
	return v, q, err
}

func (a *API) status(w http.ResponseWriter, r *http.Request, tokens []string) error {
	v, _, err := a.polledView(r, tokens)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, newStatus(&v))
}

func newStatus(v *login.View) *statusOut {
	return &statusOut{
		ID: v.Session.ID, Status: v.Status, Mode: v.Session.Mode, MatchingWords: v.Session.Words,
		ExpiresAt: formatTime(v.Session.ExpiresAt), ServerTime: formatTime(v.At), TenantName: v.Session.TenantName, Held: v.Held, EndedBy: v.EndedBy, RedirectURL: v.RedirectURL,
	}
}

type sandboxIn struct {
	LoginKeyID string `json:"loginKeyId"`
	Phone      string `json:"phoneE164"`
}

// verifiedOut is the response to an accepted proof.
type verifiedOut struct {
	Verified  bool `json:"verified"`
	Duplicate bool `json:"duplicate"`
}

// sandbox proves a TEST login without a message (L78 to L81).
func (a *API) sandbox(w http.ResponseWriter, r *http.Request, tokens []string) error {
	in := &sandboxIn{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return err
	}
	session, err := a.session(r, tokens, in.LoginKeyID)
	if err != nil {
		return err
	}
	duplicate, err := a.proveSandbox(w, r, session, in.Phone)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, verifiedOut{Verified: true, Duplicate: duplicate})
}

// proveSandbox proves a TEST login as if a sandbox number had sent its words.
func (a *API) proveSandbox(w http.ResponseWriter, r *http.Request, session *login.Session, from string) (duplicate bool, err error) {
	number := phone.Number(from)
	switch {
	case session.Mode != tenant.Test:
		return false, apierror.AuthSandboxLiveClient.Err()
	case from == "":
		return false, missing("phoneE164")
	case !number.Sandbox():
		return false, apierror.AuthSandboxNumber.Err()
	}
	if err := a.limits.sandbox(session.ID); err != nil {
		return false, err
	}
	return a.logins.Prove(r.Context(), login.Proof{
		SessionID: session.ID, Phone: number, DisplayName: sandboxName(number), Provider: login.Sandbox,
		Receiver: session.Receiver, Words: session.Words, Caller: tenant.CallerOf(r.Context()),
	})
}

// holdSandbox holds a TEST login as if a person whose number WhatsApp hides had sent its words.
func (a *API) holdSandbox(w http.ResponseWriter, r *http.Request, session *login.Session) error {
	if session.Mode == tenant.Test {
		if err := a.limits.sandbox(session.ID); err != nil {
			return err
		}
	}
	return a.logins.HoldSandbox(r.Context(), session, tenant.CallerOf(r.Context()))
}

// sandboxName returns a name from Sandbox 1 to Sandbox 9. The number that ends in 099 has no name.
func sandboxName(n phone.Number) string {
	if last := n[len(n)-2:]; last[0] == '0' {
		return "Sandbox " + string(last[1:])
	}
	return ""
}
