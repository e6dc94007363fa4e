package dashboard_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

var personLink = regexp.MustCompile(`href="/dashboard/people/([0-9A-Z]{26})"`)

// A stored name that nobody can see is shown as no name, and not as an empty cell.
func TestPeople_InvisibleNames(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		person := s.Proved(s.NewClient(t, tenant.Public, tenant.Live), "22376540001", "Awa")
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE profiles SET display_name = $1`, " \u3164\u200b")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range []string{"/dashboard/people", "/dashboard/people/" + person} {
			if got := s.Get(page); !strings.Contains(got.Body, "No name") || strings.Contains(got.Body, "\u3164") {
				t.Errorf("%s doesn't say that there is no name: %s", page, got.Body)
			}
		}
	})
}

func TestPeople_AreListedMaskedAndPaged(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		s.Get("/dashboard/people").Shows(t, "No one has signed in yet")
		c := s.NewClient(t, tenant.Public, tenant.Live)
		for i := range 60 {
			s.Proved(c, phone.Number(fmt.Sprintf("223765400%02d", i)), "Awa <b>")
		}
		s.Proved(s.NewClientOf(t, s.NewTenant(t, "Another"), tenant.Public, tenant.Live), "22365432109", "Foreign")
		path, seen := "/dashboard/people", map[string]bool{}
		for range 3 {
			got := s.Get(path)
			got.Shows(t, "Awa &lt;b&gt;", "&#43;223*****0")
			if strings.Contains(got.Body, "22376540") || strings.Contains(got.Body, "Foreign") {
				t.Error("the page has a full number, or another tenant's person")
			}
			for _, m := range personLink.FindAllStringSubmatch(got.Body, -1) {
				seen[m[1]] = true
			}
			next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(got.Body)
			if next == nil {
				path = ""
				break
			}
			path = html.UnescapeString(next[1])
		}
		if len(seen) != 60 || path != "" {
			t.Errorf("%d people, then %q, want 60 and an end", len(seen), path)
		}
	})
}

func TestPeople_AreFoundByNumberAndID(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	live := s.Proved(s.NewClient(t, tenant.Public, tenant.Live), "22376543210", "Awa")
	test := s.Proved(s.NewClient(t, tenant.Public, tenant.Test), "22376543299", "")
	for typed, want := range map[string]string{
		"22376543210": live, "+223 76 54 32 10": live, " +223-(76) 54.32.10": live, "\u202a+223 (0)76\u201154\u201132\u201110\u202c": live, "٢٢٣٧٦٥٤٣٢١٠": live, live: live, " " + test + " ": test, "22376543299": test,
	} {
		s.Post("/dashboard/people/find", "person", typed).Leads(t, "/dashboard/people/"+want)
	}
	foreign := s.Proved(s.NewClientOf(t, s.NewTenant(t, "Another"), tenant.Public, tenant.Live), "22365432109", "Foreign")
	for typed, status := range map[string]int{
		"22365432109": 404, "+22370000000": 404, foreign: 404, id.New(s.Clock.Now()): 404, "3210": 400, "Awa": 400, "": 400, "<script>": 400, "76543210": 400,
	} {
		got := s.Post("/dashboard/people/find", "person", typed)
		if got.Status != status || strings.Contains(got.Body, "/dashboard/people/01") || strings.Contains(got.Body, "<script>\"") {
			t.Errorf("%q: got %d, want %d and nobody", typed, got.Status, status)
		}
	}
	both := s.NewClient(t, tenant.Public, tenant.Test)
	s.Proved(both, "22376543210", "Awa in TEST")
	got := s.Post("/dashboard/people/find", "person", "22376543210")
	got.Shows(t, "Awa in TEST", "/dashboard/people/"+live)
}

func TestPerson_IsExportedAndErased(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		c := s.NewClient(t, tenant.Public, tenant.Live)
		person := s.Proved(c, "22376543210", "Awa")
		path := "/dashboard/people/" + person
		got := s.Get(path)
		got.Shows(t, "&#43;223*****210", person, "login.verified", "Export as JSON", "Erase this person?", `download="person-`+person+`.json"`, `href="/dashboard/clients/`+c.ID+`"><bdi>`+cmp.Or(c.Name, c.ClientID)+"<")
		if strings.Contains(got.Body, "22376543210") {
			t.Error("the page has the full number")
		}
		export := regexp.MustCompile(`href="(/manage/people/[^"]+)"`).FindStringSubmatch(got.Body)
		if export == nil {
			t.Fatal("no link to the export")
		}
		whole := map[string]any{}
		if err := json.Unmarshal([]byte(s.Get(export[1]).Body), &whole); err != nil || whole["phoneE164"] != "22376543210" {
			t.Errorf("the export is %v, %v", whole, err)
		}
		if _, err := s.Auth.Verbs().Call(t.Context(), "people.detach", []byte(`{"tenantId":"`+s.Tenant.ID+`","id":"`+person+`"}`)); err != nil {
			t.Fatal(err)
		}
		for _, page := range []string{path, "/dashboard/people"} {
			s.Get(page).Shows(t, "Number detached", "Awa")
		}
		s.Post(path+"/erase").Leads(t, "/dashboard/people")
		s.Get("/dashboard/people").Shows(t, "The person is erased.", "No one has signed in yet")
		s.Post(path+"/erase").Leads(t, "/dashboard/people")
		s.Get("/dashboard/people").Shows(t, "There is nothing left to erase.")
		if got := s.Get(path); got.Status != http.StatusNotFound {
			t.Errorf("an erased person's page: %d", got.Status)
		}
		foreign := s.Proved(s.NewClientOf(t, s.NewTenant(t, "Another"), tenant.Public, tenant.Live), "22365432109", "Foreign")
		for _, other := range []string{foreign, id.New(s.Clock.Now())} { // the response is the same for both
			s.Post("/dashboard/people/"+other+"/erase").Leads(t, "/dashboard/people")
			s.Get("/dashboard/people").Shows(t, "There is nothing left to erase.")
		}
		if n := s.Count(t, "SELECT count(*) FROM profiles WHERE id = $1", foreign); n != 1 {
			t.Error("another tenant's person was erased")
		}
		s.Get("/dashboard/events").Shows(t, "person.erased", "person.exported")
		if again := s.Proved(c, "22376543210", "Awa"); again == person {
			t.Error("the next login has the profile that was erased")
		}
	})
}

// The page of a person shows the number that WhatsApp has reported, and moves the person to it, in both languages.
func TestPerson_IsMoved(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		c := s.NewClient(t, tenant.Public, tenant.Live)
		person := s.Proved(c, "22376543210", "Awa")
		path := "/dashboard/people/" + person
		report := func(from, to string) string {
			t.Helper()
			s.Clock.Advance(time.Minute)
			change := gateway.Change{Gateway: "wa", Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, OldNumber: from, From: to, At: s.Clock.Now()}
			if err := s.Auth.Logins.NumberChanged(t.Context(), &change); err != nil {
				t.Fatal(err)
			}
			form := regexp.MustCompile(`name="report" value="([0-9]+)"`).FindStringSubmatch(s.Get(path).Body)
			if form == nil {
				t.Fatal("the page has no form")
			}
			return form[1]
		}
		if body := s.Get(path).Body; strings.Contains(body, path+"/move") {
			t.Error("the page offers a move before a report")
		}
		stale := report("22376543210", "22376543299")
		got := s.Get(path)
		got.Shows(t, "The number has changed", "&#43;223*****299", "Move to the new number", "they keep their ID (sub)", "person.number_changed")
		if strings.Contains(got.Body, "22376543299") {
			t.Error("the page has the full number")
		}
		s.Send(http.MethodGet, path, nil, "Accept-Language", "fr").Shows(t, "Le numéro a changé", "Déplacer vers le nouveau numéro", "elle garde son identifiant (sub)")
		fresh := report("22376543299", "22376543288")
		for _, old := range []string{stale, "", "x"} {
			if got := s.Post(path+"/move", "report", old); got.Status != http.StatusConflict || !strings.Contains(got.Body, "WhatsApp’s report has changed") {
				t.Errorf("%q: %d %s", old, got.Status, got.Body)
			}
		}
		other := s.Proved(c, "22376543288", "Other")
		if got := s.Post(path+"/move", "report", fresh); got.Status != http.StatusConflict || !strings.Contains(got.Body, "Another person has already signed in") {
			t.Errorf("moved to a number with a profile: %d %s", got.Status, got.Body)
		}
		s.Post("/dashboard/people/"+other+"/erase").Leads(t, "/dashboard/people")
		s.Get("/dashboard/people")
		fresh = report("22376543210", "22376543288")
		s.Post(path+"/move", "report", fresh).Leads(t, path)
		got = s.Get(path)
		got.Shows(t, "The person has the new number.", "&#43;223*****288", "person.moved")
		if strings.Contains(got.Body, path+"/move") {
			t.Error("the page offers a move after it")
		}
		if again := s.Proved(c, "22376543288", "Awa"); again != person {
			t.Errorf("the new number is %s, want %s", again, person)
		}
		if got := s.Post("/dashboard/people/"+other+"/move", "report", fresh); got.Status != http.StatusNotFound {
			t.Errorf("an absent person was moved: %d", got.Status)
		}
	})
}
