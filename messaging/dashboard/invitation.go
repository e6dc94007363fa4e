package dashboard

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const pageInvitation = "dashboard_invitation" // invitations

// invitations is the page of who is invited. Links in mails lead there, and whatever fetches links accepts nothing: it takes
// a code from an email, that of the invitation or another one.
type invitations struct {
	Email   string    // empty: nobody is signed in
	Code    *joinForm // nil: the session's person has given a code lately
	SignIn  string    // where another code is mailed, for nobody
	Offers  []invitation
	Member  bool // of an account
	MayOpen bool // an account of their own
	Closed  bool // their own was closed, and is not deleted yet
}

// joinForm takes the code from an invitation's email. Its link, which says which invitation that is, a script fills in.
type joinForm struct{ Link, Wrong string }

type invitation struct {
	ID, Account, Role, What string
	ExpiresAt               time.Time
}

// showInvitations: GET /dashboard/invitation.
func (d *Dashboard) showInvitations(w http.ResponseWriter, r *http.Request) error {
	d.sessions.Identify(w, r)
	s, err := d.sessions.Find(w, r)
	if is(err, fault.Unauthorized) {
		return d.showJoin(w, r, http.StatusOK, joinForm{})
	}
	if err != nil {
		return err
	}
	offers, err := d.o.Directory.OffersTo(r.Context(), s)
	if err != nil {
		return err
	}
	may, err := d.o.Directory.MaySignUp(r.Context(), s)
	if err != nil {
		return err
	}
	if may && len(offers) == 0 && s.Caller == nil {
		return httpx.SeeOther(w, signUpPath)
	}
	lang := web.Language(r)
	page := invitations{Email: s.Email, Member: s.Caller != nil, MayOpen: may}
	if !s.HasRecentCode(d.o.Now()) {
		page.Code = &joinForm{}
	}
	if s.Caller == nil {
		own, err := account.ByEmail(d.o.DB.Read(r.Context()), s.Email)
		if err != nil {
			return err
		}
		page.Closed = own != nil && own.Closed()
	}
	for _, o := range offers {
		page.Offers = append(page.Offers, invitation{o.ID, o.AccountName, roleName(lang, o.Role), lang.Named("dashboard.may_", string(o.Role)), o.ExpiresAt})
	}
	return d.o.Pages.Serve(w, r, http.StatusOK, pageInvitation, page)
}

// showJoin shows the page to somebody whose session, if they have one, isn't needed.
func (d *Dashboard) showJoin(w http.ResponseWriter, r *http.Request, status int, form joinForm) error {
	w.Header().Del("WWW-Authenticate") // the page signs in by a form
	return d.o.Pages.Serve(w, r, status, pageInvitation, invitations{Code: &form, SignIn: withNext(signInPath, invitationPath)})
}

// acceptInvitation: POST /dashboard/invitation, with an invitation's id, or with the link and the code of its email.
func (d *Dashboard) acceptInvitation(w http.ResponseWriter, r *http.Request) error {
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	if form.Has("code") {
		return d.joinByCode(w, r, strings.TrimSpace(form.Get("link")), form.Get("code"))
	}
	s, err := d.sessions.Find(w, r)
	if err != nil {
		return d.unlessSignedOut(w, r, err)
	}
	_, err = d.o.Directory.AcceptOffer(r.Context(), s, form.Get("invitation"))
	switch {
	case is(err, fault.RecentCodeRequired):
		return httpx.SeeOther(w, withNext(confirmPath, invitationPath))
	case errors.Is(err, account.ErrNoInvitation) || errors.Is(err, account.ErrInvitationUsed) || errors.Is(err, account.ErrInvitationExpired):
		return fault.InvitationNotFound.Err()
	case err != nil:
		return err
	}
	return httpx.SeeOther(w, homePath+"?done=joined")
}

func (d *Dashboard) joinByCode(w http.ResponseWriter, r *http.Request, link, code string) error {
	token := link[strings.LastIndexByte(link, '#')+1:]
	_, err := d.sessions.JoinByCode(w, r, token, code)
	if e, ok := isRefusal(err); ok {
		httpx.SetRetryAfter(w.Header(), e.RetryAfter)
		return d.showJoin(w, r, e.Kind.Status, joinForm{Link: link, Wrong: explain(web.Language(r), e)})
	}
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, homePath+"?done=joined")
}
