package operator

import (
	"cmp"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/verb"
	"example.com/griot/web"
)

// visit is a request of a signed-in operator.
type visit struct {
	w     http.ResponseWriter
	r     *http.Request
	pages *Pages
	token string // of the session
	id    string // of the session
	lang  i18n.Lang
	wrong string // key of the sentence that explains why a form is shown again
}

type visitHandler func(v *visit) error

// ownMachine refuses requests from other machines, through a proxy, and with a host name that another site could have
// pointed to this machine.
func (p *Pages) ownMachine(next http.Handler) http.Handler {
	return p.http.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if !httpx.IsLoopback(strings.ToLower(httpx.Host(r))) || !httpx.DirectLoopback(r) {
			return errForeignHost.Err()
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// sameOrigin refuses requests from other pages, and those without an Origin.
func (p *Pages) sameOrigin(next http.Handler) http.Handler {
	return p.http.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if !httpx.SameOrigin(r, "http://"+r.Host) {
			return errForeignOrigin.Err()
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// cookie returns the cookie of a session. Browsers send a machine's cookies to all its ports, so its name contains the
// port. Two servers on one machine therefore have separate sessions.
func cookie(r *http.Request) httpx.TokenCookie {
	_, port, _ := net.SplitHostPort(r.Host)
	return httpx.TokenCookie{Name: "griot_operator_" + port, Strict: true}
}

// session returns the token and the ID of the request's session.
func (p *Pages) session(r *http.Request) (token, sessionID string, ok bool) {
	token, ok, _ = httpx.OneOf(cookie(r).Tokens(r), func(token string) (string, bool, error) {
		_, ok := p.sessions.find(token)
		return token, ok, nil
	})
	sessionID, _ = p.sessions.find(token)
	return token, sessionID, ok
}

// browserCookie returns the cookie of a browser in which an operator signs in. It lasts until the browser is closed.
func browserCookie(r *http.Request) httpx.TokenCookie {
	c := cookie(r)
	c.Name += "_browser"
	return c
}

// page requires a session, and redirects to the sign-in page without one.
func (p *Pages) page(next visitHandler) http.Handler {
	return p.http.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if token, sessionID, ok := p.session(r); ok {
			v := &visit{w: w, r: r, pages: p, token: token, id: sessionID, lang: web.Language(r)}
			return v.missing(next(v))
		}
		if kept, err := p.unsent.Refused(w, r); kept || err != nil {
			return err
		}
		back := url.Values{}
		if r.Method == http.MethodGet && r.URL.Path != Home {
			back.Set("next", r.URL.RequestURI())
		}
		return httpx.SeeOther(w, httpx.WithQuery(openPath, back))
	})
}

// formOwner is the owner of all forms, because anyone with the master key is the operator.
const formOwner = "operator"

// showUnsent shows a form whose session had ended.
func (p *Pages) showUnsent(v *visit) error { return p.unsent.Show(v.w, v.r, formOwner, nil) }

// missing converts a verb's refusal for a page to "not found".
func (v *visit) missing(err error) error {
	if text, ok := verb.Refusal(err); ok && v.r.Method == http.MethodGet {
		return kinds.NotFound.Err().Detailf("%s", text)
	}
	return err
}

// form requires a session and the pages' own origin.
func (p *Pages) form(next visitHandler) http.Handler { return p.sameOrigin(p.page(next)) }

// ask runs a verb and reads its result.
func ask[Out any](v *visit, name string, in any) (out Out, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	raw, err := v.pages.o.Verbs().Call(v.r.Context(), name, body)
	if err != nil {
		return out, err
	}
	v.pages.o.Log.Info("admin", "verb", name, "requestId", httpx.RequestID(v.w), "session", v.id)
	return out, json.Unmarshal(raw, &out)
}

// act runs a form's verb, and redirects to a page that shows the confirmation or the refusal.
func (v *visit) act(next, name string, in any, doneKey string) error {
	_, err := ask[json.RawMessage](v, name, in)
	if text, refused := verb.Refusal(err); refused {
		return v.leave(next, flash{refusal: text})
	}
	if err != nil {
		return err
	}
	return v.leave(next, flash{done: doneKey})
}

// leave redirects from a form to a page, which shows the content once.
func (v *visit) leave(next string, o flash) error {
	v.pages.sessions.leave(v.token, o)
	return httpx.SeeOther(v.w, next)
}

// show responds with a page.
func (v *visit) show(page string, data any) error {
	return v.showForm(http.StatusOK, page, data, "")
}

// showForm responds with a page whose form was refused, with the submitted values.
func (v *visit) showForm(status int, page string, data any, refusal string) error {
	shell := v.shell()
	if refusal != "" {
		shell.Refusal = refusal
	}
	return v.pages.o.Pages.ServeApp(v.w, v.r, status, page, shell, data)
}

// shell returns the frame around a page.
func (v *visit) shell() *web.Shell {
	s := &web.Shell{Service: v.lang.T("operator.service"), Home: Home, Person: v.lang.T("operator.person"), SignOut: signOutPath, Now: v.pages.o.Now(), Nav: v.nav(), FormMark: v.pages.unsent.Mark(v.r, formOwner, "")}
	shown := v.pages.sessions.take(v.token)
	s.Refusal, s.Done = shown.refusal, shown.text
	if shown.done != "" {
		s.Done = v.lang.T(shown.done)
	}
	if wrong := cmp.Or(v.wrong, shown.wrong); wrong != "" {
		s.Wrong = v.lang.T(wrong) // a sentence without a key stays as it is
	}
	if shown.secret != "" {
		s.Secret = &web.Code{ID: "secret", Title: shown.title, Text: shown.secret}
	}
	return s
}

// nav returns the navigation with the current page.
func (v *visit) nav() []web.NavGroup {
	item := func(path, label, icon string) web.NavItem {
		return web.NavItem{URL: path, Label: v.lang.T(label), Icon: icon, Current: v.r.URL.Path == path || path != Home && httpx.Below(v.r.URL.Path, path)}
	}
	return []web.NavGroup{
		{Items: []web.NavItem{item(Home, "operator.nav.health", "chart"), item(Home+"/audit", "operator.nav.audit", "list"), item(lookupPath, "operator.nav.messages", "search")}},
		{Title: v.lang.T("operator.nav.messaging"), Items: []web.NavItem{item(Home+"/requests", "operator.nav.requests", "inbox"), item(Home+"/accounts", "operator.nav.accounts", "people"), item(Home+"/plans", "operator.nav.plans", "card"), item(Home+"/gateways", "operator.nav.gateways", "send"), item(Home+"/senders", "operator.nav.senders", "phone"), item(Home+"/webhooks", "operator.nav.webhooks", "webhook"), item(prefixesPath, "operator.nav.prefixes", "shield")}},
		{Title: v.lang.T("operator.nav.login"), Items: []web.NavItem{item(Home+"/tenants", "operator.nav.tenants", "home"), item(Home+"/whatsapp-ids", "operator.nav.whatsapp_ids", "phone"), item(signingPath, "operator.nav.signing", "lock")}},
	}
}
