package api

import (
	"errors"
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/message"
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
	members, err := a.o.Directory.MembersFor(r.Context(), c)
	if err != nil {
		return err
	}
	invitations, err := a.o.Directory.InvitationsFor(r.Context(), c)
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
	sent, err := a.sessions.Invite(r.Context(), c, in.Email, in.membership(), web.Language(r))
	if err != nil {
		return err
	}
	return writeInvited(w, sent)
}

// resendInvitation handles POST /api/invitations/:id/resend.
func (a *API) resendInvitation(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	sent, err := a.sessions.ResendInvitation(r.Context(), c, r.PathValue("id"), web.Language(r))
	if err != nil {
		return err
	}
	return writeInvited(w, sent)
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
	m, revoked, err := a.o.Directory.ChangeMemberFor(r.Context(), c, r.PathValue("id"), "", in.membership())
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, changedMemberAnswer{true, memberOf(m), revoked})
}

type removedAnswer struct {
	Success     bool  `json:"success"`
	RevokedKeys int64 `json:"revokedKeys"` // number of revoked project keys
}

// removeMember handles DELETE /api/members/:id.
func (a *API) removeMember(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	revoked, err := a.o.Directory.RemoveMemberFor(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, removedAnswer{true, revoked})
}

// revokeInvitation handles DELETE /api/invitations/:id.
func (a *API) revokeInvitation(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	if err := a.o.Directory.RevokeInvitationFor(r.Context(), c, r.PathValue("id")); err != nil {
		return err
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
	nobody := errors.Is(err, apierror.Unauthorized.Err()) && !access.ShowsKey(r)
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
