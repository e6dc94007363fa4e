package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/quota"
	"example.com/griot/messaging/session"
	"example.com/griot/web"
)

type memberItem struct {
	ID       string       `json:"id"`
	Email    string       `json:"email"`
	Role     account.Role `json:"role"`
	Projects []string     `json:"projects"` // a developer's projects
	JoinedAt string       `json:"joinedAt"`
}

type invitationItem struct {
	ID        string       `json:"id"`
	Email     string       `json:"email"`
	Role      account.Role `json:"role"`
	Projects  []string     `json:"projects"` // null: the projects that exist when it is accepted
	CreatedAt string       `json:"createdAt"`
	ExpiresAt string       `json:"expiresAt"`
}

type membersAnswer struct {
	Success     bool             `json:"success"`
	Members     []memberItem     `json:"members"`
	Invitations []invitationItem `json:"invitations"` // those that can still be accepted
}

func invitationOf(i *account.Invitation) invitationItem {
	return invitationItem{i.ID, i.Email, i.Role, i.Projects, formatTime(i.CreatedAt), formatTime(i.ExpiresAt)}
}

func memberOf(m *account.Member) memberItem {
	out := memberItem{m.ID, m.Email, m.Role, m.Projects, formatTime(m.JoinedAt)}
	if out.Projects == nil {
		out.Projects = []string{}
	}
	return out
}

// listMembers handles GET /api/members.
func (a *API) listMembers(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	members, err := a.o.Directory.Members(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	invitations, err := a.o.Directory.Invitations(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	out := membersAnswer{Success: true, Members: []memberItem{}, Invitations: []invitationItem{}}
	for i := range members {
		out.Members = append(out.Members, memberOf(&members[i]))
	}
	for i := range invitations {
		out.Invitations = append(out.Invitations, invitationOf(&invitations[i]))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

type membershipBody struct {
	Role     account.Role `json:"role"`
	Projects []string     `json:"projects"`
}

type inviteBody struct {
	Email string `json:"email"`
	membershipBody
}

func (in *membershipBody) membership() account.Membership {
	return account.Membership{Role: in.Role, Projects: in.Projects}
}

// checkMembership checks the role and the projects of a new or changed member.
func (a *API) checkMembership(ctx context.Context, c *account.Caller, m account.Membership) error {
	switch {
	case m.Role != "" && !m.Role.Offered():
		return fault.InvalidRequest.On("role").Detailf("role must be developer or viewer.")
	case len(m.Projects) > account.MaxProjects:
		return fault.InvalidRequest.On("projects").Detailf("projects can have at most %d projects.", account.MaxProjects)
	case len(m.Projects) == 0:
		return nil
	case m.Role == account.RoleViewer:
		return fault.InvalidRequest.On("projects").Detailf("A viewer can't have projects.")
	}
	have, err := a.o.Directory.Projects(ctx, c.Account.ID)
	for _, id := range m.Projects {
		if err == nil && !slices.ContainsFunc(have, func(p account.Project) bool { return p.ID == id }) {
			err = fault.ProjectNotFound.On("projects")
		}
	}
	return err
}

type invitedAnswer struct {
	Success     bool           `json:"success"`
	Invitation  invitationItem `json:"invitation"`
	EmailStatus message.Status `json:"emailStatus"` // status of the email
}

// inviteMember handles POST /api/members.
func (a *API) inviteMember(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in inviteBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	sent, err := a.Invite(r.Context(), c, in.Email, in.membership(), web.Language(r))
	if err != nil {
		return err
	}
	return writeInvited(w, sent)
}

// Invite sends an invitation to a caller's account by email.
func (a *API) Invite(ctx context.Context, c *account.Caller, email string, offer account.Membership, lang i18n.Lang) (*mail.Sent, error) {
	if !message.IsEmail(email) {
		return nil, session.InvalidEmail()
	}
	if err := a.checkMembership(ctx, c, offer); err != nil {
		return nil, err
	}
	return a.sendInvitation(ctx, c, account.NormalEmail(email), offer, lang)
}

// resendInvitation handles POST /api/invitations/:id/resend.
func (a *API) resendInvitation(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	sent, err := a.ResendInvitation(r.Context(), c, r.PathValue("id"), web.Language(r))
	if err != nil {
		return err
	}
	return writeInvited(w, sent)
}

// ResendInvitation sends an invitation again. It has a new link, and the previous link is no longer valid.
func (a *API) ResendInvitation(ctx context.Context, c *account.Caller, id string, lang i18n.Lang) (*mail.Sent, error) {
	i, err := a.o.Directory.Invitation(ctx, c.Account.ID, id)
	if err != nil {
		return nil, err
	}
	if i == nil {
		return nil, fault.InvitationNotFound.Err()
	}
	return a.sendInvitation(ctx, c, i.Email, i.Membership, lang)
}

func (a *API) sendInvitation(ctx context.Context, c *account.Caller, email string, offer account.Membership, lang i18n.Lang) (*mail.Sent, error) {
	if err := a.sessions.CountInvitation(c.Account.ID, email); err != nil {
		return nil, err
	}
	sent, err := a.o.Mail.Invite(ctx, c.Account, email, offer, lang, true)
	if errors.Is(err, account.ErrInvitationsToday) {
		e := fault.RateLimited.After(quota.UntilNextDay(a.o.Now()))
		return nil, e.Detailf("A new account on the free plan can send only a few invitations per day. Wait until 00:00 UTC, or upgrade.")
	}
	if err != nil {
		return nil, account.Refusal(err)
	}
	return sent, nil
}

func writeInvited(w http.ResponseWriter, sent *mail.Sent) error {
	status := sent.Status
	if status == message.Sending {
		status = message.Queued
	}
	return httpx.WriteJSON(w, http.StatusCreated, invitedAnswer{true, invitationOf(sent.Invitation), status})
}

type changedMemberAnswer struct {
	Success     bool       `json:"success"`
	Member      memberItem `json:"member"`
	RevokedKeys int64      `json:"revokedKeys"` // number of keys that the member created and can no longer create
}

// changeMember handles PATCH /api/members/:id.
func (a *API) changeMember(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in membershipBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	m, revoked, err := a.ChangeMember(r.Context(), c, r.PathValue("id"), "", in.membership())
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, changedMemberAnswer{true, memberOf(m), revoked})
}

// ChangeMember changes the role and the projects of a member of the caller's account. shown is the version of a form,
// see [account.Directory.ChangeShownMember].
func (a *API) ChangeMember(ctx context.Context, c *account.Caller, id, shown string, to account.Membership) (m *account.Member, revokedKeys int64, err error) {
	if err := a.checkMembership(ctx, c, to); err != nil {
		return nil, 0, err
	}
	m, revokedKeys, found, err := a.o.Directory.ChangeShownMember(ctx, c.Account.ID, id, shown, to)
	if err == nil && !found {
		err = fault.MemberNotFound.Err()
	}
	return m, revokedKeys, err
}

type removedAnswer struct {
	Success     bool  `json:"success"`
	RevokedKeys int64 `json:"revokedKeys"` // number of revoked project keys
}

// removeMember handles DELETE /api/members/:id.
func (a *API) removeMember(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	revoked, found, err := a.o.Directory.RemoveMember(r.Context(), c.Account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !found {
		return fault.MemberNotFound.Err()
	}
	return httpx.WriteJSON(w, http.StatusOK, removedAnswer{true, revoked})
}

// revokeInvitation handles DELETE /api/invitations/:id.
func (a *API) revokeInvitation(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	found, err := a.o.Directory.RevokeInvitation(r.Context(), c.Account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !found {
		return fault.InvitationNotFound.Err()
	}
	return httpx.WriteJSON(w, http.StatusOK, doneAnswer{true})
}

type acceptBody struct {
	Token string `json:"token"`
	Code  string `json:"code"` // the code in the invitation's email; empty: the session's person has recently entered another one
}

// acceptInvitation handles POST /api/session/invitation, for a person who has proved that the invited address is
// theirs, or who has the code from the invitation's email.
func (a *API) acceptInvitation(w http.ResponseWriter, r *http.Request) error {
	s, err := a.sessions.Find(w, r)
	nobody := errors.Is(err, fault.Unauthorized.Err()) && !session.ShowsKey(r)
	if err != nil && !nobody {
		return err
	}
	var in acceptBody
	if bad := a.http.DecodeJSON(w, r, &in); bad != nil && !nobody {
		return bad
	}
	if in.Code != "" {
		w.Header().Del("WWW-Authenticate") // no one was refused yet
		if s, err = a.sessions.JoinByCode(w, r, in.Token, in.Code); err != nil {
			return err
		}
		return a.writeSession(w, r, http.StatusOK, s)
	}
	if nobody {
		return err
	}
	if _, err := a.o.Directory.Accept(r.Context(), s, in.Token); err != nil {
		return account.Refusal(err)
	}
	if s, err = a.sessions.Find(w, r); err != nil { // the current state
		return err
	}
	return a.writeSession(w, r, http.StatusOK, s)
}
