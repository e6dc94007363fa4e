package account

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
)

// InvitationTime is the lifetime of an invitation.
const InvitationTime = 7 * 24 * time.Hour // M166

// A Member is a person who works on an account and is not its owner.
type Member struct {
	Membership

	ID, AccountID, Email string
	JoinedAt             time.Time
}

// An Invitation invites a person to become a member.
type Invitation struct {
	Membership

	ID, AccountID, Email string
	CreatedAt            time.Time
	ExpiresAt            time.Time
	AcceptedAt           time.Time // zero: not yet
	MaxToday             int       // maximum number of invitations that the account can store in a UTC day, including this one; 0: no limit

	hash       string
	codeMAC    string // MAC of the code in its email; empty: no code
	acceptedIn string // the session in which it was accepted; empty: not accepted
}

// Reasons why an invitation is not created or not accepted.
var (
	ErrAlreadyMember     = errors.New("account: the address belongs to the account already")
	ErrNoInvitation      = errors.New("account: there is no such invitation")
	ErrInvitationUsed    = errors.New("account: the invitation was accepted before")
	ErrInvitationExpired = errors.New("account: the invitation has expired")
	ErrInvitationForeign = errors.New("account: the invitation is for another address")
	ErrInvitationsToday  = errors.New("account: a new free account has sent the day's invitations")
)

// A new account on the free plan can send only a few invitations, because anyone can create an account to send mails to strangers.
const (
	newAccountTime        = 30 * 24 * time.Hour
	newAccountInvitations = 5 // per UTC day
)

// InvitationsToday returns the number of invitations that the people of an account can send in the UTC day of a time.
// 0 means no limit.
func (a *Account) InvitationsToday(at time.Time) int {
	if a.Subscription.Plan != planFree || a.Plan.Name == unlimitedPlan().Name || at.Sub(a.CreatedAt) >= newAccountTime {
		return 0
	}
	return newAccountInvitations
}

const tokenBytes = 32

// NewInvitation returns an invitation that is not stored yet, and its token.
func (d *Directory) NewInvitation(accountID, email string, m Membership) (*Invitation, string) {
	now, token := d.now(), id.Token(tokenBytes)
	if m.Role = cmp.Or(m.Role, RoleDeveloper); m.Role != RoleDeveloper {
		m.Projects = []string{}
	}
	return &Invitation{Membership: m, ID: id.New(now), AccountID: accountID, Email: NormalEmail(email), CreatedAt: now, ExpiresAt: now.Add(InvitationTime), hash: seal.Hash(token)}, token
}

// Invite stores a new invitation and its event, and revokes the address's earlier invitations.
//
// Errors: [ErrClosed], [ErrInvitationsToday].
func Invite(tx *db.Tx, i *Invitation, event *audit.Event) error {
	if open, err := lockOpen(tx, i.AccountID); err != nil || !open {
		return cmp.Or(err, ErrClosed)
	}
	if i.MaxToday > 0 { // the account is locked until the transaction ends
		n, err := countInvitations(&tx.Query, i.AccountID, i.CreatedAt.UTC().Truncate(24*time.Hour))
		if err != nil || n >= i.MaxToday {
			return cmp.Or(err, ErrInvitationsToday)
		}
	}
	if err := revokeInvitations(tx, i.AccountID, i.Email, i.CreatedAt); err != nil {
		return err
	}
	if err := insertInvitation(tx, i); err != nil {
		return err
	}
	return audit.Record(tx, event)
}

// MayInvite returns the reason why an address cannot be invited: [ErrAlreadyMember], [ErrTooMany].
func (d *Directory) MayInvite(ctx context.Context, a *Account, email string) error {
	email = NormalEmail(email)
	if email == a.Email {
		return ErrAlreadyMember
	}
	members, err := selectMembers(d.db.Read(ctx), a.ID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Email == email {
			return ErrAlreadyMember
		}
	}
	open, err := selectInvitations(d.db.Read(ctx), a.ID, d.now())
	if err == nil && len(members)+len(open) >= MaxMembers {
		err = ErrTooMany
	}
	return err
}

// StoreInvitation runs [Invite] in a separate transaction, for an invitation without an email and without a code.
func (d *Directory) StoreInvitation(ctx context.Context, i *Invitation) error {
	i.codeMAC = ""
	event := i.Event(ctx)
	return d.db.Write(ctx, func(tx *db.Tx) error { return Invite(tx, i, event) })
}

// Event returns the audit event of an invitation that is about to be stored.
func (i *Invitation) Event(ctx context.Context) *audit.Event {
	return audit.New(ctx, i.CreatedAt, i.AccountID, audit.MemberInvited, i.ID, "email", i.Email, "role", string(i.Role))
}

// Members lists an account's members, oldest first.
func (d *Directory) Members(ctx context.Context, accountID string) ([]Member, error) {
	list, err := selectMembers(d.db.Read(ctx), accountID)
	if err != nil {
		return nil, err
	}
	projects, err := selectProjectsOfMembers(d.db.Read(ctx), accountID)
	for i := range list {
		list[i].Projects = projects[list[i].ID]
	}
	return list, err
}

// Invitation returns an account's invitation that can still be accepted, or nil.
func (d *Directory) Invitation(ctx context.Context, accountID, invitationID string) (*Invitation, error) {
	return findOpenInvitation(d.db.Read(ctx), accountID, invitationID, d.now())
}

// Invitations lists an account's invitations that can still be accepted.
func (d *Directory) Invitations(ctx context.Context, accountID string) ([]Invitation, error) {
	return selectInvitations(d.db.Read(ctx), accountID, d.now())
}

// RevokeInvitation revokes an invitation. found is false if the account has no such invitation that can be accepted.
func (d *Directory) RevokeInvitation(ctx context.Context, accountID, invitationID string) (found bool, err error) {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.InvitationRevoked, invitationID)
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		var email string
		if email, found, err = revokeInvitation(tx, accountID, invitationID, now); err != nil || !found {
			return err
		}
		return audit.Record(tx, event.With("email", email))
	})
	return found && err == nil, err
}

// An Offer is an invitation as shown to the invited person.
type Offer struct {
	ID, AccountName string
	Role            Role
	ExpiresAt       time.Time
}

// OffersTo lists the invitations that the person of a session can accept, oldest first.
func (d *Directory) OffersTo(ctx context.Context, s *Session) ([]Offer, error) {
	return selectInvitationsTo(d.db.Read(ctx), s.Email, d.now())
}

// AcceptOffer is like [Directory.Accept], without the invitation's token. The token was mailed to the invited
// address, so a person who has entered a code from an email to the same address has already proved as much.
//
// Errors: recent_code_required; [ErrNoInvitation].
func (d *Directory) AcceptOffer(ctx context.Context, s *Session, invitationID string) (*Invitation, error) {
	if !s.HasRecentCode(d.now()) {
		return nil, apierror.RecentCodeRequired.Err()
	}
	hash, found, err := findInvitationTo(d.db.Read(ctx), s.Email, invitationID)
	if err != nil {
		return nil, err
	}
	i, err := (*Invitation)(nil), ErrNoInvitation
	if found {
		i, err = d.accept(ctx, s, hash)
	}
	if errors.Is(err, ErrInvitationUsed) || errors.Is(err, ErrInvitationExpired) { // it is not an offer
		err = ErrNoInvitation
	}
	return i, err
}

// Accept makes the person of a session a member, and switches the session to the account. During [forms.RepeatTime], the
// same session gets the invitation again if its person is still a member.
//
// Errors: recent_code_required, unless the session's person has recently entered a code from an email, so that a
// hijacked phone number cannot join an account. [ErrNoInvitation], [ErrInvitationUsed], [ErrInvitationExpired],
// [ErrInvitationForeign].
func (d *Directory) Accept(ctx context.Context, s *Session, token string) (*Invitation, error) {
	return d.accept(ctx, s, seal.Hash(token))
}

func (d *Directory) accept(ctx context.Context, s *Session, hash string) (*Invitation, error) {
	now := d.now()
	if !s.HasRecentCode(now) {
		return nil, apierror.RecentCodeRequired.Err()
	}
	memberID := id.New(now)
	var i *Invitation
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if i, refused, err = d.acceptIn(ctx, tx, hash, s.Email, s.ID, memberID, now); err != nil {
			return nil, err
		}
		if refused == nil {
			return nil, updateSessionAccount(tx, s.ID, i.AccountID)
		}
		again, err := hasJustAccepted(&tx.Query, s, i, now)
		if again {
			refused = nil
		}
		return refused, err
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// hasJustAccepted reports whether a session accepted an invitation a moment ago and its person is still a member.
func hasJustAccepted(q *db.Query, s *Session, i *Invitation, now time.Time) (bool, error) {
	if i == nil || i.acceptedIn != s.ID || !i.AcceptedAt.After(forms.RepeatsSince(now)) {
		return false, nil
	}
	memberID, _, err := findMember(q, i.AccountID, s.Email)
	return memberID != "" && err == nil, err
}

// acceptIn accepts an invitation in a session and makes its address a member, unless it is already one. refused is
// the reason why the invitation cannot be accepted.
func (d *Directory) acceptIn(ctx context.Context, tx *db.Tx, hash, email, sessionID, memberID string, now time.Time) (i *Invitation, refused, err error) {
	accepted, err := acceptInvitation(tx, hash, email, sessionID, now)
	if err != nil {
		return nil, nil, err
	}
	if i, err = findInvitation(&tx.Query, hash); err != nil || !accepted {
		return i, refusal(i, email, now), err
	}
	fresh, err := insertMember(tx, memberID, i, now)
	if err != nil || !fresh {
		return i, nil, err
	}
	return i, nil, d.joined(ctx, tx, memberID, i, now)
}

// refusal returns the reason why an invitation was not accepted. It checks the address first, because only the
// invited person is allowed to learn the invitation's state.
func refusal(i *Invitation, email string, now time.Time) error {
	switch {
	case i == nil:
		return ErrNoInvitation
	case i.Email != email:
		return ErrInvitationForeign
	case !i.AcceptedAt.IsZero():
		return ErrInvitationUsed
	case !now.Before(i.ExpiresAt):
		return ErrInvitationExpired
	}
	return ErrNoInvitation // the invitation was revoked
}

// RemoveMember removes a member and, in the same transaction, revokes the project keys that the member created and
// ends their sessions. found is false if the account has no such member.
func (d *Directory) RemoveMember(ctx context.Context, accountID, memberID string) (revokedKeys int64, found bool, err error) {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.MemberRemoved, memberID)
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		var email string
		if email, found, err = removeMember(tx, accountID, memberID, now); err != nil || !found {
			return err
		}
		if revokedKeys, err = revokeKeysOf(tx, memberID, now); err != nil {
			return err
		}
		if err := revokeInvitations(tx, accountID, email, now); err != nil {
			return err
		}
		if err := endSessionsOf(tx, email, accountID); err != nil {
			return err
		}
		return recordChange(tx, event.With("email", email, "revokedKeys", strconv.FormatInt(revokedKeys, 10)))
	})
	d.ForgetAll()
	return revokedKeys, found && err == nil, err
}
