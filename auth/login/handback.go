package login

import (
	"context"
	"time"

	"griot/auth/oauth"
	"griot/internal/db"
)

// View is what a browser may know of its login (document 1 §2, Status).
type View struct {
	Session     *Session
	Status      Status
	RedirectURL string // where to send the browser; only in VERIFIED and EXPIRED
	At          time.Time
}

// HandBack returns the state of a session that the browser owns. A verified one
// comes with the client's address and the code, the same each time, so that a
// page that was reloaded still gets there. The first hand-back starts the code's
// 60 seconds.
func (s *Service) HandBack(ctx context.Context, session *Session) (View, error) {
	now := s.now()
	v := View{Session: session, Status: session.StatusAt(now), At: now}
	switch v.Status {
	case Verified:
		if session.codeExpires.IsZero() {
			given := false
			err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
				given, err = markHandedBack(tx, session.ID, now, now.Add(codeTime))
				return err
			})
			if err != nil {
				return View{}, err
			}
			if !given { // another poll was first, or a second phone ended the login
				return s.handBackAgain(ctx, session.ID)
			}
		}
		v.RedirectURL = s.success(session)
	case Expired:
		v.RedirectURL = s.failure(session)
	case Pending, Activated, Consumed:
	}
	return v, nil
}

func (s *Service) handBackAgain(ctx context.Context, sessionID string) (View, error) {
	session, err := selectSession(s.db.Read(ctx), sessionID)
	if err != nil {
		return View{}, err
	}
	now := s.now()
	v := View{Session: session, Status: session.StatusAt(now), At: now}
	switch v.Status {
	case Verified:
		v.RedirectURL = s.success(session)
	case Expired:
		v.RedirectURL = s.failure(session)
	case Pending, Activated, Consumed:
	}
	return v, nil
}

func (s *Service) success(session *Session) string {
	return oauth.Redirect(session.RedirectURI,
		oauth.Param{Name: "code", Value: s.code(session.ID, session.codeNonce)},
		oauth.Param{Name: "state", Value: session.State},
		oauth.Param{Name: "iss", Value: s.issuer})
}

func (s *Service) failure(session *Session) string {
	return oauth.Redirect(session.RedirectURI,
		oauth.Param{Name: "error", Value: "access_denied"},
		oauth.Param{Name: "error_description", Value: "The login was not completed."},
		oauth.Param{Name: "state", Value: session.State},
		oauth.Param{Name: "iss", Value: s.issuer})
}
