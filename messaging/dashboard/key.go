package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

const pageKey = "dashboard_key" // keyDetails

// keyDetails is the page of a key with its actions.
type keyDetails struct {
	keyRow
	ID, Kind, MadeBy     string
	RevokedAt, ExpiresAt time.Time
	Works                bool
	RotateURL            string      // empty: the key has ended or was already replaced
	FormID               string      // of the form that rotates the key
	Grace                *web.Select // time for which the key continues to work after that
	RevokeURL            string
	KeysURL              string
	LogsURL              string // logs of its project
	Wrong                string
	Curl                 web.Code
	Tools                *keyTools // nil: the key can't have tools for assistants
}

// key handles GET /dashboard/keys/:id.
func (d *Dashboard) key(v *visit) error {
	k, err := d.findKey(v)
	if err != nil {
		return err
	}
	return d.showKey(v, http.StatusOK, k, "")
}

func (d *Dashboard) showKey(v *visit, status int, k *account.Key, wrong string) error {
	page, err := d.keyPage(v, k)
	if err != nil {
		return err
	}
	page.Wrong = wrong
	return d.serve(v, status, pageKey, keysPath, page)
}

func (d *Dashboard) keyPage(v *visit, k *account.Key) (*keyDetails, error) {
	projects, err := d.projectNames(v)
	if err != nil {
		return nil, err
	}
	d.showModeOf(v, k)
	now := d.o.Now()
	page := &keyDetails{
		keyRow: rowOfKey(v.lang, k, projects, now), ID: k.ID, Kind: keyKind(v.lang, k.Kind), RevokedAt: k.RevokedAt, ExpiresAt: k.ExpiresAt,
		Works: k.Works(now), KeysURL: v.url(keysPath),
	}
	if page.MadeBy, err = d.maker(v, k); err != nil {
		return nil, err
	}
	if _, ok := projects[k.ProjectID]; ok {
		page.LogsURL = v.logsOfProject(k.ProjectID)
	}
	if page.Works {
		page.RevokeURL = v.url(keyURL(k.ID) + "/revoke")
		page.Curl = web.Code{ID: "curl", Title: "curl", Text: curl(d.o.URL, "$GRIOT_API_KEY", &sendBody{To: "+22376000001", Channel: message.Auto, Message: v.lang.T("dashboard.overview.hello")})}
	}
	if page.Works && k.ExpiresAt.IsZero() {
		page.RotateURL, page.FormID, page.Grace = keyURL(k.ID)+"/rotate", id.New(now), graceSelect(v.lang)
	}
	if page.Works && k.Kind == account.Live && v.caller.Owner() {
		page.Tools = toolsForm(v, k, k.Tools)
	}
	return page, nil
}

// maker returns the name of a key's creator. For a member, it is always themselves.
func (d *Dashboard) maker(v *visit, k *account.Key) (string, error) {
	switch k.MemberID {
	case "":
		return v.lang.T("dashboard.keys.by_owner"), nil
	case v.caller.MemberID:
		return v.caller.Email, nil
	}
	members, err := d.o.Directory.MembersFor(v.r.Context(), v.caller)
	for i := range members {
		if members[i].ID == k.MemberID {
			return members[i].Email, err
		}
	}
	return v.lang.T("dashboard.keys.by_former"), err
}

// graceSelect offers the times for which a key continues to work after it is replaced.
func graceSelect(lang i18n.Lang) *web.Select {
	s := &web.Select{ID: "grace", Name: "grace", Label: lang.T("dashboard.keys.grace")}
	for _, o := range []struct {
		grace time.Duration
		text  string
	}{
		{0, lang.T("dashboard.keys.grace_none")},
		{time.Hour, lang.T("dashboard.keys.grace_hour")},
		{24 * time.Hour, lang.T("dashboard.keys.grace_day")},
		{account.MaxGrace, lang.T("dashboard.keys.grace_week")},
	} {
		s.Options = append(s.Options, web.Option{Value: strconv.Itoa(int(o.grace / time.Second)), Label: o.text, Selected: o.grace == 24*time.Hour})
	}
	return s
}

// rotateKey handles POST /dashboard/keys/:id/rotate. Only its response contains the new secret.
func (d *Dashboard) rotateKey(v *visit, form url.Values) error {
	k, err := d.findKey(v)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseUint(form.Get("grace"), 10, 32)
	if err != nil || time.Duration(seconds)*time.Second > account.MaxGrace {
		return d.showKey(v, http.StatusBadRequest, k, v.lang.T("dashboard.fault.invalid_request"))
	}
	rotated, err := d.o.Directory.RotateKeyFor(v.r.Context(), v.caller, k.ID, time.Duration(seconds)*time.Second, d.formOf(v.r, form, "rotate", k.ID))
	if errors.Is(err, account.ErrKeyMade) { // another key has the form's ID
		return d.showKey(v, http.StatusBadRequest, k, v.lang.T("dashboard.fault.invalid_request"))
	}
	if err != nil {
		e, ok := refusal(err)
		if !ok || e.Kind == apierror.KeyNotFound {
			return err
		}
		httpx.SetRetryAfter(v.w.Header(), e.RetryAfter)
		if k, err = d.findKey(v); err != nil { // the current state
			return err
		}
		return d.showKey(v, e.Kind.Status, k, explain(v.lang, e))
	}
	return d.showSecret(v, rotated.Key, rotated.Secret, rotated.Replaced)
}

// revokeKey handles POST /dashboard/keys/:id/revoke.
func (d *Dashboard) revokeKey(v *visit) error {
	return v.seeAfter(d.o.Directory.RevokeKeyFor(v.r.Context(), v.caller, v.r.PathValue("id")), keysPath+"?done=key_revoked")
}
