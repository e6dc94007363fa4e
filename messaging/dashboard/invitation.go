package dashboard

import (
	"errors"
	"net/http"
	"time"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const pageInvitation = "dashboard_invitation" // invitations

// invitations is the page of who is invited. Links in mails lead there; who opens one signs in first, by a code that is
// mailed to the same address, so that the page needs nothing of the link, and whatever fetches links accepts nothing.
type invitations struct {
	Email   string
	SignOut string
	Offers  []invitation
	Home    string // empty: the person has no account yet
	SignUp  string // empty: the person may not make one of their own
	Closed  bool   // their own was closed, and is not deleted yet
}

type invitation struct {
	ID, Account, Role, What string
	ExpiresAt               time.Time
}

// showInvitations: GET /dashboard/invitation.
func (d *Dashboard) showInvitations(w http.ResponseWriter, r *http.Request, s *account.Session) error {
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
	page := invitations{Email: s.Email, SignOut: signOutPath}
	if may {
		page.SignUp = signUpPath
	}
	if s.Caller == nil {
		own, err := account.ByEmail(d.o.DB.Read(r.Context()), s.Email)
		if err != nil {
			return err
		}
		page.Closed = own != nil && own.Closed()
	}
	if s.Caller != nil {
		page.Home = homePath
	}
	for _, o := range offers {
		what := lang.T("dashboard.role.developer_may")
		if o.Role == account.RoleViewer {
			what = lang.T("dashboard.role.viewer_may")
		}
		page.Offers = append(page.Offers, invitation{o.ID, o.AccountName, roleName(lang, o.Role), what, o.ExpiresAt})
	}
	return d.o.Pages.Serve(w, r, http.StatusOK, pageInvitation, page)
}

// acceptInvitation: POST /dashboard/invitation.
func (d *Dashboard) acceptInvitation(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	_, err = d.o.Directory.AcceptOffer(r.Context(), s, form.Get("invitation"))
	if errors.Is(err, account.ErrNoInvitation) || errors.Is(err, account.ErrInvitationUsed) || errors.Is(err, account.ErrInvitationExpired) {
		return fault.InvitationNotFound.Err()
	}
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, homePath+"?done=joined")
}
