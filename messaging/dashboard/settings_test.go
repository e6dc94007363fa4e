package dashboard_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"griot/internal/db"
	"griot/internal/db/dbtest"
)

func TestSettings_ChangeTheAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		p.wants(p.get("/dashboard/settings"), http.StatusOK, w.Account.ID)
		save := func(name, lang, zone string) *page {
			return p.post("/dashboard/settings", "name", name, "language", lang, "timeZone", zone)
		}
		p.wants(save(" Awa <b> & fils ", "en", "Africa/Bamako"), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
		got := p.get("/dashboard/settings?done=settings_saved")
		for _, want := range []string{`value="Awa &lt;b&gt; &amp; fils"`, `value="Africa/Bamako"`, `data-zone="Africa/Bamako"`, "Settings saved."} {
			if !strings.Contains(got.body, want) {
				t.Errorf("no %q in:\n%s", want, got.body)
			}
		}
		for want, wrong := range map[string][3]string{
			"A name has 1 to 100 characters.": {" ", "en", "UTC"}, "Choose French or English.": {"Awa", "de", "UTC"}, "This time zone is not known.": {"Awa", "fr", "../etc"},
		} {
			p.wants(save(wrong[0], wrong[1], wrong[2]), http.StatusBadRequest, want)
		}
		a, err := w.Directory.Account(t.Context(), w.Account.ID)
		if err != nil || a.Name != "Awa <b> & fils" || a.Lang != "en" || a.TimeZone != "Africa/Bamako" {
			t.Errorf("%+v, %v; want what was saved last", a, err)
		}
		if body := html.UnescapeString(save("Awa", "fr", "Mali").body); !strings.Contains(body, `value="Mali"`) {
			t.Errorf("what was typed is lost:\n%s", body)
		}
	})
}
