package account

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/quota"
)

// The methods below are the operations by which callers manage their account through the API or the dashboard. They check
// what callers send and what the caller's role includes, and return the errors of the catalog.

// ChangeFor changes the name, language, time zone, and country of the caller's account, and returns the account. It ignores
// all other fields of the change.
//
// Errors: [apierror.InvalidRequest], [apierror.AccountNotFound], [forms.ErrStale].
func (d *Directory) ChangeFor(ctx context.Context, c *Caller, to *Change) (*Account, error) {
	if err := MayChangeAccount.Check(c, d.now()); err != nil {
		return nil, err
	}
	change := Change{Lang: to.Lang, TimeZone: to.TimeZone, ShownProfile: to.ShownProfile}
	if to.Name != nil {
		name, err := CheckAccountName(*to.Name)
		if err != nil {
			return nil, err
		}
		change.Name = &name
	}
	if to.Lang != nil && !i18n.Lang(*to.Lang).Valid() {
		return nil, apierror.InvalidRequest.On("lang").Detailf("lang must be fr or en.")
	}
	if to.TimeZone != nil && !ValidTimeZone(*to.TimeZone) {
		return nil, apierror.InvalidRequest.On("timeZone").Detailf("timeZone must be a name from the IANA database, such as Africa/Bamako.")
	}
	if to.Country != nil {
		country, ok := CheckCountry(*to.Country)
		if !ok {
			return nil, apierror.InvalidRequest.On("country").Detailf("country must be the code of a country (ML), a calling code (223), or empty for none.")
		}
		change.Country = &country
	}
	if change.Name != nil || change.Lang != nil || change.TimeZone != nil || change.Country != nil {
		if _, err := d.Change(ctx, c.Account.ID, &change); err != nil {
			return nil, err
		}
	}
	a, err := d.Account(ctx, c.Account.ID)
	if err == nil && a == nil {
		err = apierror.AccountNotFound.Err()
	}
	return a, err
}

// TransferFor makes a member the owner of the caller's account, and the caller a member with a role. See [Directory.Transfer].
//
// Errors: [apierror.InvalidRequest], [apierror.OwnsAnotherAccount], [apierror.Forbidden] if the caller is no longer the owner, and
// [apierror.MemberNotFound].
func (d *Directory) TransferFor(ctx context.Context, c *Caller, memberID string, become Role) (newOwner string, err error) {
	if err := MayTransferAccount.Check(c, d.now()); err != nil {
		return "", err
	}
	if !become.Offered() {
		return "", apierror.InvalidRequest.On("role").Detailf("role must be developer or viewer.")
	}
	newOwner, err = d.Transfer(ctx, c.Account, memberID, become)
	switch {
	case errors.Is(err, ErrEmailTaken):
		return "", apierror.OwnsAnotherAccount.On("memberId")
	case errors.Is(err, ErrNotOwner): // another request was faster
		return "", apierror.Forbidden.Err().Detailf("You are no longer the owner.")
	}
	return newOwner, Refusal(err)
}

// CheckMembershipFor checks the role and the projects of a new or changed member of the caller's account.
//
// Errors: [apierror.InvalidRequest], [apierror.ProjectNotFound].
func (d *Directory) CheckMembershipFor(ctx context.Context, c *Caller, m Membership) error {
	switch {
	case m.Role != "" && !m.Role.Offered():
		return apierror.InvalidRequest.On("role").Detailf("role must be developer or viewer.")
	case len(m.Projects) > MaxProjects:
		return apierror.InvalidRequest.On("projects").Detailf("projects can have at most %d projects.", MaxProjects)
	case len(m.Projects) == 0:
		return nil
	case m.Role == RoleViewer:
		return apierror.InvalidRequest.On("projects").Detailf("A viewer can't have projects.")
	}
	have, err := d.Projects(ctx, c.Account.ID)
	for _, id := range m.Projects {
		if err == nil && !slices.ContainsFunc(have, func(p Project) bool { return p.ID == id }) {
			err = apierror.ProjectNotFound.On("projects")
		}
	}
	return err
}

// ChangeMemberFor changes the role and the projects of a member. shown is the version of a form: see
// [Directory.ChangeShownMember]. revokedKeys is the number of keys that the member created and can no longer create.
//
// Errors: those of [Directory.CheckMembershipFor], [apierror.MemberNotFound], [forms.ErrStale].
func (d *Directory) ChangeMemberFor(ctx context.Context, c *Caller, id, shown string, to Membership) (m *Member, revokedKeys int64, err error) {
	if err := MayChangeMembers.Check(c, d.now()); err != nil {
		return nil, 0, err
	}
	if err := d.CheckMembershipFor(ctx, c, to); err != nil {
		return nil, 0, err
	}
	m, revokedKeys, found, err := d.ChangeShownMember(ctx, c.Account.ID, id, shown, to)
	return m, revokedKeys, existing(found, err, apierror.MemberNotFound)
}

// RemoveMemberFor removes a member and returns the number of revoked keys.
//
// Errors: [apierror.MemberNotFound].
func (d *Directory) RemoveMemberFor(ctx context.Context, c *Caller, id string) (revokedKeys int64, err error) {
	if err := MayChangeMembers.Check(c, d.now()); err != nil {
		return 0, err
	}
	revokedKeys, found, err := d.RemoveMember(ctx, c.Account.ID, id)
	return revokedKeys, existing(found, err, apierror.MemberNotFound)
}

// RevokeInvitationFor withdraws an invitation.
//
// Errors: [apierror.InvitationNotFound].
func (d *Directory) RevokeInvitationFor(ctx context.Context, c *Caller, id string) error {
	if err := MayChangeMembers.Check(c, d.now()); err != nil {
		return err
	}
	found, err := d.RevokeInvitation(ctx, c.Account.ID, id)
	return existing(found, err, apierror.InvitationNotFound)
}

// existing returns the error of a missing item.
func existing(found bool, err error, missing *apierror.Kind) error {
	if err == nil && !found {
		return missing.Err()
	}
	return err
}

// MakeKeyFor creates a key for a signed-in user and returns it, only this once. Developers can create keys only for
// their own projects. The key's account and member are the caller's, regardless of the specification.
func (d *Directory) MakeKeyFor(ctx context.Context, c *Caller, s KeySpec) (*Key, string, error) {
	if err := MayChangeKeys.Check(c, d.now()); err != nil {
		return nil, "", err
	}
	switch s.Kind {
	case Live, Test:
		if !c.Owner() {
			return nil, "", apierror.Forbidden.On("kind").Detailf("A developer can create only project keys.")
		}
	case ProjectKey:
	default:
		return nil, "", apierror.InvalidRequest.On("kind").Detailf("kind must be live, test, or project.")
	}
	if s.Name != "" {
		var err error
		if s.Name, err = CheckName(s.Name); err != nil {
			return nil, "", err
		}
	}
	s.AccountID, s.MemberID = c.Account.ID, c.MemberID
	k, secret, err := d.MakeKey(ctx, s)
	return k, secret, Refusal(err)
}

// RotateKeyFor is [Directory.RotateKey] for a signed-in user. Developers can rotate only their own keys.
func (d *Directory) RotateKeyFor(ctx context.Context, c *Caller, keyID string, grace time.Duration, form forms.Creation) (*Rotated, error) {
	if err := MayChangeKeys.Check(c, d.now()); err != nil {
		return nil, err
	}
	rotated, err := d.RotateKey(ctx, c.Account.ID, c.MemberID, keyID, grace, form)
	return rotated, Refusal(err)
}

// SetToolsFor replaces the assistant tools of a live key. shown is the version of a form: see [Directory.SetTools].
//
// Errors: [apierror.KeyNotFound], [apierror.KeyInactive], [apierror.InvalidRequest], [forms.ErrStale].
func (d *Directory) SetToolsFor(ctx context.Context, c *Caller, keyID, shown string, to Tools) (*Key, error) {
	if err := MayGrantTools.Check(c, d.now()); err != nil {
		return nil, err
	}
	k, err := d.SetTools(ctx, c.Account.ID, keyID, shown, to)
	return k, Refusal(err)
}

// RevokeKeyFor revokes a key. For developers, the keys of others do not exist.
//
// Errors: [apierror.KeyNotFound].
func (d *Directory) RevokeKeyFor(ctx context.Context, c *Caller, keyID string) error {
	if err := MayChangeKeys.Check(c, d.now()); err != nil {
		return err
	}
	found, err := d.RevokeKey(ctx, c.Account.ID, c.MemberID, keyID)
	return existing(found, err, apierror.KeyNotFound)
}

// CreateProjectFor creates a project for a signed-in user. A developer's project is their own. See [Directory.CreateOwnProject]
// for the id.
func (d *Directory) CreateProjectFor(ctx context.Context, c *Caller, projectID, name string) (*Project, error) {
	if err := MayChangeProjects.Check(c, d.now()); err != nil {
		return nil, err
	}
	name, err := CheckName(name)
	if err != nil {
		return nil, err
	}
	p, err := d.CreateOwnProject(ctx, c.Account.ID, c.MemberID, projectID, name)
	return p, Refusal(err)
}

// RenameProjectFor renames a project for a signed-in user. For developers, the projects of others do not exist.
func (d *Directory) RenameProjectFor(ctx context.Context, c *Caller, projectID, name string) error {
	if err := MayChangeProjects.Check(c, d.now()); err != nil {
		return err
	}
	name, err := CheckName(name)
	if err != nil {
		return err
	}
	found, err := d.RenameProject(ctx, c.Account.ID, c.MemberID, projectID, name)
	return existing(found, err, apierror.ProjectNotFound)
}

// DeleteProjectFor deletes a project, whose messages stay, and returns the number of revoked keys. For developers, the
// projects of others do not exist.
//
// Errors: [apierror.ProjectNotFound].
func (d *Directory) DeleteProjectFor(ctx context.Context, c *Caller, projectID string) (revokedKeys int64, err error) {
	if err := MayDeleteProjects.Check(c, d.now()); err != nil {
		return 0, err
	}
	revokedKeys, found, err := d.DeleteProject(ctx, c.Account.ID, c.MemberID, projectID)
	return revokedKeys, existing(found, err, apierror.ProjectNotFound)
}

// NoSender is the error for a sender that an account doesn't have, and for the senders of other accounts.
func NoSender() error {
	return apierror.SenderNotFound.Err().Detailf("The account doesn't have this sender.")
}

// OwnSender returns one of the account's own senders. Only operators manage the platform's.
//
// Errors: [apierror.SenderNotFound], [apierror.Forbidden] for a sender of the platform.
func (a *Account) OwnSender(senderID string) (Sender, error) {
	for _, s := range a.Senders {
		switch {
		case s.ID != senderID:
		case s.AccountID == "":
			return s, apierror.Forbidden.Err().Detailf("All accounts share this sender, so only the operator can change it.")
		default:
			return s, nil
		}
	}
	return Sender{}, NoSender()
}

// SetPausedFor pauses or resumes one of the own senders of the caller's account.
//
// Errors: those of [Account.OwnSender].
func (d *Directory) SetPausedFor(ctx context.Context, c *Caller, senderID string, paused bool) error {
	if err := MayManageSenders.Check(c, d.now()); err != nil {
		return err
	}
	if _, err := c.Account.OwnSender(senderID); errors.Is(err, apierror.Forbidden.Err()) {
		return err
	}
	set := d.ResumeSender
	if paused {
		set = d.PauseSender
	}
	found, err := set(ctx, c.Account.ID, senderID)
	if err == nil && !found {
		err = NoSender()
	}
	return err
}

// MembersFor lists the members of the caller's account, oldest first.
func (d *Directory) MembersFor(ctx context.Context, c *Caller) ([]Member, error) {
	if err := MayListMembers.Check(c, d.now()); err != nil {
		return nil, err
	}
	return d.Members(ctx, c.Account.ID)
}

// InvitationsFor lists the invitations to the caller's account that can still be accepted.
func (d *Directory) InvitationsFor(ctx context.Context, c *Caller) ([]Invitation, error) {
	if err := MayListMembers.Check(c, d.now()); err != nil {
		return nil, err
	}
	return d.Invitations(ctx, c.Account.ID)
}

// KeysFor lists the keys that a caller can see as [Directory.Keys] does: a member sees only the keys that they created.
func (d *Directory) KeysFor(ctx context.Context, c *Caller) ([]Key, error) {
	if err := MayListKeys.Check(c, d.now()); err != nil {
		return nil, err
	}
	return d.Keys(ctx, c.Account.ID, c.MemberID)
}

// KeyFor returns a key that the caller can see.
//
// Errors: [apierror.KeyNotFound], also for the keys of others.
func (d *Directory) KeyFor(ctx context.Context, c *Caller, keyID string) (*Key, error) {
	if err := MayListKeys.Check(c, d.now()); err != nil {
		return nil, err
	}
	k, err := d.Key(ctx, c.Account.ID, c.MemberID, keyID)
	if err == nil && k == nil {
		err = apierror.KeyNotFound.Err()
	}
	return k, err
}

// AskFor stores a request of the caller's account as [Directory.AddRequest] does. It sets the request's account.
func (d *Directory) AskFor(ctx context.Context, c *Caller, r Request) (stored bool, err error) {
	if err := MayAskOperator.Check(c, d.now()); err != nil {
		return false, err
	}
	r.AccountID = c.Account.ID
	return d.AddRequest(ctx, r)
}

// RequestsFor lists the open requests of the caller's account, newest first.
func (d *Directory) RequestsFor(ctx context.Context, c *Caller) ([]Request, error) {
	if err := MayAskOperator.Check(c, d.now()); err != nil {
		return nil, err
	}
	return d.Requests(ctx, c.Account.ID)
}

// EventsFor lists events of the audit log of the caller's account: see [audit.List]. It sets the filter's account.
//
// Errors: [apierror.InvalidCursor], [apierror.InvalidRequest].
func (d *Directory) EventsFor(ctx context.Context, c *Caller, f *audit.Filter) (events []*audit.Event, next string, err error) {
	if err := MayReadAudit.Check(c, d.now()); err != nil {
		return nil, "", err
	}
	f.AccountID, f.Actor = c.Account.ID, NormalEmail(f.Actor)
	switch {
	case f.Before != "" && !id.Valid(f.Before):
		return nil, "", apierror.InvalidCursor.On("cursor")
	case !audit.ValidAction(f.Action):
		return nil, "", apierror.InvalidRequest.On("action").Detailf("action must be an action of events, such as key.created, or a prefix, such as key.")
	case !audit.ValidActor(f.Actor):
		return nil, "", apierror.InvalidRequest.On("actor").Detailf("actor must be an email address, owner, member, key, operator, or system.")
	}
	return d.Events(ctx, f)
}

// Events lists events of the audit log as [audit.List] does, for operators.
func (d *Directory) Events(ctx context.Context, f *audit.Filter) (events []*audit.Event, next string, err error) {
	return audit.List(d.db.Read(ctx), f)
}

// LastSignIns returns the times at which people last signed in to the caller's account, by their addresses, as far as the
// latest events of the audit log contain them.
func (d *Directory) LastSignIns(ctx context.Context, c *Caller) (map[string]time.Time, error) {
	if err := MayListMembers.Check(c, d.now()); err != nil {
		return nil, err
	}
	const latest = 200
	events, _, err := d.Events(ctx, &audit.Filter{AccountID: c.Account.ID, Action: audit.SessionOpened, Limit: latest})
	seen := map[string]time.Time{}
	for _, e := range events {
		if seen[e.Actor.Email].Before(e.At) {
			seen[e.Actor.Email] = e.At
		}
	}
	return seen, err
}

// UsedToday returns the number of messages that count toward an account's daily limit today, in UTC.
func (d *Directory) UsedToday(ctx context.Context, accountID string) (int64, error) {
	return quota.Used(d.db.Read(ctx), accountID, quota.Day(d.now()))
}

// MaxName is the maximum length of a name, in characters.
const MaxName = 100

// CheckName returns the name of a project or a key without surrounding spaces.
func CheckName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !visible.Name(name, MaxName) {
		return "", apierror.InvalidRequest.On("name").Detailf("name must have 1 to %d visible characters.", MaxName)
	}
	return name, nil
}

// CheckAccountName is like [CheckName], for an account. Its name appears in emails to other people.
func CheckAccountName(name string) (string, error) {
	name, err := CheckName(name)
	if err == nil && visible.HasAddress(name) {
		return "", apierror.InvalidRequest.On("name").Detailf("An account's name can't contain a web address: no ://, www., or path.")
	}
	return name, err
}

// Refusal converts a refusal of the directory to the error for the caller. It returns any other error unchanged.
func Refusal(err error) error {
	for _, line := range []struct {
		err error
		as  *apierror.Error
	}{
		{ErrTooMany, apierror.TooManyItems.Err()},
		{ErrNoProject, apierror.ProjectNotFound.On("projectId")},
		{ErrKeyKind, apierror.InvalidRequest.On("projectId").Detailf("A project key needs projectId. Other keys can't have it.")},
		{ErrClosed, apierror.AccountClosed.Err()},
		{ErrNoMember, apierror.MemberNotFound.Err()},
		{ErrNoKey, apierror.KeyNotFound.Err()},
		{ErrKeyInactive, apierror.KeyInactive.Err()},
		{ErrNoTools, apierror.InvalidRequest.On("assistantTools").Detailf("Only a live key can have assistant tools.")},
		{ErrAlreadyMember, apierror.AlreadyMember.On("email")},
		{ErrNoInvitation, apierror.InvitationNotFound.On("token")},
		{ErrInvitationUsed, apierror.InvitationUsed.On("token")},
		{ErrInvitationExpired, apierror.InvitationExpired.On("token")},
		{ErrInvitationForeign, apierror.InvitationForeign.On("token")},
	} {
		if errors.Is(err, line.err) {
			return line.as
		}
	}
	return err
}
