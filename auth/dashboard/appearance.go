package dashboard

import (
	"errors"
	"net/http"
	"strings"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/web"
)

const appearancePath = Home + "/appearance"

// maxUploads is the number of forms of the appearance that a tenant can send in a minute. Each can have a picture, which
// costs more than other forms.
const maxUploads = 20

func (d *Dashboard) appearanceRoutes() []httpx.Route {
	return []httpx.Route{
		d.page(appearancePath, d.appearance),
		d.form(appearancePath, d.changeAppearance),
	}
}

const pageTenantAppearance = "tenant_appearance" // appearance

// appearance is the page with the look of the tenant's waiting page, and a preview of it.
type appearance struct {
	URL         string
	Name        web.Field
	Accents     []accent
	WrongAccent bool
	Logo        web.Field         // for the file
	MostLogo    int               // in bytes
	StaleAccent string            // see [web.StaleText]
	Version     string            // of the stored settings; see package forms
	Shown       tenant.Appearance // in the preview
	Themes      []theme
}

// accent is a color that a tenant can choose. The one without a value is Griot's own.
type accent struct {
	Value, Label string
	Chosen       bool
}

// theme is a theme of the preview.
type theme struct{ Value, Label string }

// accentTexts are the names of the accents.
var accentTexts = map[string]string{
	"blue": "tenant.accent.blue", "sky": "tenant.accent.sky", "teal": "tenant.accent.teal", "green": "tenant.accent.green",
	"olive": "tenant.accent.olive", "gold": "tenant.accent.gold", "orange": "tenant.accent.orange", "red": "tenant.accent.red",
	"pink": "tenant.accent.pink", "purple": "tenant.accent.purple", "brown": "tenant.accent.brown", "slate": "tenant.accent.slate",
}

// appearance handles GET /dashboard/appearance.
func (d *Dashboard) appearance(w http.ResponseWriter, r *http.Request, v *visit) error {
	return d.showAppearance(w, r, v, http.StatusOK, v.tenant.Appearance(), v.tenant.Appearance(), nil)
}

// logoTexts are the text keys for the errors of a file.
var logoTexts = map[error]string{
	tenant.ErrLogoSize: "tenant.appearance.logo_size", tenant.ErrLogoKind: "tenant.appearance.logo_kind", tenant.ErrLogoPixels: "tenant.appearance.logo_pixels",
	tenant.ErrLogoWork: "tenant.appearance.logo_work",
}

func (d *Dashboard) showAppearance(w http.ResponseWriter, r *http.Request, v *visit, status int, a, stored tenant.Appearance, wrong error) error {
	shown := d.taken(w, r, v)
	page := &appearance{
		URL: appearancePath, WrongAccent: errors.Is(wrong, tenant.ErrAccent), Shown: a, Version: stored.Version(),
		Name: web.Field{ID: "name", Name: "name", Label: v.lang.T("tenant.appearance.name"), Value: a.Name, Hint: v.lang.T("tenant.appearance.name_hint"), Autocomplete: "organization", Required: true},
		Logo: web.Field{ID: "logo", Hint: v.lang.T("tenant.appearance.logo_hint")}, MostLogo: tenant.MaxLogo,
		Themes: []theme{{string(web.Light), v.lang.T("tenant.appearance.light")}, {string(web.Dark), v.lang.T("tenant.appearance.dark")}},
	}
	if errors.Is(wrong, tenant.ErrTenantName) {
		page.Name.Wrong = v.lang.T("tenant.appearance.name_wrong", tenant.MaxTenantName)
	}
	if errors.Is(wrong, forms.ErrStale) {
		shown.Wrong, page.Name.Wrong = "component.stale", web.StaleText(v.lang, a.Name, stored.Name)
		page.StaleAccent = web.StaleText(v.lang, accentName(v.lang, a.Accent), accentName(v.lang, stored.Accent))
	}
	if wrong != nil {
		page.Logo.Hint = v.lang.T("tenant.appearance.logo_again") // browsers never refill a file field
	}
	for err, text := range logoTexts {
		if errors.Is(wrong, err) {
			page.Logo.Wrong = v.lang.T(text)
		}
	}
	page.Accents = append(page.Accents, accent{Label: accentName(v.lang, ""), Chosen: a.Accent == ""})
	for _, value := range tenant.Accents() {
		page.Accents = append(page.Accents, accent{Value: value, Label: accentName(v.lang, value), Chosen: a.Accent == value})
	}
	return d.show(w, r, v, status, pageTenantAppearance, shown, page)
}

// accentName returns the page's name for an accent.
func accentName(lang i18n.Lang, value string) string {
	if value == "" {
		return lang.T("tenant.accent.none")
	}
	return lang.T(accentTexts[value])
}

// changeAppearance handles POST /dashboard/appearance.
func (d *Dashboard) changeAppearance(w http.ResponseWriter, r *http.Request, v *visit) error {
	if ok, retryAfter := d.uploads.Allow(v.tenant.ID); !ok {
		return apierror.AuthRateLimited.After(retryAfter)
	}
	in, file, err := d.HTTP.ReadUpload(w, r, tenant.MaxLogo)
	if err != nil {
		return err
	}
	a, stored := tenant.Appearance{Name: strings.TrimSpace(in.Get("name")), Accent: in.Get("accent"), Logo: v.tenant.Logo}, v.tenant.Appearance()
	change := &tenant.AppearanceChange{Name: &a.Name, Accent: &a.Accent, Logo: file, RemoveLogo: in.Get("removeLogo") != "", Shown: in.Get(forms.VersionField)}
	_, _, err = d.Tenants.ChangeAppearance(r.Context(), v.tenant.ID, change)
	switch {
	case errors.Is(err, tenant.ErrTenantName) || errors.Is(err, tenant.ErrAccent) || errors.Is(err, tenant.ErrLogo):
		return d.showAppearance(w, r, v, http.StatusBadRequest, a, stored, err)
	case errors.Is(err, forms.ErrStale):
		now, _, err := d.Tenants.Tenant(r.Context(), v.tenant.ID) // the settings that are stored now
		if err != nil {
			return err
		}
		a.Logo = now.Logo
		return d.showAppearance(w, r, v, http.StatusConflict, a, now.Appearance(), forms.ErrStale)
	case err != nil:
		return err
	}
	return d.done(w, v, appearancePath, once{Done: "tenant.done.saved"})
}
