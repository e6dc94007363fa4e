package access

import (
	"context"
	"errors"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/quota"
)

// Invite sends an invitation to the caller's account by email.
//
// Errors: [apierror.InvalidEmail], those of [account.Directory.CheckMembershipFor], [apierror.RateLimited], [apierror.AlreadyMember],
// [apierror.TooManyItems], and those of sending an email.
func (s *Service) Invite(ctx context.Context, c *account.Caller, email string, offer account.Membership, lang i18n.Lang) (*mail.Sent, error) {
	if err := account.MayChangeMembers.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	if !message.IsEmail(email) {
		return nil, InvalidEmail()
	}
	if err := s.o.Directory.CheckMembershipFor(ctx, c, offer); err != nil {
		return nil, err
	}
	return s.sendInvitation(ctx, c, account.NormalEmail(email), offer, lang)
}

// ResendInvitation sends an invitation again. It has a new link, and the previous link is no longer valid.
//
// Errors: [apierror.InvitationNotFound], and those of [Service.Invite].
func (s *Service) ResendInvitation(ctx context.Context, c *account.Caller, id string, lang i18n.Lang) (*mail.Sent, error) {
	if err := account.MayChangeMembers.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	i, err := s.o.Directory.Invitation(ctx, c.Account.ID, id)
	if err != nil {
		return nil, err
	}
	if i == nil {
		return nil, apierror.InvitationNotFound.Err()
	}
	return s.sendInvitation(ctx, c, i.Email, i.Membership, lang)
}

func (s *Service) sendInvitation(ctx context.Context, c *account.Caller, email string, offer account.Membership, lang i18n.Lang) (*mail.Sent, error) {
	if err := s.signIns.invite(c.Account.ID, email); err != nil {
		return nil, err
	}
	sent, err := s.o.Mail.Invite(ctx, c.Account, email, offer, lang, true)
	if errors.Is(err, account.ErrInvitationsToday) {
		e := apierror.RateLimited.After(quota.UntilNextDay(s.o.Now()))
		return nil, e.Detailf("A new account on the free plan can send only a few invitations per day. Wait until 00:00 UTC, or upgrade.")
	}
	return sent, account.Refusal(err)
}

// Transfer makes a member the owner of the caller's account and notifies them by email. The caller becomes a member with a
// role.
//
// Errors: those of [account.Directory.TransferFor].
func (s *Service) Transfer(ctx context.Context, c *account.Caller, memberID string, become account.Role, lang i18n.Lang) (owner string, err error) {
	owner, err = s.o.Directory.TransferFor(ctx, c, memberID, become)
	if err == nil {
		s.o.Mail.NotifyTransfer(owner, c.Account.Name, c.Email, lang)
	}
	return owner, err
}
