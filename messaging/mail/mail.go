package mail

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/task"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// Options are the settings and dependencies of a Service.
type Options struct {
	Delivery  *delivery.Service
	Directory *account.Directory
	Key       *seal.Key
	Log       *slog.Logger
	URL       string     // the API's base URL, for links
	Codes     limit.Rate // limit of sign-in codes per address
	// SignUps limits the codes to addresses without an account per client address, and DailySignUps limits them for
	// all clients per day. Zero means no limit.
	SignUps      limit.Rate
	DailySignUps int
}

const (
	queueSize = 256 // maximum number of codes in the queue
	workers   = 4   // codes sent concurrently, because each might wait for a slow relay

	sweepEvery = 10 * time.Minute
)

// A Service sends the platform's emails. It is safe for concurrent use.
type Service struct {
	*account.SignIn
	o     Options
	host  string // the host of the API's URL, which is the name of the service in mails
	queue chan sendFunc
}

// A sendFunc sends one mail of the queue.
type sendFunc func(ctx context.Context) error

// New returns a service.
func New(o Options) *Service {
	in := account.NewSignIn(o.Directory, o.Key, o.Codes)
	in.LimitSignUps(o.SignUps, o.DailySignUps)
	return &Service{host: Host(o.URL), SignIn: in, o: o, queue: make(chan sendFunc, queueSize)}
}

// Host returns the name of the service at a URL, for mails.
func Host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// Ask requests a sign-in code for an address. The code is valid in one browser. wait is greater than zero if the
// address has reached its limit, or if too many requests are waiting.
func (s *Service) Ask(ctx context.Context, email string, b *account.Browser, lang i18n.Lang) (wait time.Duration, err error) {
	if len(s.queue) == queueSize {
		return time.Second, nil
	}
	c, wait, err := s.SignIn.RequestCode(ctx, email, b)
	if err != nil || wait > 0 {
		return wait, err
	}
	if !s.enqueue(func(ctx context.Context) error { return s.sendCode(ctx, c, email, lang) }) {
		return time.Second, nil
	}
	return 0, nil
}

// enqueue returns false if the queue is full.
func (s *Service) enqueue(send sendFunc) bool {
	select {
	case s.queue <- send:
		return true
	default:
		return false
	}
}

// NotifySignIn notifies an address that it was used to sign in from a new browser. network is the network of the
// browser; it can be empty.
func (s *Service) NotifySignIn(email string, at time.Time, network string, lang i18n.Lang) {
	if network == "" {
		network = "-"
	}
	s.notify(email, lang.T("mail.signed_in.subject"), lang.T("mail.signed_in.text", s.host, at.UTC().Format(noticeTime), network))
}

// NotifyWhatsApp notifies an address that a number, which is masked, can now, or can no longer, sign in for it.
func (s *Service) NotifyWhatsApp(email, number string, linked bool, at time.Time, lang i18n.Lang) {
	key := "mail.whatsapp_unlinked"
	if linked {
		key = "mail.whatsapp_linked"
	}
	s.notify(email, lang.T(key+".subject"), lang.T(key+".text", number, s.host, at.UTC().Format(noticeTime)))
}

// Run sends the requested codes until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case send := <-s.queue:
					if err := send(ctx); err != nil && ctx.Err() == nil {
						s.o.Log.Error("mailing a code or a notice", "err", err)
					}
				}
			}
		})
	}
	err := task.Every(ctx, sweepEvery, s.o.Log, "sweeping sign-in codes", s.SweepMails)
	wg.Wait()
	return err
}

func (s *Service) sendCode(ctx context.Context, c *account.Code, email string, lang i18n.Lang) error {
	digits, err := s.NewDigits(ctx, c)
	if errors.Is(err, account.ErrSignupsUsedUp) {
		s.o.Log.Warn("today's sign-ups are used up (limits.signup_daily): addresses without an account get no code")
		return nil
	}
	if err != nil || digits == "" {
		return err
	}
	minutes := int(account.CodeTime / time.Minute)
	r := s.request(email, lang.T("mail.code.subject", digits, s.host), lang.T("mail.code.text", digits, s.host, minutes))
	r.Real = true // otherwise, no one could sign in to a service that simulates all messages
	_, err = s.submit(ctx, r, c.Store)
	return err
}

// Sent is a stored invitation with the status of its email.
type Sent struct {
	Invitation *account.Invitation
	Link       string         // the link to the invitation; secret, for only the invited person
	Status     message.Status // of the email; empty: no gateway can send it
}

// Invite invites an address to an account. If the email is not required, the invitation is stored even if no gateway
// can send the email. In that case, an operator can forward the link.
//
// Errors: [account.ErrAlreadyMember], [account.ErrTooMany], [account.ErrInvitationsToday]; if required is true, those
// of [delivery.Service.Submit].
func (s *Service) Invite(ctx context.Context, a *account.Account, email string, offer account.Membership, lang i18n.Lang, required bool) (*Sent, error) {
	if err := s.o.Directory.MayInvite(ctx, a, email); err != nil {
		return nil, err
	}
	i, token := s.o.Directory.NewInvitation(a.ID, email, offer)
	if required { // not for an operator's invitation
		i.MaxToday = a.InvitationsToday(i.CreatedAt)
	}
	sent := &Sent{Invitation: i, Link: Link(s.o.URL, token)}
	days, hours := int(account.InvitationTime/(24*time.Hour)), int(account.InvitationCodeTime/time.Hour)
	inviter := cmp.Or(actor.From(ctx).Email, a.Email)
	r := s.request(i.Email, lang.T("mail.invitation.subject", inviter, s.host), lang.T("mail.invitation.text", inviter, sent.Link, i.Email, days, s.host, s.AddCode(i), hours, nameInMail(a)))
	event := i.Event(ctx)
	m, err := s.submit(ctx, r, func(tx *db.Tx) error { return account.Invite(tx, i, event) })
	switch {
	case err == nil:
		sent.Status = m.Status
	case required || !errors.Is(err, apierror.GatewayNotConnected.Err()) && !errors.Is(err, apierror.SenderPaused.Err()):
		return nil, err
	default:
		if err := s.o.Directory.StoreInvitation(ctx, i); err != nil {
			return nil, err
		}
	}
	return sent, nil
}

// nameInMail returns an account's name for a mail to a stranger. Names that were stored before names were checked can
// contain characters that are no longer allowed.
func nameInMail(a *account.Account) string {
	if visible.HasAddress(a.Name) || !visible.Text(a.Name) {
		return a.ID
	}
	return a.Name
}

// Link returns the address of an invitation. The token is in the fragment, which browsers do not send to servers, so
// it is not in any server's log.
func Link(url, token string) string { return url + "/dashboard/invitation#" + token }

func (s *Service) request(to, subject, text string) *message.Request {
	return &message.Request{
		To: to, Channel: gateway.Email, Content: message.Content{Subject: subject, Text: text}, Sensitive: true, Source: message.SourceDashboard,
	}
}

func (s *Service) submit(ctx context.Context, r *message.Request, also func(*db.Tx) error) (*message.Message, error) {
	c, err := s.o.Directory.Platform(ctx)
	if err != nil {
		return nil, err
	}
	res, err := s.o.Delivery.SubmitWith(ctx, c, r, func(tx *db.Tx, _ *message.Message) error { return also(tx) })
	if err != nil {
		return nil, err
	}
	return res.Message, nil
}
