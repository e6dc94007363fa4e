package dashboard

import (
	"net/url"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const (
	transferPath = settingsPath + "/transfer"
	closePath    = settingsPath + "/close"
	closedParam  = "closed" // makes the sign-in page report that the account is closed
)

// A transferSection is the form that makes a member the owner.
type transferSection struct {
	Member *web.Select // nil: there are no members yet
	Role   web.Select
}

// A closeSection is the form that closes the account.
type closeSection struct {
	Name  web.Field
	Wrong string // the reason why it cannot be closed now
}

func newTransfer(lang i18n.Lang, members []account.Member, chosen string, role account.Role) transferSection {
	s := transferSection{Role: roleSelect(lang, role)}
	s.Role.Label, s.Role.Hint = lang.T("dashboard.settings.transfer_role"), ""
	if len(members) == 0 {
		return s
	}
	s.Member = &web.Select{ID: "member", Name: "member", Label: lang.T("dashboard.settings.transfer_to")}
	for _, m := range members {
		s.Member.Options = append(s.Member.Options, web.Option{Value: m.ID, Label: m.Email, Selected: m.ID == chosen})
	}
	return s
}

func newClose(lang i18n.Lang, a *account.Account) closeSection {
	return closeSection{Name: web.Field{ID: "close-name", Name: "name", Label: lang.T("dashboard.settings.close_name", a.Name), Required: true}}
}

// transferAccount handles POST /dashboard/settings/transfer.
func (d *Dashboard) transferAccount(v *visit, form url.Values) error {
	member, role := form.Get("member"), account.Role(form.Get("role"))
	_, err := d.sessions.Transfer(v.r.Context(), v.caller, member, role, v.lang)
	if err == nil {
		return httpx.SeeOther(v.w, homePath+"?done=account_transferred")
	}
	return d.refuseSettings(v, err, func(page *settings, e *apierror.Error) {
		chosen := &page.Transfer.Role
		if page.Transfer.Member != nil {
			for i, o := range page.Transfer.Member.Options {
				page.Transfer.Member.Options[i].Selected = o.Value == member
			}
			if e.Field != "role" {
				chosen = page.Transfer.Member
			}
		}
		chosen.Wrong = explain(v.lang, e)
	})
}

// refuseSettings shows the page again, with the error.
func (d *Dashboard) refuseSettings(v *visit, err error, show func(*settings, *apierror.Error)) error {
	e, ok := refusal(err)
	if !ok || e.Kind == apierror.Forbidden || e.Kind == apierror.AccountClosed {
		return err
	}
	page, err := d.settingsOf(v)
	if err != nil {
		return err
	}
	show(page, e)
	return d.serve(v, e.Kind.Status, pageSettings, settingsPath, page)
}

// closeAccount handles POST /dashboard/settings/close.
func (d *Dashboard) closeAccount(v *visit, form url.Values) error {
	_, err := d.o.Closing.Close(v.r.Context(), v.caller, form.Get("name"), v.lang)
	if err == nil {
		d.sessions.Forget(v.w)
		return httpx.SeeOther(v.w, signInPath+"?"+closedParam+"=true")
	}
	return d.refuseSettings(v, err, func(page *settings, e *apierror.Error) {
		if e.Kind == apierror.SubscriptionActive {
			page.Close.Wrong = explain(v.lang, e)
			return
		}
		page.Close.Name.Value, page.Close.Name.Wrong = form.Get("name"), v.lang.T("dashboard.settings.close_name_wrong")
	})
}
