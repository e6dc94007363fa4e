package dashboard

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const pageInvitation = "dashboard_invitation" // invitations

// invitations is the page for invited people. Links in mails lead there. Opening the link accepts nothing, because
// programs also open links. Accepting requires a code from an email, either the invitation's or another one.
type invitations struct {
	Email   string    // empty: not signed in
	Code    *joinForm // nil: the session's person has recently entered a code
	SignIn  string    // the page that mails another code; empty: not needed
	Offers  []invitation
	Member  bool   // of an account
	MayOpen bool   // they can create their own account
	Closed  bool   // their own account was closed and is not deleted yet
	Mailbox string // with Code: the page of the virtual mailboxes; empty: there are none
}

// A joinForm takes the code from an invitation's email. A script fills in the invitation's link.
type joinForm struct{ Link, Wrong string }

type invitation struct {
	ID, Account, Role, What string
	ExpiresAt               time.Time
}

// showInvitations handles GET /dashboard/invitation.
func (d *Dashboard) showInvitations(w http.ResponseWriter, r *http.Request) error {
	d.sessions.Identify(w, r)
	s, err := d.sessions.Find(w, r)
	if is(err, apierror.Unauthorized) {
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
		page.Code, page.Mailbox = &joinForm{}, d.mailbox(s.Email)
	}
	if s.Caller == nil {
		if page.Closed, err = d.o.Directory.HasClosedAccount(r.Context(), s); err != nil {
			return err
		}
	}
	for _, o := range offers {
		page.Offers = append(page.Offers, invitation{o.ID, o.AccountName, roleName(lang, o.Role), lang.Named("dashboard.may_", string(o.Role)), o.ExpiresAt})
	}
	return d.o.Pages.Serve(w, r, http.StatusOK, pageInvitation, page)
}

// showJoin shows the page to a person for whom a session is not required.
func (d *Dashboard) showJoin(w http.ResponseWriter, r *http.Request, status int, form joinForm) error {
	w.Header().Del("WWW-Authenticate") // the page signs in with a form
	return d.o.Pages.Serve(w, r, status, pageInvitation, invitations{Code: &form, Mailbox: d.mailbox(""), SignIn: withNext(signInPath, invitationPath)})
}

// acceptInvitation handles POST /dashboard/invitation, with an invitation's ID, or with the link and the code from its email.
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
	case is(err, apierror.RecentCodeRequired):
		return httpx.SeeOther(w, withNext(confirmPath, invitationPath))
	case errors.Is(err, account.ErrNoInvitation) || errors.Is(err, account.ErrInvitationUsed) || errors.Is(err, account.ErrInvitationExpired):
		return apierror.InvitationNotFound.Err()
	case err != nil:
		return err
	}
	return httpx.SeeOther(w, homePath+"?done=joined")
}

func (d *Dashboard) joinByCode(w http.ResponseWriter, r *http.Request, link, code string) error {
	token := link[strings.LastIndexByte(link, '#')+1:]
	_, err := d.sessions.JoinByCode(w, r, token, code)
	if e, ok := refusal(err); ok {
		httpx.SetRetryAfter(w.Header(), e.RetryAfter)
		return d.showJoin(w, r, e.Kind.Status, joinForm{Link: link, Wrong: explain(web.Language(r), e)})
	}
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, homePath+"?done=joined")
}
