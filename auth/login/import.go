package login

import (
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
)

// Past is a past login and the steps that it reached. The times are in chronological order; a step with a
// zero time was not reached.
type Past struct {
	Client      *tenant.Client
	RedirectURI string
	Lang        i18n.Lang
	Caller      tenant.Caller
	Phone       phone.Number
	SecondPhone phone.Number
	Name        string // the person's own display name
	Provider    Provider
	StartedAt   time.Time
	ActivatedAt time.Time
	VerifiedAt  time.Time
	ConflictAt  time.Time // SecondPhone sent the words too, which ended the login
	RedeemedAt  time.Time
}

// Import stores a past login in the caller's transaction. It writes the rows that a login at those times would have
// written and that no cleanup would have deleted by now. No endpoint gets an event.
//
// A caller that sets the clock can't use the live functions instead: [Service.Start], Activate, Prove, and
// [Service.Redeem] each commit on their own, about 1,000 times for the history of `griot dev`, whereas Import is a part
// of one transaction. With separate commits, an interrupted start would leave a part of the history, and the next start
// would treat it as complete.
func (s *Service) Import(tx *db.Tx, p *Past, now time.Time) error {
	session := &Session{
		ID: id.New(p.StartedAt), TenantID: p.Client.TenantID, TenantName: p.Client.TenantName, ClientID: p.Client.ClientID, Mode: p.Client.Mode,
		RedirectURI: p.RedirectURI, State: id.Token(12), Lang: p.Lang, Receiver: s.nextReceiver().PhoneID, Status: Pending,
		ExpiresAt: p.StartedAt.Add(ProveTime), LiveUntil: p.StartedAt.Add(ProveTime), cookieHash: seal.Hash(id.Token(32)),
		Words: s.words().draw(p.Lang), challenge: seal.Hash(id.Token(32)),
	}
	session.wordsKey = normalize(session.Words)
	kept := p.StartedAt.After(now.Add(-keepSessions))
	if kept {
		if err := insertSession(tx, session, p.StartedAt); err != nil {
			return err
		}
	}
	if err := tenant.Record(tx, event(session, tenant.LoginStarted, tenant.ActorUser, p.StartedAt, p.Caller)); err != nil {
		return err
	}
	if !p.ActivatedAt.IsZero() {
		if err := importActivated(tx, p, session, kept); err != nil {
			return err
		}
	}
	if p.VerifiedAt.IsZero() {
		return nil
	}
	return s.importProof(tx, p, session, kept)
}

func importActivated(tx *db.Tx, p *Past, session *Session, kept bool) error {
	if kept {
		if _, err := markActivated(tx, session.ID, p.ActivatedAt); err != nil {
			return err
		}
	}
	return tenant.Record(tx, event(session, tenant.LoginActivated, tenant.ActorUser, p.ActivatedAt, p.Caller))
}

// importProof stores the proof of a past login and its consequences.
func (s *Service) importProof(tx *db.Tx, p *Past, session *Session, kept bool) error {
	pr := s.prepare(Proof{
		SessionID: session.ID, Phone: p.Phone, DisplayName: p.Name, MessageID: "vp_" + id.New(p.VerifiedAt), Receiver: session.Receiver, Words: session.Words, Provider: p.Provider,
	}, p.VerifiedAt)
	if kept {
		if _, err := markVerified(tx, pr, sender{}); err != nil {
			return err
		}
		if _, err := insertProof(tx, pr); err != nil {
			return err
		}
	}
	if err := upsertProfile(tx, session, pr); err != nil {
		return err
	}
	if err := tenant.Record(tx, pr.event(session, tenant.LoginVerified, "")); err != nil {
		return err
	}
	switch {
	case !p.ConflictAt.IsZero():
		return s.importConflict(tx, p, session, kept)
	case !p.RedeemedAt.IsZero():
		return importRedeemed(tx, p, session, pr, kept)
	}
	return nil
}

func (s *Service) importConflict(tx *db.Tx, p *Past, session *Session, kept bool) error {
	second := s.prepare(Proof{SessionID: session.ID, Phone: p.SecondPhone, Provider: p.Provider}, p.ConflictAt)
	if kept {
		if _, err := markTerminated(tx, session.ID, BySecondPhone, p.ConflictAt); err != nil {
			return err
		}
	}
	return tenant.Record(tx, second.event(session, tenant.LoginConflict, apierror.AuthPhoneConflict.Code))
}

func importRedeemed(tx *db.Tx, p *Past, session *Session, pr *preparedProof, kept bool) error {
	r := &redemption{
		Exchange: Exchange{Client: p.Client, RedirectURI: p.RedirectURI, Caller: p.Caller}, now: p.RedeemedAt,
		codeHash: pr.codeHash, challenge: session.challenge, tokenID: id.New(p.RedeemedAt), eventID: id.New(p.RedeemedAt),
	}
	if kept {
		if _, err := markHandedBack(tx, session.ID, p.VerifiedAt, p.RedeemedAt.Add(codeTime)); err != nil {
			return err
		}
		if _, err := markConsumed(tx, r); err != nil {
			return err
		}
	}
	issued := r.event(session.ID, tenant.TokenIssued, "")
	issued.Person = p.Phone
	return tenant.Record(tx, issued)
}
