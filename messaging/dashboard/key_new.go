package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

// The pages of a new key.
const (
	pageNewKey    = "dashboard_key_new"    // newKeyForm
	pageKeySecret = "dashboard_key_secret" // keySecret
)

// A newKeyForm is the form for creating a key.
type newKeyForm struct {
	KeysURL string
	ID      string // each form creates only one key, even if it is sent repeatedly
	Name    web.Field
	Kinds   []keyKindOption
	Project *web.Select // nil: there is no project to select
	Wrong   string
	Empty   *web.Empty // for a developer without a project
}

type keyKindOption struct {
	Value, Label, About string
	Mode                web.Badge
	Chosen              bool
}

// showNewKey handles GET /dashboard/keys/new.
func (d *Dashboard) showNewKey(v *visit) error {
	form := v.r.URL.Query()
	form.Del(formID) // an ID from the URL is not used
	page, err := d.newKeyForm(v, form)
	if err != nil {
		return err
	}
	return d.serve(v, http.StatusOK, pageNewKey, keysPath, page)
}

// newKeyForm returns the form with its values.
func (d *Dashboard) newKeyForm(v *visit, form url.Values) (*newKeyForm, error) {
	lang := v.lang
	projects, err := d.o.Directory.ProjectsFor(v.r.Context(), v.caller)
	if err != nil {
		return nil, err
	}
	p := &newKeyForm{
		KeysURL: v.url(keysPath), ID: d.formOf(v.r, form).ID,
		Name: web.Field{ID: "name", Name: "name", Label: lang.T("dashboard.keys.name"), Value: form.Get("name"), Hint: lang.T("dashboard.keys.name_hint"), Focus: reads(v.r)},
	}
	var kinds []account.Kind
	if v.caller.Owner() {
		kinds = append(kinds, account.Test, account.Live)
	}
	if len(projects) > 0 {
		kinds = append(kinds, account.ProjectKey)
		_, p.Project = chosenProject(lang, projects, form.Get("projectId"))
		p.Project.ID, p.Project.Name = "project", "projectId"
	}
	if len(kinds) == 0 {
		p.Empty = &web.Empty{Icon: "key", Title: lang.T("dashboard.projects.none"), Text: lang.T("dashboard.keys.needs_project"), ActionURL: projectsPath, Action: lang.T("dashboard.projects.create")}
		return p, nil
	}
	chosen := account.Kind(form.Get("kind"))
	if chosen == "" {
		chosen = kinds[0]
	}
	for _, kind := range kinds {
		about := lang.T("dashboard.keys.about_" + string(kind))
		p.Kinds = append(p.Kinds, keyKindOption{string(kind), keyKind(lang, kind), about, keyMode(&account.Key{Kind: kind}), kind == chosen})
	}
	return p, nil
}

// createKey handles POST /dashboard/keys. Only its response contains the secret. If the form is sent again later, the
// response shows the key without it.
func (d *Dashboard) createKey(v *visit, form url.Values) error {
	page, err := d.newKeyForm(v, form)
	if err != nil {
		return err
	}
	form.Set(formID, page.ID)
	s := account.KeySpec{Form: d.formOf(v.r, form, "key"), Kind: account.Kind(form.Get("kind")), Name: strings.TrimSpace(form.Get("name"))}
	if s.Kind == account.ProjectKey {
		s.ProjectID = form.Get("projectId")
	}
	k, secret, err := d.o.Directory.MakeKeyFor(v.r.Context(), v.caller, s)
	switch {
	case errors.Is(err, account.ErrKeyMade):
		return v.see(keyURL(page.ID) + "?done=key_made")
	case err != nil:
		return d.refuseNewKey(v, page, err)
	}
	return d.showSecret(v, k, secret, nil)
}

// refuseNewKey shows the form again, with the error next to its field.
func (d *Dashboard) refuseNewKey(v *visit, page *newKeyForm, err error) error {
	e, ok := refusal(err)
	if !ok || e.Kind == apierror.Forbidden {
		return err
	}
	httpx.SetRetryAfter(v.w.Header(), e.RetryAfter)
	if e.Field == "projectId" && page.Project != nil {
		page.Project.Wrong = v.lang.T("dashboard.keys.choose_project")
	} else {
		blame(e, explain(v.lang, e), map[string]*string{"name": &page.Name.Wrong}, &page.Wrong)
	}
	return d.serve(v, e.Kind.Status, pageNewKey, keysPath, page)
}

// A keySecret is a new key itself, shown only once.
type keySecret struct {
	Name, Project string
	Mode          web.Badge
	Secret, Curl  web.Code
	OldEndsAt     time.Time // end of the key that this one replaces; zero: none, or it has ended
	OldEnded      bool
	OldMasked     string
	KeysURL       string
}

// showSecret shows a new key itself, with instructions. The response must not be cached.
func (d *Dashboard) showSecret(v *visit, k *account.Key, secret string, replaced *account.Key) error {
	projects, err := d.projectNames(v)
	if err != nil {
		return err
	}
	d.showModeOf(v, k)
	body := &sendBody{To: "+22376000001", Channel: message.Auto, Message: v.lang.T("dashboard.overview.hello")}
	page := &keySecret{
		Name: keyName(v.lang, k), Project: projectOfKey(v.lang, k, projects), Mode: keyMode(k), KeysURL: v.url(keysPath),
		Secret: web.Code{ID: "secret", Title: v.lang.T("dashboard.keys.secret"), Text: secret},
		Curl:   web.Code{ID: "curl", Title: "curl", Text: curl(d.o.URL, secret, body)},
	}
	if replaced != nil {
		page.OldMasked, page.OldEnded, page.OldEndsAt = maskedKey(replaced), !replaced.Works(d.o.Now()), replaced.ExpiresAt
	}
	return d.serve(v, http.StatusCreated, pageKeySecret, keysPath, page)
}
