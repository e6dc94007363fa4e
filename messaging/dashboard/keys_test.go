package dashboard_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

// secret is the key that an answer shows, with its address.
func secret(t *testing.T, got *page) string {
	t.Helper()
	found := regexp.MustCompile(`id="secret">(svc_(?:live|test|proj)_[0-9A-Za-z]{38})<`).FindStringSubmatch(got.body)
	if got.status != http.StatusCreated || found == nil {
		t.Fatalf("%d to %q, want 201 with a key:\n%s", got.status, got.to, got.body)
	}
	if cache := got.header.Get("Cache-Control"); cache != "no-store" {
		t.Errorf("the page of a secret has Cache-Control %q, want no-store", cache)
	}
	return found[1]
}

// keyPath is the page of the latest key that a list names so.
func keyPath(t *testing.T, list *page, name string) string {
	t.Helper()
	found := regexp.MustCompile(`href="(/dashboard/keys/[0-9A-Z]{26})" class="break"><bdi>` + regexp.QuoteMeta(html.EscapeString(name)) + `<`).FindStringSubmatch(list.body)
	if found == nil {
		t.Fatalf("no key %q in the list:\n%s", name, list.body)
	}
	return found[1]
}

func (w *world) opens(key string) bool {
	w.t.Helper()
	c, err := w.Directory.Authenticate(w.t.Context(), key)
	if err != nil {
		w.t.Fatal(err)
	}
	return c != nil
}

func TestKeys_TheSecretIsShownOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		form := p.get("/dashboard/keys/new")
		id := regexp.MustCompile(`name="id" value="([0-9A-Z]{26})"`).FindStringSubmatch(form.body)
		if id == nil {
			t.Fatalf("no id in the form:\n%s", form.body)
		}
		if other := p.get("/dashboard/keys/new?id=" + id[1]); strings.Contains(other.body, `value="`+id[1]) {
			t.Error("an address chooses the id of a key")
		}
		const name = `<script>alert(1)</script>`
		made := p.post("/dashboard/keys", "id", id[1], "kind", "live", "name", name, "projectId", "ignored")
		key := secret(t, made)
		p.wants(made, http.StatusCreated, html.EscapeString("Bearer "+key))
		if !w.opens(key) || !strings.HasPrefix(key, "svc_live_") {
			t.Errorf("the key %s opens nothing, or is of another kind", key)
		}
		again := p.post("/dashboard/keys", "id", id[1], "kind", "live", "name", name)
		p.wants(again, http.StatusSeeOther, "/dashboard/keys/"+id[1]+"?done=key_made")
		list, own := p.get("/dashboard/keys"), p.get("/dashboard/keys/"+id[1])
		for what, got := range map[string]*page{"the list": list, "its page": own, "the form sent again": again, "the page it leads to": p.get(again.to)} {
			if strings.Contains(got.body, key) || strings.Contains(got.body, name) {
				t.Errorf("%s has the secret, or runs its name:\n%s", what, got.body)
			}
		}
		p.wants(list, http.StatusOK, html.EscapeString(name))
		p.wants(list, http.StatusOK, key[:14]+"••••••••")
		p.wants(own, http.StatusOK, "Whole account")
		if n := w.Int(t, `SELECT count(*) FROM api_keys WHERE name <> ''`); n != 1 {
			t.Errorf("%d keys were made, want 1", n)
		}
		if strings.Contains(w.log.String(), key) {
			t.Error("the key is logged")
		}
		for _, wrong := range [][]string{{"kind", ""}, {"kind", "dashboard"}, {"kind", "project"}, {"kind", "project", "projectId", "none"}, {"kind", "test", "name", strings.Repeat("x", 101)}, {"kind", "test", "name", "a\x01b"}} {
			if got := p.post("/dashboard/keys", wrong...); got.status != http.StatusBadRequest && got.status != http.StatusNotFound {
				t.Errorf("%q: %d, want it refused", wrong, got.status)
			}
		}
	})
}

func TestKeys_ReplaceWithAGraceAndRevoke(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		first := secret(t, p.post("/dashboard/keys", "kind", "live", "name", "Caisse"))
		path := keyPath(t, p.get("/dashboard/keys"), "Caisse")
		for _, wrong := range []string{"", "-1", "x", "604801", "99999999999999999999"} {
			p.wants(p.post(path+"/rotate", "grace", wrong), http.StatusBadRequest, "The form is not accepted as it is.")
		}
		w.Clock.Advance(time.Second)
		rotated := p.post(path+"/rotate", "grace", "3600")
		second := secret(t, rotated)
		p.wants(rotated, http.StatusCreated, `datetime="2026-03-04T13:00:01Z"`)
		if !w.opens(first) || !w.opens(second) {
			t.Error("within the grace, both keys do not work")
		}
		p.wants(p.post(path+"/rotate", "grace", "3600"), http.StatusConflict, "another has taken its place already")
		p.wants(p.get(path), http.StatusOK, "Revoke it to end it earlier.")
		p.wants(p.get("/dashboard/keys"), http.StatusOK, "Ends soon")
		w.Clock.Advance(time.Hour)
		if w.opens(first) || !w.opens(second) {
			t.Error("after the grace, the old key works or the new one does not")
		}
		p.confirm(ownerEmail, "", "/dashboard")
		list := p.get("/dashboard/keys")
		if strings.Contains(list.body, path) {
			t.Error("the list of working keys has one that has ended")
		}
		p.wants(p.get("/dashboard/keys?show=ended"), http.StatusOK, path)
		p.wants(p.get(path), http.StatusOK, "This key has ended")

		path = keyPath(t, list, "Caisse")
		p.wants(p.get(path), http.StatusOK, `id="revoke"`)
		for range 2 { // again is no mistake
			p.wants(p.post(path+"/revoke"), http.StatusSeeOther, "/dashboard/keys?done=key_revoked")
		}
		if w.opens(second) {
			t.Error("a revoked key works")
		}
		p.wants(p.get("/dashboard/keys?done=key_revoked"), http.StatusOK, "Key revoked.")
		p.wants(p.post(path+"/rotate", "grace", "0"), http.StatusConflict, "This key has ended")
	})
}

// What takes a recent code leads to where one is mailed, and back to where the form stands, which says that nothing was done.
func TestKeys_TakeARecentCode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		key := secret(t, p.post("/dashboard/keys", "kind", "test", "name", "Caisse"))
		path := keyPath(t, p.get("/dashboard/keys?mode=test"), "Caisse")
		w.Clock.Advance(account.RecentCode + time.Minute)
		p.wants(p.get("/dashboard/keys/new?kind=test"), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Fkeys%2Fnew%3Fkind%3Dtest")
		p.wants(p.get(path), http.StatusOK, "Caisse") // to look takes none
		for referer, want := range map[string]string{
			"":           path,
			w.url + path: path,
			w.url + "/dashboard/keys?show=ended&done=x": "/dashboard/keys",
			w.url + path + "/revoke":                    path, // no page of its own
			"https://evil.example/dashboard/logs":       path,
			w.url + "/api/session":                      path,
		} {
			p.referer = referer
			got := p.post(path + "/revoke")
			p.wants(got, http.StatusSeeOther, "/dashboard/confirm?"+strings.TrimSuffix(query("next", want+"?"), "%3F"))
			if !strings.Contains(got.to, "done%3Dconfirmed") || strings.Contains(got.to, "evil") {
				t.Errorf("from %q it leads to %q", referer, got.to)
			}
		}
		p.referer = ""
		if !w.opens(key) {
			t.Fatal("the key is revoked without a code")
		}
		back := path + "?" + query("done", "confirmed")
		p.confirm(ownerEmail, back, back)
		p.wants(p.get(back), http.StatusOK, "has not been done yet")
		p.wants(p.post(path+"/revoke"), http.StatusSeeOther, "/dashboard/keys")
		if w.opens(key) {
			t.Error("the key works after it was revoked")
		}
	})
}

func TestKeys_ADeveloperHasTheirOwn(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	owner := w.signIn(ownerEmail)
	owner.wants(owner.post("/dashboard/projects", "name", "Boutique"), http.StatusSeeOther, "/dashboard/projects/")
	secret(t, owner.post("/dashboard/keys", "kind", "live", "name", "The owner's"))
	developer, other := w.member("dev@example.com", account.RoleDeveloper), w.member("eve@example.com", account.RoleDeveloper)
	form := developer.get("/dashboard/keys/new")
	shop := regexp.MustCompile(`<option value="([0-9A-Z]{26})"[^>]*>Boutique<`).FindStringSubmatch(form.body)
	if shop == nil || strings.Contains(form.body, `value="live"`) || strings.Contains(form.body, `value="test"`) {
		t.Fatalf("a developer's form offers more than project keys, or not their project:\n%s", form.body)
	}
	developer.wants(developer.post("/dashboard/keys", "kind", "live"), http.StatusForbidden, "forbidden")
	key := secret(t, developer.post("/dashboard/keys", "kind", "project", "projectId", shop[1], "name", "Site"))
	list := developer.get("/dashboard/keys")
	path := keyPath(t, list, "Site")
	if strings.Contains(list.body, "The owner") || strings.Contains(other.get("/dashboard/keys").body, path) {
		t.Error("a developer sees the keys of others")
	}
	other.wants(other.get(path), http.StatusNotFound, "key_not_found")
	other.wants(other.post(path+"/revoke"), http.StatusNotFound, "key_not_found")
	other.wants(other.post(path+"/rotate", "grace", "0"), http.StatusNotFound, "key_not_found")
	if !w.opens(key) {
		t.Error("another developer has ended the key")
	}
	owner.wants(owner.get(path), http.StatusOK, "dev@example.com")
	viewer := w.member("view@example.com", account.RoleViewer)
	if got := viewer.get("/dashboard"); strings.Contains(got.body, `href="/dashboard/keys"`) {
		t.Error("a viewer is led to a page that is not for them")
	}
}

func TestKeys_OnlyTheLatestEndedAreListed(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	for i := range 101 {
		k, _, err := w.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: w.Account.ID, Kind: account.Live, Name: fmt.Sprintf("Key %d.", i)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Directory.RevokeKey(t.Context(), w.Account.ID, "", k.ID); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Millisecond)
	}
	p := w.signIn(ownerEmail)
	p.wants(p.get("/dashboard/keys"), http.StatusOK, "Keys that have ended: 101")
	ended := p.get("/dashboard/keys?show=ended")
	if n := strings.Count(ended.body, `class="break"><bdi>Key `); n != 100 || strings.Contains(ended.body, "Key 0.") {
		t.Errorf("%d ended keys, want the latest 100", n)
	}
}

// The list is of the keys that send real messages, or of the test keys; a key's own page is in its mode.
func TestKeys_ByMode(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	p := w.signIn(ownerEmail)
	secret(t, p.post("/dashboard/keys", "kind", "live", "name", "Real"))
	made := p.post("/dashboard/keys", "kind", "test", "name", "Trial")
	secret(t, made)
	p.wants(made, http.StatusCreated, `href="/dashboard/keys?mode=test"`)
	live, test := p.get("/dashboard/keys"), p.get("/dashboard/keys?mode=test")
	if !strings.Contains(live.body, "Real") || strings.Contains(live.body, "Trial") || !strings.Contains(test.body, "Trial") || strings.Contains(test.body, "Real") {
		t.Errorf("LIVE:\n%s\nTEST:\n%s", live.body, test.body)
	}
	path := keyPath(t, test, "Trial")
	p.wants(p.get(path), http.StatusOK, `<a class="test" href="/dashboard/keys?mode=test" aria-current="true">`)
	p.wants(p.post(path+"/revoke?mode=test"), http.StatusSeeOther, "/dashboard/keys?done=key_revoked&mode=test")
	p.wants(p.get("/dashboard/keys?mode=test&show=ended"), http.StatusOK, path)
	if got := p.get("/dashboard/projects?mode=test"); strings.Contains(got.body, `class="mode"`) || !strings.Contains(got.body, `href="/dashboard?mode=test"`) {
		t.Errorf("projects have no mode, and their links keep it:\n%s", got.body)
	}
}
