package login

import (
	"context"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

// Bounds of the requests for numbers. Providers charge for each.
const (
	askEvery   = time.Minute      // between two requests to one person
	askPeriod  = time.Hour        // in which one person gets at most maxAsked requests
	maxAsked   = 3                // requests
	askTime    = 20 * time.Second // remaining time of a login for which a request is worth its price
	askTimeout = 10 * time.Second // of a call
	maxAsking  = 256              // requests that wait for their call; a person whose request is dropped sends the words again
)

// ask makes [Service.RunMessages] ask the sender of a login's words for the number.
func (s *Service) ask(sessionID string) {
	if !s.asks() {
		return
	}
	select {
	case s.asking <- sessionID:
	default:
	}
}

// request asks the sender of a login's words for the number. The login is marked before the call, so that no crash and
// no other node repeats it. Its pages offer the button only after the call.
func (s *Service) request(ctx context.Context, sessionID string) error {
	receiver, g, done := s.gatewayOf(ctx, sessionID)
	defer done()
	asker, ok := g.(gateway.NumberAsker)
	if !ok {
		return nil
	}
	session, err := s.reserveRequest(ctx, sessionID)
	if err != nil || session == nil {
		return err
	}
	call, stop := context.WithTimeout(ctx, askTimeout)
	defer stop()
	began := s.now()
	_, err = asker.AskForNumber(call, &gateway.NumberRequest{Ref: session.ID, From: receiver.Number, ToID: session.held.id, Text: session.Lang.T("login.ask_for_number", session.applicationName())})
	now := s.now()
	s.gateways.RecordAttempt(receiver.Gateway, gateway.WhatsApp, receiver.Number, err, now.Sub(began))
	asked := &tenant.Event{
		ID: id.New(now), Type: tenant.LoginNumberRequested, At: now, Actor: tenant.ActorSystem,
		TenantID: session.TenantID, ClientID: session.ClientID, LoginID: session.ID, Mode: session.Mode,
	}
	refused := false
	if err != nil {
		failure := gateway.AsError(err)
		if refused = !failure.Class.HandedOver(); refused {
			asked.ErrorCode = failure.Code
		}
	}
	defer s.changed(sessionID)
	after, stopWrite := context.WithTimeout(context.WithoutCancel(ctx), askTimeout) // the call was made, even if the process is about to end
	defer stopWrite()
	return s.db.Write(after, func(tx *db.Tx) error {
		if !refused {
			if err := markRequested(tx, sessionID, now); err != nil {
				return err
			}
		}
		return tenant.Record(tx, asked)
	})
}

// reserveRequest marks a login as asked. It returns nil if it must not be asked.
func (s *Service) reserveRequest(ctx context.Context, sessionID string) (reserved *Session, err error) {
	now := s.now()
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		reserved = nil
		session, err := selectSession(&tx.Query, sessionID)
		if err != nil || session == nil || !session.held.known() || !session.askedAt.IsZero() {
			return err
		}
		if err := lockHeld(tx, session.held); err != nil {
			return err
		}
		asked, err := markAsked(tx, session, now)
		if asked {
			reserved = session
		}
		return err
	})
	return reserved, err
}
