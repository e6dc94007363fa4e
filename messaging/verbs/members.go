package verbs

import (
	"context"
	"time"

	"example.com/griot/internal/i18n"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/mail"
)

// A Project is a project as operators see it.
type Project struct {
	ID        string    `json:"id" col:"PROJECT"`
	Name      string    `json:"name" col:"NAME"`
	CreatedAt time.Time `json:"createdAt" col:"CREATED"`
}

func shownProject(p *account.Project) Project { return Project{p.ID, p.Name, p.CreatedAt} }

// ProjectInput describes a new project.
type ProjectInput struct {
	OfAccount

	Name string `json:"name" flag:"name,required" help:"displayed name"`
}

func (h *service) createProject(ctx context.Context, a *account.Account, in *ProjectInput) (Project, error) {
	name, err := named("A project", in.Name)
	if err != nil {
		return Project{}, err
	}
	p, err := h.Directory.CreateProject(ctx, a.ID, name)
	if err != nil {
		return Project{}, err
	}
	return shownProject(p), nil
}

func (h *service) listProjects(ctx context.Context, a *account.Account, _ *OfAccount) ([]Project, error) {
	found, err := h.Directory.Projects(ctx, a.ID)
	return verb.Each(found, shownProject), err
}

// A Member is a member, or a person who was invited to become one.
type Member struct {
	ID        string     `json:"id" col:"MEMBER"`
	Email     string     `json:"email" col:"EMAIL"`
	Role      string     `json:"role" col:"ROLE"`
	JoinedAt  *time.Time `json:"joinedAt" col:"JOINED"`                   // null: invited
	ExpiresAt *time.Time `json:"expiresAt,omitempty" col:"INVITED UNTIL"` // of an invitation
}

func (h *service) listMembers(ctx context.Context, a *account.Account, _ *OfAccount) ([]Member, error) {
	members, err := h.Directory.Members(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	invited, err := h.Directory.Invitations(ctx, a.ID)
	out := verb.Each(members, func(m *account.Member) Member {
		return Member{ID: m.ID, Email: m.Email, Role: string(m.Role), JoinedAt: verb.TimeOrNull(m.JoinedAt)}
	})
	return append(out, verb.Each(invited, func(i *account.Invitation) Member {
		return Member{ID: i.ID, Email: i.Email, Role: string(i.Role), ExpiresAt: verb.TimeOrNull(i.ExpiresAt)}
	})...), err
}

// InviteInput describes an invitation: the person, the role, and the language.
type InviteInput struct {
	OfAccount

	Email string `json:"email" flag:"email,required" help:"email address of the person"`
	Lang  string `json:"lang" flag:"lang" default:"fr" help:"language of the email: fr or en"`                                 // fr or en
	Role  string `json:"role" flag:"role" default:"developer" help:"developer, or viewer (can only read logs and statistics)"` // developer or viewer; empty: developer
	// Projects are a developer's projects. Null means the projects that exist when the invitation is accepted.
	Projects []string `json:"projects" flag:"project" help:"ID of a developer's project; repeat the flag for more (default: all projects when the invitation is accepted)"`
}

// Invited is a new invitation.
type Invited struct {
	ID          string    `json:"id" row:"invitation"`
	Email       string    `json:"email" row:"email"`
	ExpiresAt   time.Time `json:"expiresAt" row:"expires"`
	EmailStatus string    `json:"emailStatus" row:"email status,always"` // status of the email; empty: no gateway could send it
	// Link is set only this once, if no email could be sent. It is for the invited person.
	Link string `json:"link,omitempty" row:"link,once"`
}

func (h *service) invite(ctx context.Context, a *account.Account, in *InviteInput) (Invited, error) {
	if err := checkEmail(in.Email); err != nil {
		return Invited{}, err
	}
	lang := i18n.Lang(in.Lang)
	if err := checkLang(in.Lang); err != nil {
		return Invited{}, err
	}
	offer := account.Membership{Role: account.Role(in.Role), Projects: in.Projects}
	if in.Role != "" && !offer.Role.Offered() {
		return Invited{}, verb.Refuse("The role must be developer or viewer.")
	}
	sent, err := h.send(ctx, a, in.Email, offer, lang)
	if err != nil {
		return Invited{}, err
	}
	out := Invited{ID: sent.Invitation.ID, Email: sent.Invitation.Email, ExpiresAt: sent.Invitation.ExpiresAt, EmailStatus: string(sent.Status)}
	if sent.Status == "" || sent.Status.HasFailed() {
		out.Link = sent.Link
	}
	return out, nil
}

// send sends the invitation by email. If no server runs, it only stores the invitation.
func (h *service) send(ctx context.Context, a *account.Account, email string, offer account.Membership, lang i18n.Lang) (*mail.Sent, error) {
	if h.Mail != nil {
		return h.Mail.Invite(ctx, a, email, offer, lang, false)
	}
	if err := h.Directory.MayInvite(ctx, a, email); err != nil {
		return nil, err
	}
	i, token := h.Directory.NewInvitation(a.ID, email, offer)
	return &mail.Sent{Invitation: i, Link: mail.Link(h.URL, token)}, h.Directory.StoreInvitation(ctx, i)
}

// Removed is the result of removing a member.
type Removed struct {
	ID          string `json:"id" row:"removed"`
	RevokedKeys int64  `json:"revokedKeys" row:"keys revoked"`
}

// removeMember removes a member or revokes an invitation.
func (h *service) removeMember(ctx context.Context, a *account.Account, in *InAccount) (Removed, error) {
	revoked, found, err := h.Directory.RemoveMember(ctx, a.ID, in.ID)
	if err == nil && !found {
		found, err = h.Directory.RevokeInvitation(ctx, a.ID, in.ID)
	}
	if err == nil && !found {
		err = verb.Refuse("The account doesn't have this member or invitation.")
	}
	return Removed{in.ID, revoked}, err
}
