package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const pageMember = "dashboard_team_member" // memberPage

// memberPage is the page for changing or removing a member.
type memberPage struct {
	Email     string
	Since     time.Time
	URL       string
	Role      web.Select
	Projects  []projectChoice
	Wrong     string
	Developer bool
	Version   string // of the stored values: see package forms
	Stale     string // see [web.StaleText]: the stored projects
}

// findMember returns a member of the caller's account.
func (d *Dashboard) findMember(ctx context.Context, c *account.Caller, id string) (*account.Member, error) {
	members, err := d.o.Directory.MembersFor(ctx, c)
	if err != nil {
		return nil, err
	}
	for i := range members {
		if members[i].ID == id {
			return &members[i], nil
		}
	}
	return nil, apierror.MemberNotFound.Err()
}

func (d *Dashboard) memberPageOf(v *visit, m *account.Member) (*memberPage, error) {
	projects, err := d.o.Directory.Projects(v.r.Context(), v.caller.Account.ID)
	return &memberPage{
		Email: m.Email, Since: m.JoinedAt, URL: memberURL(m.ID),
		Role: roleSelect(v.lang, m.Role), Projects: choices(projects, m.Projects), Developer: m.Role == account.RoleDeveloper, Version: m.Version(),
	}, err
}

// teamMember handles GET /dashboard/team/members/:id.
func (d *Dashboard) teamMember(v *visit) error {
	m, err := d.findMember(v.r.Context(), v.caller, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	page, err := d.memberPageOf(v, m)
	if err != nil {
		return err
	}
	return d.serve(v, http.StatusOK, pageMember, teamPath, page)
}

// changeMember handles POST /dashboard/team/members/:id. A developer has exactly the selected projects.
func (d *Dashboard) changeMember(v *visit, form url.Values) error {
	m, err := d.findMember(v.r.Context(), v.caller, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	m.Role, m.Projects = account.Role(form.Get("role")), append([]string{}, form["project"]...)
	if m.Role == account.RoleViewer {
		m.Projects = []string{}
	}
	if m.Role == "" {
		err = apierror.InvalidRequest.On("role").Detailf("role must be developer or viewer.")
	} else {
		_, _, err = d.o.Directory.ChangeMemberFor(v.r.Context(), v.caller, m.ID, form.Get(forms.VersionField), m.Membership)
	}
	if errors.Is(err, forms.ErrStale) {
		return d.showStaleMember(v, m)
	}
	if err == nil {
		return v.see(teamPath + "?done=member_changed")
	}
	e, ok := refusal(err)
	if !ok || e.Kind == apierror.MemberNotFound {
		return err
	}
	page, err := d.memberPageOf(v, m)
	if err != nil {
		return err
	}
	page.Wrong, page.Version = explain(v.lang, e), form.Get(forms.VersionField)
	return d.serve(v, e.Kind.Status, pageMember, teamPath, page)
}

// showStaleMember shows the form of a member who has changed since the form was shown, with the entered and the stored values.
func (d *Dashboard) showStaleMember(v *visit, typed *account.Member) error {
	stored, err := d.findMember(v.r.Context(), v.caller, typed.ID)
	if err != nil {
		return err
	}
	page, err := d.memberPageOf(v, typed)
	if err != nil {
		return err
	}
	page.Developer, page.Version = stored.Role == account.RoleDeveloper, stored.Version()
	if stored.Role != typed.Role {
		page.Role.Wrong = web.StaleText(v.lang, "", roleTitle(v.lang, stored.Role))
	}
	var has, had []string
	for _, p := range page.Projects {
		if slices.Contains(stored.Projects, p.ID) {
			has = append(has, p.Name)
		}
		if p.Chosen {
			had = append(had, p.Name)
		}
	}
	page.Stale = web.StaleText(v.lang, strings.Join(had, ", "), strings.Join(has, ", "))
	v.wrong = "component.stale"
	return d.serve(v, http.StatusConflict, pageMember, teamPath, page)
}

// removeMember handles POST /dashboard/team/members/:id/remove.
func (d *Dashboard) removeMember(v *visit) error {
	_, err := d.o.Directory.RemoveMemberFor(v.r.Context(), v.caller, v.r.PathValue("id"))
	return v.seeAfter(err, teamPath+"?done=member_removed")
}
