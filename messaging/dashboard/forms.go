package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// is reports whether an error is of a kind.
func is(err error, kind *apierror.Kind) bool {
	e, ok := errors.AsType[*apierror.Error](err)
	return ok && e.Kind == kind
}

// refusal returns the error if it was caused by a person's input. The form shows it. Any other error ends the request.
func refusal(err error) (*apierror.Error, bool) {
	e, ok := errors.AsType[*apierror.Error](err)
	return e, ok && e.Kind.Status >= http.StatusBadRequest && e.Kind.Status < http.StatusInternalServerError || ok && e.Kind == apierror.GatewayUnavailable
}

// faultKey is the prefix of the keys of error texts. The code follows, and the field if one code has several reasons.
const faultKey = "dashboard.fault."

// unread returns the error for a typed number that isn't read. The cause is the reason.
func unread(field string, reason error) *apierror.Error {
	e := apierror.InvalidPhone.On(field)
	e.Cause = reason
	return e
}

// because adds the reason to the refusal of a typed number.
func because(e *apierror.Error, typed string) *apierror.Error {
	if _, err := phone.Lookup(typed); err != nil && e.Kind == apierror.InvalidPhone {
		e.Cause = err
	}
	return e
}

// explain describes an error in the person's language.
func explain(lang i18n.Lang, e *apierror.Error) string {
	if unread, ok := errors.AsType[*phone.ReadError](e.Cause); ok {
		key, args := faultKey+e.Kind.Code+"_"+unread.Problem.Key(), []any(nil)
		if unread.Code != "" {
			args = []any{unread.Code, unread.Lengths}
		}
		return lang.T(key, args...)
	}
	for _, key := range []string{faultKey + e.Kind.Code + "_" + strings.ToLower(e.Field), faultKey + e.Kind.Code} {
		if lang.Has(key) {
			return strings.TrimSpace(lang.T(key) + " " + lang.Wait(e.RetryAfter))
		}
	}
	return e.Text()
}

// blame stores an error's text at its field of a form, or at the form if the error has no field.
func blame(e *apierror.Error, text string, fields map[string]*string, form *string) {
	if at, ok := fields[e.Field]; ok {
		form = at
	}
	*form = text
}

// see redirects to a page in the visit's mode, after a form.
func (v *visit) see(page string) error { return httpx.SeeOther(v.w, v.url(page)) }

// seeAfter is like see, after an action that might have failed.
func (v *visit) seeAfter(err error, page string) error {
	if err != nil {
		return err
	}
	return v.see(page)
}

// readForm parses a form of a page of this service. Only the fields in lists can have several values.
func (d *Dashboard) readForm(w http.ResponseWriter, r *http.Request, lists ...string) (url.Values, error) {
	if err := d.sessions.SameOrigin(r); err != nil {
		return nil, err
	}
	if httpx.MediaType(r) != httpx.TypeForm {
		return nil, apierror.UnsupportedMediaType.Err()
	}
	return d.o.HTTP.ReadForm(w, r, lists...)
}

// formID is the name of the field that identifies a form, so that a form that is sent twice is recognized.
const formID = "id"

// formOf returns a form that creates an item in the session of its request. The purpose distinguishes forms with the same ID.
func (d *Dashboard) formOf(r *http.Request, form url.Values, purpose ...string) forms.Creation {
	f := forms.Creation{ID: form.Get(formID)}
	if !id.Valid(f.ID) {
		f.ID = id.New(d.o.Now())
	}
	if token := d.sessions.Token(r); token != "" {
		f.Seeds = d.seeds.MACs(append(purpose, f.ID, token)...)
	}
	return f
}

const nextParam = "next"

func withNext(path, next string) string {
	if next = httpx.OwnPath(next, homePath); next == homePath {
		return path
	}
	return httpx.WithQuery(path, url.Values{nextParam: {next}})
}
