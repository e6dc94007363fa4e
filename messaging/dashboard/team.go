package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const (
	teamPath        = "/dashboard/team"
	membersPath     = teamPath + "/members/"
	teamInvitesPath = teamPath + "/invitations"
)

func (d *Dashboard) teamRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", teamPath, account.MayListMembers, d.team),
		d.form(teamInvitesPath, account.MayChangeMembers, d.inviteMember, "project"),
		d.member("POST", teamInvitesPath+"/{id}/resend", account.MayChangeMembers, d.resendInvitation),
		d.member("POST", teamInvitesPath+"/{id}/withdraw", account.MayChangeMembers, d.withdrawInvitation),
		d.member("GET", membersPath+"{id}", account.MayListMembers, d.teamMember),
		d.form(membersPath+"{id}", account.MayChangeMembers, d.changeMember, "project"),
		d.member("POST", membersPath+"{id}/remove", account.MayChangeMembers, d.removeMember),
	}
}

const pageTeam = "dashboard_team" // team

// team is the page of the account's members and invitations.
type team struct {
	Members     []memberRow
	Invitations []invitationRow
	Invite      inviteForm
	Wrong       string
}

type memberRow struct {
	URL         string // empty: the owner, who cannot be changed here
	Email, Role string
	Owner       bool
	Projects    string
	Since       time.Time
	SignedIn    time.Time // zero: not recently
}

type invitationRow struct {
	Email, Role, Projects string
	SentAt, ExpiresAt     time.Time
	URL                   string
}

// An inviteForm is the form that invites a person by email.
type inviteForm struct {
	Email         web.Field
	Role          web.Select
	Projects      []projectChoice
	WrongProjects string
	FirstURL      string // the page that creates the account's first project; empty: there is one
}

type projectChoice struct {
	ID, Name string
	Chosen   bool
}

// team handles GET /dashboard/team.
func (d *Dashboard) team(v *visit) error {
	page, err := d.teamOf(v)
	if err != nil {
		return err
	}
	return d.serve(v, http.StatusOK, pageTeam, teamPath, page)
}

func (d *Dashboard) teamOf(v *visit) (*team, error) {
	ctx, a := v.r.Context(), v.caller.Account
	members, err := d.o.Directory.MembersFor(ctx, v.caller)
	if err != nil {
		return nil, err
	}
	invitations, err := d.o.Directory.InvitationsFor(ctx, v.caller)
	if err != nil {
		return nil, err
	}
	projects, err := d.o.Directory.Projects(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	seen, err := d.o.Directory.LastSignIns(ctx, v.caller)
	if err != nil {
		return nil, err
	}
	page := &team{Invite: newInvite(v, "", account.RoleDeveloper, projects, nil)}
	page.Members = append(page.Members, memberRow{Email: a.Email, Role: roleTitle(v.lang, account.RoleOwner), Owner: true, Since: a.CreatedAt, SignedIn: seen[a.Email]})
	for _, m := range members {
		page.Members = append(page.Members, memberRow{
			URL: memberURL(m.ID), Email: m.Email, Role: roleTitle(v.lang, m.Role), Projects: projectNames(v.lang, m.Role, append([]string{}, m.Projects...), projects), Since: m.JoinedAt, SignedIn: seen[m.Email],
		})
	}
	for _, i := range invitations {
		page.Invitations = append(page.Invitations, invitationRow{
			Email: i.Email, Role: roleTitle(v.lang, i.Role), Projects: projectNames(v.lang, i.Role, i.Projects, projects), SentAt: i.CreatedAt, ExpiresAt: i.ExpiresAt,
			URL: teamInvitesPath + "/" + url.PathEscape(i.ID),
		})
	}
	return page, nil
}

func memberURL(id string) string { return membersPath + url.PathEscape(id) }

// projectNames lists the names of a developer's projects. If ids is nil, it describes the projects that exist when an
// invitation is accepted.
func projectNames(lang i18n.Lang, role account.Role, ids []string, all []account.Project) string {
	switch {
	case role != account.RoleDeveloper:
		return ""
	case ids == nil && len(all) == 0:
		return lang.T("dashboard.projects.none")
	case ids == nil:
		return lang.T("dashboard.team.all_projects")
	}
	var names []string
	for _, p := range all {
		if slices.Contains(ids, p.ID) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return lang.T("dashboard.team.no_projects")
	}
	return strings.Join(names, ", ")
}

func newInvite(v *visit, email string, role account.Role, projects []account.Project, chosen []string) inviteForm {
	lang, first := v.lang, ""
	if len(projects) == 0 {
		first = v.url(projectsPath) + "#new-project"
	}
	return inviteForm{
		FirstURL: first,
		Email:    web.Field{ID: "email", Name: "email", Label: lang.T("dashboard.team.email"), Type: "email", Autocomplete: "email", Value: email, Required: true},
		Role:     roleSelect(lang, role),
		Projects: choices(projects, chosen),
	}
}

// roleTitle returns a role's name, capitalized.
func roleTitle(lang i18n.Lang, role account.Role) string { return capitalized(roleName(lang, role)) }

func roleSelect(lang i18n.Lang, chosen account.Role) web.Select {
	s := web.Select{ID: "role", Name: "role", Label: lang.T("dashboard.team.role"), Hint: lang.T("dashboard.team.role_hint")}
	for _, role := range []account.Role{account.RoleDeveloper, account.RoleViewer} {
		s.Options = append(s.Options, web.Option{Value: string(role), Label: roleTitle(lang, role), Selected: role == chosen})
	}
	return s
}

func choices(projects []account.Project, chosen []string) (out []projectChoice) {
	for _, p := range projects {
		out = append(out, projectChoice{p.ID, p.Name, slices.Contains(chosen, p.ID)})
	}
	return out
}

// inviteMember handles POST /dashboard/team/invitations. If no project is selected for a developer, they get the
// projects that exist when they accept.
func (d *Dashboard) inviteMember(v *visit, form url.Values) error {
	offer := account.Membership{Role: account.Role(form.Get("role")), Projects: form["project"]}
	if offer.Role == account.RoleViewer {
		offer.Projects = nil
	}
	email := visible.Trim(form.Get("email"))
	_, err := d.sessions.Invite(v.r.Context(), v.caller, email, offer, v.lang)
	if err == nil {
		return v.see(teamPath + "?done=invited")
	}
	return d.refuseTeam(v, err, func(page *team, e *apierror.Error) error {
		projects, err := d.o.Directory.Projects(v.r.Context(), v.caller.Account.ID)
		page.Invite = newInvite(v, email, offer.Role, projects, offer.Projects)
		blame(e, explainInvitation(v.lang, e), map[string]*string{"role": &page.Invite.Role.Wrong, "projects": &page.Invite.WrongProjects}, &page.Invite.Email.Wrong)
		return err
	})
}

// refuseTeam shows the page again, with the error.
func (d *Dashboard) refuseTeam(v *visit, err error, show func(*team, *apierror.Error) error) error {
	e, ok := refusal(err)
	if !ok {
		return err
	}
	page, err := d.teamOf(v)
	if err == nil {
		err = show(page, e)
	}
	if err != nil {
		return err
	}
	httpx.SetRetryAfter(v.w.Header(), e.RetryAfter)
	return d.serve(v, e.Kind.Status, pageTeam, teamPath, page)
}

// explainInvitation explains why an invitation cannot be sent.
func explainInvitation(lang i18n.Lang, e *apierror.Error) string {
	if e.Kind == apierror.GatewayNotConnected {
		return lang.T("dashboard.team.no_mail")
	}
	return explain(lang, e)
}

// resendInvitation handles POST /dashboard/team/invitations/:id/resend.
func (d *Dashboard) resendInvitation(v *visit) error {
	_, err := d.sessions.ResendInvitation(v.r.Context(), v.caller, v.r.PathValue("id"), v.lang)
	switch {
	case err == nil:
		return v.see(teamPath + "?done=invitation_resent")
	case is(err, apierror.InvitationNotFound):
		return err
	}
	return d.refuseTeam(v, err, func(page *team, e *apierror.Error) error {
		page.Wrong = explainInvitation(v.lang, e)
		return nil
	})
}

// withdrawInvitation handles POST /dashboard/team/invitations/:id/withdraw.
func (d *Dashboard) withdrawInvitation(v *visit) error {
	return v.seeAfter(d.o.Directory.RevokeInvitationFor(v.r.Context(), v.caller, v.r.PathValue("id")), teamPath+"?done=invitation_withdrawn")
}
