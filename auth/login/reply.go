package login

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/auth/oauth"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/metrics"
)

// Bounds of the replies to people who have signed in.
const (
	replyTime  = time.Minute // after the proof; later, the reply is no news
	maxReplies = 256         // replies that wait for their call; a further one is dropped
	warnEvery  = time.Minute // between two warnings that a reply was not sent
)

// reply is a reply that waits for its call.
type reply struct {
	sessionID string
	toID      string // the WhatsApp ID that sent the proof without its number; empty: the number of the login
}

// confirmByReply makes [Service.RunMessages] reply to the message that has proved a login. It is called for a repeated
// message, too, because a process might have died after the proof.
func (s *Service) confirmByReply(p *Proof) {
	if !s.replies() {
		return
	}
	r := reply{sessionID: p.SessionID}
	if p.Source == gateway.NumberPaired || p.Source == gateway.NumberShared {
		r.toID = senderOf(&p.Person).id
	}
	select {
	case s.replying <- r:
	default:
		s.metrics.Reached(metrics.LoginReplyFailed)
	}
}

// sendReply replies to the person who has proved a login. The login is marked before the call, so that no crash and no
// other node repeats it. Nothing of the login depends on the result.
func (s *Service) sendReply(ctx context.Context, r reply, log *slog.Logger) error {
	receiver, g, done := s.gatewayOf(ctx, r.sessionID)
	defer done()
	if g == nil {
		return nil
	}
	session, err := s.reserveReply(ctx, r.sessionID)
	if err != nil || session == nil {
		return err
	}
	out := &gateway.Outbound{
		Ref: session.ID + "-reply", Channel: gateway.WhatsApp, From: receiver.Number, To: string(session.Phone),
		Text: session.Lang.T("login.signed_in", session.applicationName(), oauth.Host(session.RedirectURI)), ExpiresAt: s.now().Add(replyTime),
	}
	if r.toID != "" {
		out.To, out.ToID = "", r.toID
	}
	call, stop := context.WithTimeout(ctx, askTimeout)
	defer stop()
	began := s.now()
	_, err = g.Send(call, out)
	s.gateways.RecordAttempt(receiver.Gateway, gateway.WhatsApp, receiver.Number, err, s.now().Sub(began))
	if err == nil {
		s.metrics.Reached(metrics.LoginReplied)
		return nil
	}
	s.metrics.Reached(metrics.LoginReplyFailed)
	if now, last := s.now().UnixMilli(), s.warned.Load(); now-last >= warnEvery.Milliseconds() && s.warned.CompareAndSwap(last, now) {
		log.WarnContext(ctx, "a login was not confirmed by a reply", "login", session.ID, "gateway", receiver.Gateway, "code", gateway.AsError(err).Code)
	}
	return nil
}

// reserveReply marks a login as replied to. It returns nil if there must be no reply, because there was one, the login or
// its token has ended, or the proof is too long ago.
func (s *Service) reserveReply(ctx context.Context, sessionID string) (reserved *Session, err error) {
	now := s.now()
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		reserved = nil
		marked, err := markReplied(tx, sessionID, now)
		if err != nil || !marked {
			return err
		}
		reserved, err = selectSession(&tx.Query, sessionID)
		return err
	})
	return reserved, err
}
