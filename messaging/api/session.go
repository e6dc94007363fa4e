package api

import (
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

type signInBody struct {
	Email string `json:"email"`
	Code  string `json:"code"`
}

type doneAnswer struct {
	Success bool `json:"success"`
}

// requestCode handles POST /api/session. The response and its timing do not depend on whether the address is known.
func (a *API) requestCode(w http.ResponseWriter, r *http.Request) error {
	in, err := a.signIn(w, r)
	if err != nil {
		return err
	}
	if _, err := a.sessions.RequestCode(w, r, in.Email); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusAccepted, doneAnswer{true})
}

// signIn parses the body of a sign-in request.
func (a *API) signIn(w http.ResponseWriter, r *http.Request) (*signInBody, error) {
	if err := a.sessions.SameOrigin(r); err != nil {
		return nil, err
	}
	in := &signInBody{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return nil, err
	}
	if !message.IsEmail(in.Email) {
		return nil, access.InvalidEmail()
	}
	in.Email = account.NormalEmail(in.Email)
	return in, nil
}

// verifyCode handles POST /api/session/verify.
func (a *API) verifyCode(w http.ResponseWriter, r *http.Request) error {
	in, err := a.signIn(w, r)
	if err != nil {
		return err
	}
	s, err := a.sessions.SignIn(w, r, in.Email, in.Code)
	if err != nil {
		return err
	}
	return a.writeSession(w, r, http.StatusOK, s)
}

type sessionAnswer struct {
	Success   bool            `json:"success"`
	Email     string          `json:"email"`
	ExpiresAt string          `json:"expiresAt"`
	CodeAt    *string         `json:"codeAt"`    // the time at which the last code from an email was entered
	AccountID *string         `json:"accountId"` // the session's current account
	Accounts  []belongingItem `json:"accounts"`
}

type belongingItem struct {
	ID   string       `json:"id"`
	Name string       `json:"name"`
	Role account.Role `json:"role"`
}

func (a *API) writeSession(w http.ResponseWriter, r *http.Request, status int, s *account.Session) error {
	of, err := a.o.Directory.Affiliations(r.Context(), s.Email)
	if err != nil {
		return err
	}
	out := sessionAnswer{Success: true, Email: s.Email, ExpiresAt: formatTime(s.ExpiresAt), CodeAt: formatTimeOrNull(s.CodeAt), Accounts: []belongingItem{}}
	for _, b := range of {
		if b.AccountID == s.AccountID() {
			out.AccountID = textOrNull(b.AccountID)
		}
		out.Accounts = append(out.Accounts, belongingItem{b.AccountID, b.Name, b.Role})
	}
	return httpx.WriteJSON(w, status, out)
}

// showSession handles GET /api/session.
func (a *API) showSession(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	return a.writeSession(w, r, http.StatusOK, s)
}

type chooseBody struct {
	AccountID string `json:"accountId"`
}

// chooseAccount handles PATCH /api/session.
func (a *API) chooseAccount(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	var in chooseBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	found, err := a.o.Directory.SwitchAccount(r.Context(), s, in.AccountID)
	if err != nil {
		return err
	}
	if !found {
		return apierror.AccountNotFound.On("accountId")
	}
	return a.writeSession(w, r, http.StatusOK, s)
}

// signOut handles DELETE /api/session.
func (a *API) signOut(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	if err := a.sessions.SignOut(w, r, s); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, doneAnswer{true})
}
