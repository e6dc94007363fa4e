package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const settingsPath = "/dashboard/settings"

func (d *Dashboard) settingsRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", settingsPath, account.MayChangeAccount, d.settings),
		d.form(settingsPath, account.MayChangeAccount, d.changeSettings),
		d.form(transferPath, account.MayTransferAccount, d.transferAccount),
		d.form(closePath, account.MayCloseAccount, d.closeAccount),
	}
}

const pageSettings = "dashboard_settings" // settings

// settings is the page of the account itself. Each part is a section of the page.
type settings struct {
	Profile  profileSection
	About    aboutSection
	Transfer transferSection
	Close    closeSection

	stored *account.Account
}

// A profileSection is the form for the account's name and language.
type profileSection struct {
	Name           web.Field
	Lang, TimeZone web.Select
	Country        web.Field
	Version        string // of the stored values: see package forms
}

type aboutSection struct {
	ID, Plan  string
	CreatedAt time.Time
}

// settings handles GET /dashboard/settings.
func (d *Dashboard) settings(v *visit) error {
	page, err := d.settingsOf(v)
	if err != nil {
		return err
	}
	return d.serve(v, http.StatusOK, pageSettings, settingsPath, page)
}

func (d *Dashboard) settingsOf(v *visit) (*settings, error) {
	a, err := d.o.Directory.StoredAccount(v.r.Context(), v.caller.Account.ID)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, apierror.AccountNotFound.Err()
	}
	members, err := d.o.Directory.MembersFor(v.r.Context(), v.caller)
	return &settings{
		stored:   a,
		Profile:  newProfile(v.lang, a.Name, string(a.Lang), a.TimeZone, a.Country, a.ProfileVersion()),
		About:    aboutSection{ID: a.ID, Plan: capitalized(a.Plan.Name), CreatedAt: a.CreatedAt},
		Transfer: newTransfer(v.lang, members, "", account.RoleDeveloper),
		Close:    newClose(v.lang, a),
	}, err
}

func newProfile(lang i18n.Lang, name, chosen, zone, country, version string) profileSection {
	s := profileSection{
		Version:  version,
		Name:     web.Field{ID: "name", Name: "name", Label: lang.T("dashboard.settings.name"), Hint: lang.T("dashboard.settings.name_hint"), Value: name, Autocomplete: "organization", Required: true},
		Country:  web.Field{ID: "country", Name: "country", Label: lang.T("dashboard.settings.country"), Hint: lang.T("dashboard.settings.country_hint"), Value: country, Placeholder: "ML"},
		TimeZone: web.Select{ID: "time-zone", Name: "timeZone", Label: lang.T("dashboard.settings.time_zone"), Hint: lang.T("dashboard.settings.time_zone_hint")},
		Lang:     web.Select{ID: "language", Name: "language", Label: lang.T("dashboard.settings.language"), Hint: lang.T("dashboard.settings.language_hint")},
	}
	for _, l := range i18n.Langs() {
		s.Lang.Options = append(s.Lang.Options, web.Option{Value: string(l), Label: l.T("dashboard.settings.language_name"), Selected: string(l) == chosen})
	}
	names := account.TimeZones()
	if !slices.Contains(names, zone) { // the API accepts other time zone names, too
		names = append(slices.Clone(names), zone)
	}
	for _, name := range names {
		s.TimeZone.Options = append(s.TimeZone.Options, web.Option{Value: name, Label: name, Selected: name == zone})
	}
	return s
}

// changeSettings handles POST /dashboard/settings.
func (d *Dashboard) changeSettings(v *visit, form url.Values) error {
	name, lang, zone, country := form.Get("name"), form.Get("language"), form.Get("timeZone"), form.Get("country")
	change := &account.Change{Name: &name, Lang: &lang, TimeZone: &zone, ShownProfile: form.Get(forms.VersionField)}
	if form.Has("country") { // a page that was opened before an update has no such field
		change.Country = &country
	}
	_, err := d.o.Directory.ChangeFor(v.r.Context(), v.caller, change)
	if err == nil {
		return v.see(settingsPath + "?done=settings_saved")
	}
	if errors.Is(err, forms.ErrStale) {
		page, err := d.settingsOf(v)
		if err != nil {
			return err
		}
		page.Profile = newProfile(v.lang, name, lang, zone, country, page.Profile.Version)
		page.Profile.showStale(v.lang, page.stored, name, lang, zone, country)
		v.wrong = "component.stale"
		return d.serve(v, http.StatusConflict, pageSettings, settingsPath, page)
	}
	return d.refuseSettings(v, err, func(page *settings, e *apierror.Error) {
		page.Profile = newProfile(v.lang, form.Get("name"), lang, zone, country, form.Get(forms.VersionField))
		page.Profile.refuse(v.lang, e)
	})
}

// showStale shows the stored value at each field whose value in the form differs.
func (s *profileSection) showStale(lang i18n.Lang, stored *account.Account, name, chosen, zone, country string) {
	s.Country.Wrong = web.StaleText(lang, country, stored.Country)
	s.Name.Wrong, s.TimeZone.Wrong = web.StaleText(lang, name, stored.Name), web.StaleText(lang, zone, stored.TimeZone)
	if chosen != string(stored.Lang) {
		s.Lang.Wrong = web.StaleText(lang, "", stored.Lang.T("dashboard.settings.language_name"))
	}
}

// refuse shows an error next to its field.
func (s *profileSection) refuse(lang i18n.Lang, e *apierror.Error) {
	switch e.Field {
	case "lang":
		s.Lang.Wrong = explain(lang, e)
	case "timeZone":
		s.TimeZone.Wrong = lang.T("dashboard.settings.time_zone_wrong")
	case "country":
		s.Country.Wrong = lang.T("dashboard.settings.country_wrong")
	default:
		s.Name.Wrong = explain(lang, e)
	}
}
