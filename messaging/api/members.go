package api

import (
	"net/http"

	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/web"
)

type memberItem struct {
	ID       string `json:"id"`
	Email    string `json:"email"`
	JoinedAt string `json:"joinedAt"`
}

type invitationItem struct {
	ID        string `json:"id"`
	Email     string `json:"email"`
	CreatedAt string `json:"createdAt"`
	ExpiresAt string `json:"expiresAt"`
}

type membersAnswer struct {
	Success     bool             `json:"success"`
	Members     []memberItem     `json:"members"`
	Invitations []invitationItem `json:"invitations"` // those that can still be accepted
}

func invitationOf(i *account.Invitation) invitationItem {
	return invitationItem{i.ID, i.Email, formatTime(i.CreatedAt), formatTime(i.ExpiresAt)}
}

// listMembers: GET /api/members.
func (a *API) listMembers(w http.ResponseWriter, r *http.Request) error {
	c, err := a.ownerSession(w, r)
	if err != nil {
		return err
	}
	members, err := a.o.Directory.Members(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	invitations, err := a.o.Directory.Invitations(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	out := membersAnswer{Success: true, Members: []memberItem{}, Invitations: []invitationItem{}}
	for _, m := range members {
		out.Members = append(out.Members, memberItem{m.ID, m.Email, formatTime(m.JoinedAt)})
	}
	for i := range invitations {
		out.Invitations = append(out.Invitations, invitationOf(&invitations[i]))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

type inviteBody struct {
	Email string `json:"email"`
}

type invitedAnswer struct {
	Success    bool           `json:"success"`
	Invitation invitationItem `json:"invitation"`
	MailStatus message.Status `json:"letter"` // what became of the e-mail so far
}

// inviteMember: POST /api/members.
func (a *API) inviteMember(w http.ResponseWriter, r *http.Request) error {
	c, err := a.ownerSession(w, r)
	if err != nil {
		return err
	}
	var in inviteBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if !message.IsEmail(in.Email) {
		return fault.InvalidEmail.On("email").Detailf("email must be an e-mail address.")
	}
	email := account.NormalEmail(in.Email)
	if err := a.signIns.invite(c.Account.ID, email); err != nil {
		return err
	}
	sent, err := a.o.Mail.Invite(r.Context(), c.Account, email, web.Language(r), true)
	if err != nil {
		return refused(err)
	}
	status := sent.Status
	if status == message.Sending {
		status = message.Queued
	}
	return httpx.WriteJSON(w, http.StatusCreated, invitedAnswer{true, invitationOf(sent.Invitation), status})
}

type removedAnswer struct {
	Success     bool  `json:"success"`
	RevokedKeys int64 `json:"revokedKeys"` // the project keys that the member had made
}

// removeMember: DELETE /api/members/:id.
func (a *API) removeMember(w http.ResponseWriter, r *http.Request) error {
	c, err := a.ownerSession(w, r)
	if err != nil {
		return err
	}
	revoked, found, err := a.o.Directory.RemoveMember(r.Context(), c.Account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !found {
		return fault.MemberNotFound.Err()
	}
	return httpx.WriteJSON(w, http.StatusOK, removedAnswer{true, revoked})
}

// revokeInvitation: DELETE /api/invitations/:id.
func (a *API) revokeInvitation(w http.ResponseWriter, r *http.Request) error {
	c, err := a.ownerSession(w, r)
	if err != nil {
		return err
	}
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
}

// acceptInvitation: POST /api/session/invitation, by who has proved the address that was invited.
func (a *API) acceptInvitation(w http.ResponseWriter, r *http.Request) error {
	s, err := a.signedIn(w, r)
	if err != nil {
		return err
	}
	var in acceptBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if _, err := a.o.Directory.Accept(r.Context(), s, in.Token); err != nil {
		return refused(err)
	}
	return a.showSession(w, r)
}
