package mail

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
)

const noticeTime = "2006-01-02 15:04 UTC"

// notify queues a notice to an address. If the queue is full, the notice is not sent.
func (s *Service) notify(email, subject, text string) {
	r := s.request(email, subject, text)
	r.Real = true // like the code
	send := func(ctx context.Context) error {
		_, err := s.submit(ctx, r, func(*db.Tx) error { return nil })
		return err
	}
	if !s.enqueue(send) {
		s.o.Log.Warn("too many mails wait: a notice is not sent")
	}
}

// NotifyTransfer notifies an address that it is now the owner of an account that another person has transferred.
func (s *Service) NotifyTransfer(email, accountName, from string, lang i18n.Lang) {
	s.notify(email, lang.T("mail.transferred.subject", accountName, s.host), lang.T("mail.transferred.text", accountName, s.host, from, s.o.URL+"/dashboard"))
}

// NotifyClosed notifies the owner that an account is closed, and how long it can be reopened.
func (s *Service) NotifyClosed(email, accountName string, erased time.Time, lang i18n.Lang) {
	s.notify(email, lang.T("mail.closed.subject", accountName), lang.T("mail.closed.text", accountName, s.host, erased.UTC().Format(noticeTime)))
}

// NotifyRequest notifies the owner of an account that the operator has completed or declined its request. reason is
// the operator's reason; it can be empty.
func (s *Service) NotifyRequest(a *account.Account, r *account.Request, done bool, reason string) {
	key, wanted := "mail.request_declined", phone.Grouped(r.Wanted)
	if done {
		key = "mail.request_done"
	}
	s.notify(a.Email, a.Lang.T(key+".subject", wanted), a.Lang.T(key+".text", wanted, a.Name, s.host, reason, s.o.URL+"/dashboard"))
}

// NotifySuspended notifies an account's owner by email that an operator has suspended the account, or, if reason is
// empty, has ended the suspension.
func (s *Service) NotifySuspended(a *account.Account, reason string) {
	if reason == "" {
		s.notify(a.Email, a.Lang.T("mail.resumed.subject", a.Name), a.Lang.T("mail.resumed.text", a.Name, s.host))
		return
	}
	s.notify(a.Email, a.Lang.T("mail.suspended.subject", a.Name), a.Lang.T("mail.suspended.text", a.Name, s.host, reason))
}
