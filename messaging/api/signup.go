package api

import (
	"cmp"
	"errors"
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

type signUpBody struct {
	Name string  `json:"name"`
	Lang *string `json:"lang"`
}

type signUpAnswer struct {
	Success bool        `json:"success"`
	Account accountItem `json:"account"`
	TestKey string      `json:"testKey"` // the key itself, returned only this once
}

// createAccount handles POST /api/account, for a signed-in person without their own account.
func (a *API) createAccount(w http.ResponseWriter, r *http.Request, s *account.Session) error {
	if may, err := a.o.Directory.MaySignUp(r.Context(), s); err != nil || !may {
		return cmp.Or(err, mayNotSignUp())
	}
	var in signUpBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	lang := web.Language(r)
	if in.Lang != nil {
		lang = i18n.Lang(*in.Lang)
	}
	if !lang.Valid() {
		return apierror.InvalidRequest.On("lang").Detailf("lang must be fr or en.")
	}
	of, key, err := a.o.Directory.SignUp(r.Context(), s, in.Name, lang, forms.Creation{})
	switch {
	case errors.Is(err, account.ErrSignupClosed), errors.Is(err, account.ErrEmailTaken): // because of another request at the same time
		return mayNotSignUp()
	case err != nil:
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, signUpAnswer{true, accountOf(of), key})
}

func mayNotSignUp() error {
	return apierror.Forbidden.Err().Detailf("You already have an account, which might be closed, or you can't create one here.")
}
