package demo

import (
	"errors"
	"net/http"
	"regexp"

	"example.com/griot/web"
)

// refusal is why a login is not finished.
type refusal struct {
	reason string // the key of a text
	code   string // the authorization service's error code
	detail string // its description, or which check failed
}

func (r *refusal) Error() string { return r.reason + " " + r.code + " " + r.detail }

// errorCode is what an error code looks like (RFC 6749 §4.1.2.1, narrowed to what is in use).
var errorCode = regexp.MustCompile(`^[a-z_]{1,64}$`)

// callback is the redirect address of all demo clients.
func (a *App) callback(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	l, ours := a.takeLogin(w, r, query.Get("state"))
	if code := query.Get("error"); code != "" {
		refused := refusal{reason: "demo.reason_denied"}
		if errorCode.MatchString(code) {
			refused.code = code
		}
		if ours { // otherwise anybody could put a text on this page
			refused.detail = query.Get("error_description")
		}
		a.refuse(w, r, http.StatusBadRequest, refused)
		return
	}
	switch code := query.Get("code"); {
	case !ours:
		a.render(w, r, http.StatusOK, web.PageDemoError, web.DemoError{Stray: true, Reason: language(r).T("demo.reason_stray"), StartURL: a.baseURL + startPath})
	case query.Get("iss") != a.authURL:
		a.refuse(w, r, http.StatusBadRequest, refusal{reason: "demo.reason_issuer"})
	case code == "":
		a.refuse(w, r, http.StatusBadRequest, refusal{reason: "demo.reason_code"})
	default:
		a.finish(w, r, l, code)
	}
}

// finish exchanges the code and verifies the token.
func (a *App) finish(w http.ResponseWriter, r *http.Request, l *login, code string) {
	n, c, ok := a.client(l.ClientID)
	if !ok {
		a.refuse(w, r, http.StatusBadRequest, refusal{reason: "demo.reason_client"})
		return
	}
	answer, err := a.exchange(r.Context(), &c, code, l.Verifier)
	if err != nil {
		a.refuse(w, r, http.StatusBadGateway, *asRefusal(err))
		return
	}
	token, err := a.verify(r.Context(), answer.token(), c.ClientID)
	if err != nil {
		a.refuse(w, r, http.StatusBadGateway, *asRefusal(err))
		return
	}
	if answer.Profile["id"] != token.subject {
		a.refuse(w, r, http.StatusBadGateway, refusal{reason: "demo.reason_token", detail: "sub"})
		return
	}
	a.render(w, r, http.StatusOK, web.PageDemoDone, web.DemoDone{
		Client: a.clientData(n, &c), Checks: a.checks(language(r), &c, token),
		Claims: factsOf(token.claims), Profile: factsOf(answer.Profile), StartURL: a.baseURL + startPath,
	})
}

func (a *App) refuse(w http.ResponseWriter, r *http.Request, status int, why refusal) {
	a.render(w, r, status, web.PageDemoError, web.DemoError{
		Reason: language(r).T(why.reason), Code: why.code, Detail: why.detail, StartURL: a.baseURL + startPath,
	})
}

// asRefusal returns the refusal of an error. Any other error is an answer that can't be read.
func asRefusal(err error) *refusal {
	if why, ok := errors.AsType[*refusal](err); ok {
		return why
	}
	return &refusal{reason: "demo.reason_unreachable"}
}
