package login

import (
	"context"
	"time"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
)

// View is the state of a login that its browser can see (Status).
type View struct {
	Session     *Session
	Status      Status
	Held        Held          // why the status is PENDING or ACTIVATED although a message has arrived; empty for most
	EndedBy     EndReason     // why the status is EXPIRED, unless the login timed out
	RedirectURL string        // target of the browser's redirect; only in VERIFIED and EXPIRED
	Response    []oauth.Param // parameters for the application; only with RedirectURL
	At          time.Time
}

// HandBack returns the state of a session that the browser owns. A verified one
// includes the client's address and the code. Both are the same each time, so a
// reloaded page is still redirected. The first hand-back starts the code's 60 seconds.
// If the client was disabled since the start, or no longer has the address, there is no
// redirect and no code (L56 to L61).
func (s *Service) HandBack(ctx context.Context, session *Session) (View, error) {
	now := s.now()
	v := s.view(session, now)
	if v.Status != Verified && v.Status != Expired {
		return v, nil
	}
	refusal, err := tenant.RedirectRefusal(s.db.Read(ctx), session.ClientID, session.RedirectURI)
	switch {
	case err != nil:
		return View{}, err
	case v.Status == Expired && refusal == nil:
		s.respond(&v)
	case v.Status == Verified && refusal != nil:
		return s.endRefused(ctx, session, refusal)
	case v.Status == Verified && session.codeExpires.IsZero():
		return s.handBackFirst(ctx, session)
	case v.Status == Verified:
		s.respond(&v)
	}
	return v, nil
}

// handBackFirst starts the code's time. If another poll was first, or a second phone
// ended the login, it returns the current state.
func (s *Service) handBackFirst(ctx context.Context, session *Session) (View, error) {
	now := s.now()
	first := false
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		first, err = markHandedBack(tx, session.ID, now, now.Add(codeTime))
		return err
	})
	if err != nil {
		return View{}, err
	}
	v := s.view(session, now)
	if !first {
		if v, err = s.viewNow(ctx, session.ID); err != nil {
			return View{}, err
		}
	}
	if v.Status == Verified || v.Status == Expired {
		s.respond(&v)
	}
	return v, nil
}

// endRefused ends a login whose client can no longer receive the redirect.
func (s *Service) endRefused(ctx context.Context, session *Session, refusal *apierror.Error) (View, error) {
	defer s.changed(session.ID)
	now := s.now()
	refused := event(session, tenant.LoginRefused, tenant.ActorSystem, now, tenant.Caller{})
	refused.ErrorCode, refused.Person = refusal.Kind.Code, session.Phone
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		ended, err := markTerminated(tx, session.ID, ByClient, now)
		if err != nil || !ended {
			return err
		}
		return tenant.Record(tx, refused)
	})
	if err != nil {
		return View{}, err
	}
	return s.viewNow(ctx, session.ID)
}

func (s *Service) view(session *Session, now time.Time) View {
	status := session.StatusAt(now)
	return View{Session: session, Status: status, Held: s.heldOf(session, status), EndedBy: session.EndedBy, At: now}
}

func (s *Service) viewNow(ctx context.Context, sessionID string) (View, error) {
	session, err := selectSession(s.db.Read(ctx), sessionID)
	if err != nil {
		return View{}, err
	}
	return s.view(session, s.now()), nil
}

// ReturnPath is the path of the page that returns a browser to an application by a form.
const ReturnPath = "/authorize/return"

// respond sets the response to the application, and its address, of a login that is VERIFIED or EXPIRED.
func (s *Service) respond(v *View) {
	session := v.Session
	switch {
	case v.Status == Verified:
		v.Response = oauth.Response(session.State, s.issuer, oauth.Param{Name: "code", Value: s.codeOf(session)})
	case v.EndedBy == ByOtherPerson: // OpenID Connect Core 1.0 §3.1.2.1, id_token_hint
		v.Response = s.ErrorResponse(session.State, "login_required", v.EndedBy.description())
	default:
		v.Response = s.ErrorResponse(session.State, "access_denied", v.EndedBy.description())
	}
	if v.RedirectURL = oauth.Redirect(session.RedirectURI, v.Response...); session.OpenID.FormPost {
		v.RedirectURL = s.issuer + ReturnPath + "?loginKeyId=" + session.ID
	}
}

// ErrorResponse returns the parameters of an error for an application (RFC 6749 §4.1.2.1). state is empty for a request
// without one.
func (s *Service) ErrorResponse(state, code, description string) []oauth.Param {
	return oauth.Response(state, s.issuer, oauth.Param{Name: "error", Value: code}, oauth.Param{Name: "error_description", Value: description})
}

// description returns a text for the developer of the application. It is in English only, because RFC 6749
// requires ASCII.
func (e EndReason) description() string {
	switch e {
	case BySecondPhone:
		return "Two phones sent the words of this login, so it was ended."
	case ByPerson:
		return "The person canceled the login by a message."
	case ByWrongCodes:
		return "The code of this login was exchanged wrongly too often, so it was ended."
	case ByOtherPerson:
		return "Another person than the one who was asked for sent the words of this login."
	case ByClient:
		return "The client could not be given this login, so it was ended."
	default:
		return "The login was not completed in time."
	}
}
