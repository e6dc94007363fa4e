package mail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/i18n"
	"griot/internal/limit"
	"griot/internal/seal"
	"griot/messaging/account"
	"griot/messaging/delivery"
	"griot/messaging/message"
)

// Options are what a Writer is made of.
type Options struct {
	Engine    *delivery.Service
	Directory *account.Directory
	Key       *seal.Key
	Log       *slog.Logger
	URL       string     // the API's base address, to which links lead
	Codes     limit.Rate // how many sign-in codes an address is sent
}

const (
	listed  = 256 // addresses that wait for their code
	writers = 4   // codes that are being sent at once: each may wait for a slow relay
)

// Writer writes letters. It is safe for concurrent use.
type Writer struct {
	*account.SignIn
	o     Options
	asked chan ask
}

type ask struct {
	code  *account.Code
	email string
	lang  i18n.Lang
}

// New returns a writer.
func New(o Options) *Writer {
	return &Writer{SignIn: account.NewSignIn(o.Directory, o.Key, o.Codes), o: o, asked: make(chan ask, listed)}
}

// Ask asks for a code for whoever reads the mail of an address; it is good in one
// browser. wait is more than zero when the address has had enough for now, or when too
// many people are asking.
func (w *Writer) Ask(ctx context.Context, email string, b *account.Browser, lang i18n.Lang) (wait time.Duration, err error) {
	if len(w.asked) == listed {
		return time.Second, nil
	}
	c, wait, err := w.SignIn.Ask(ctx, email, b)
	if err != nil || wait > 0 {
		return wait, err
	}
	select {
	case w.asked <- ask{c, email, lang}:
		return 0, nil
	default:
		return time.Second, nil
	}
}

// Run sends the codes that are asked for, until ctx ends.
func (w *Writer) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case a := <-w.asked:
					if err := w.sendCode(ctx, a); err != nil && ctx.Err() == nil {
						w.o.Log.Error("sending a sign-in code", "err", err)
					}
				}
			}
		})
	}
	wg.Go(func() { w.sweep(ctx) })
	wg.Wait()
	return nil
}

const sweepPause = 10 * time.Minute

func (w *Writer) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepPause)
	defer tick.Stop()
	for {
		if err := w.SweepMails(ctx); err != nil && ctx.Err() == nil {
			w.o.Log.Error("sweeping sign-in codes", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (w *Writer) sendCode(ctx context.Context, a ask) error {
	digits, err := w.Make(ctx, a.code)
	if err != nil || digits == "" {
		return err
	}
	minutes := int(account.CodeTime / time.Minute)
	r := w.request(a.email, a.lang.T("mail.code.subject"), a.lang.T("mail.code.text", digits, minutes))
	r.Real = true // without it nobody could sign in where every message is simulated
	_, err = w.post(ctx, r, a.code.Keep)
	return err
}

// Sent is an invitation that was stored, and what became of its letter.
type Sent struct {
	Invitation *account.Invitation
	Link       string         // opens the invitation: for nobody but whom it is for
	Status     message.Status // of the letter; empty: there is nothing to send it with
}

// Invite invites an address to an account. The invitation is stored even when
// there is no way to send the letter: then an operator may pass the link on.
// When must is true, there has to be one.
//
// Errors: [account.ErrAlreadyMember], [account.ErrTooMany]; if must is true those of [delivery.Service.Submit].
func (w *Writer) Invite(ctx context.Context, a *account.Account, email string, lang i18n.Lang, must bool) (*Sent, error) {
	if err := w.o.Directory.MayInvite(ctx, a, email); err != nil {
		return nil, err
	}
	i, token := w.o.Directory.NewInvitation(a.ID, email)
	s := &Sent{Invitation: i, Link: Link(w.o.URL, token)}
	days := int(account.InvitationTime / (24 * time.Hour))
	r := w.request(i.Email, lang.T("mail.invitation.subject", a.Name), lang.T("mail.invitation.text", a.Name, s.Link, i.Email, days))
	m, err := w.post(ctx, r, func(tx *db.Tx) error { return account.Invite(tx, i) })
	switch {
	case err == nil:
		s.Status = m.Status
	case must || !errors.Is(err, fault.GatewayNotConnected.Err()):
		return nil, err
	default:
		if err := w.o.Directory.StoreInvitation(ctx, i); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Link returns the address of an invitation. The token is behind the #, where it
// is sent to no server and stands in no server's log.
func Link(url, token string) string { return url + "/dashboard/invitation#" + token }

func (w *Writer) request(to, subject, text string) *message.Request {
	return &message.Request{
		To: to, Channel: gateway.Email, Content: message.Content{Subject: subject, Text: text}, Sensitive: true, Source: message.SourceDashboard,
	}
}

func (w *Writer) post(ctx context.Context, r *message.Request, beside func(*db.Tx) error) (*message.Message, error) {
	c, err := w.o.Directory.Platform(ctx)
	if err != nil {
		return nil, err
	}
	res, err := w.o.Engine.SubmitWith(ctx, c, r, func(tx *db.Tx, _ *message.Message) error { return beside(tx) })
	if err != nil {
		return nil, err
	}
	return res.Message, nil
}
