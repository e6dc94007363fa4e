package operator

import (
	"net/http"
	"strings"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
	"example.com/griot/web"
)

// openPage serves the target page of links. Its script redeems the token in the URL's fragment.
func (p *Pages) openPage(w http.ResponseWriter, r *http.Request) error {
	page := p.signInForm(httpx.OwnPath(r.URL.Query().Get("next"), Home))
	_, _, page.SignedIn = p.session(r)
	if b := browserCookie(r); b.Only(r) == "" { // so that the form can be sent twice
		b.Set(w, id.Token(tokenBytes), 0)
	}
	return p.o.Pages.Serve(w, r, http.StatusOK, web.PageOperatorSignIn, page)
}

// signIn redeems a link's token.
func (p *Pages) signIn(w http.ResponseWriter, r *http.Request) error {
	in, err := p.http.ReadForm(w, r)
	if err != nil {
		return err
	}
	next := httpx.OwnPath(in.Get("next"), Home)
	token, sessionID, fresh, ok := p.sessions.redeem(tokenOf(in.Get("token")), browserCookie(r).Only(r))
	if !ok {
		page := p.signInForm(next)
		page.Wrong = true
		return p.o.Pages.Serve(w, r, http.StatusUnauthorized, web.PageOperatorSignIn, page)
	}
	if fresh {
		if err := p.o.Record(r.Context(), audit.SessionOpened, sessionID); err != nil {
			p.sessions.end(token)
			return err
		}
	}
	cookie(r).Set(w, token, 0)
	return httpx.SeeOther(w, next)
}

// signInForm returns the page that takes a link.
func (p *Pages) signInForm(next string) web.OperatorSignIn {
	return web.OperatorSignIn{Action: signInPath, Next: next, Accounts: p.o.Accounts, Tenants: p.o.Tenants}
}

// tokenOf returns the token of the pasted text, which is the token or the whole link.
func tokenOf(pasted string) string {
	if _, fragment, ok := strings.Cut(pasted, "#"); ok {
		pasted = fragment
	}
	return strings.TrimSpace(pasted)
}

// signOut ends the session.
func (p *Pages) signOut(v *visit) error {
	p.sessions.end(v.token)
	cookie(v.r).Clear(v.w)
	if err := p.o.Record(v.r.Context(), audit.SessionClosed, v.id); err != nil {
		return err
	}
	return httpx.SeeOther(v.w, openPath)
}
