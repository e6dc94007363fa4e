package dashboard_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

// secret returns the key in a response, with its address.
func secret(t *testing.T, got *webtest.Page) string {
	t.Helper()
	found := regexp.MustCompile(`id="secret">(svc_(?:live|test|proj)_[0-9A-Za-z]{38})<`).FindStringSubmatch(got.Body)
	if got.Status != http.StatusCreated || found == nil {
		t.Fatalf("%d to %q, want 201 with a key:\n%s", got.Status, got.Location, got.Body)
	}
	if cache := got.Header.Get("Cache-Control"); cache != "no-store" {
		t.Errorf("the page of a secret has Cache-Control %q, want no-store", cache)
	}
	return found[1]
}

// Rules: M169.
func TestKeys_TheSecretIsShownOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		form := p.Get("/dashboard/keys/new")
		id := regexp.MustCompile(`name="id" value="([0-9A-Z]{26})"`).FindStringSubmatch(form.Body)
		if id == nil {
			t.Fatalf("no id in the form:\n%s", form.Body)
		}
		if other := p.Get("/dashboard/keys/new?id=" + id[1]); strings.Contains(other.Body, `value="`+id[1]) {
			t.Error("an address chooses the id of a key")
		}
		const name = `<script>alert(1)</script>`
		made, clicked := p.Twice(func() *webtest.Page {
			return p.Post("/dashboard/keys", "id", id[1], "kind", "live", "name", name, "projectId", "ignored")
		}, http.StatusCreated, "svc_live_")
		key := secret(t, made)
		if secret(t, clicked) != key || secret(t, p.Post("/dashboard/keys", "id", id[1], "kind", "test", "name", "Another")) != key {
			t.Error("a double click shows another key")
		}
		other := w.SignIn(messagingtest.OwnerEmail)
		other.Wants(other.Post("/dashboard/keys", "id", id[1], "kind", "live", "name", name), http.StatusSeeOther, "/dashboard/keys/"+id[1]+"?done=key_made")
		w.Clock.Advance(forms.RepeatTime)
		p.Wants(made, http.StatusCreated, html.EscapeString("Bearer "+key))
		if !w.Opens(key) || !strings.HasPrefix(key, "svc_live_") {
			t.Errorf("the key %s opens nothing, or is of another kind", key)
		}
		again := p.Post("/dashboard/keys", "id", id[1], "kind", "live", "name", name)
		p.Wants(again, http.StatusSeeOther, "/dashboard/keys/"+id[1]+"?done=key_made")
		list, own := p.Get("/dashboard/keys"), p.Get("/dashboard/keys/"+id[1])
		for what, got := range map[string]*webtest.Page{"the list": list, "its page": own, "the form sent again": again, "the page it leads to": p.Get(again.Location)} {
			if strings.Contains(got.Body, key) || strings.Contains(got.Body, name) {
				t.Errorf("%s has the secret, or runs its name:\n%s", what, got.Body)
			}
		}
		p.Wants(list, http.StatusOK, html.EscapeString(name))
		p.Wants(list, http.StatusOK, key[:14]+"••••••••")
		p.Wants(own, http.StatusOK, "Whole account")
		if n := w.Int(t, `SELECT count(*) FROM api_keys WHERE name <> ''`); n != 1 {
			t.Errorf("%d keys were made, want 1", n)
		}
		if strings.Contains(w.Log.String(), key) {
			t.Error("the key is logged")
		}
		for _, wrong := range [][]string{{"kind", ""}, {"kind", "dashboard"}, {"kind", "project"}, {"kind", "project", "projectId", "none"}, {"kind", "test", "name", strings.Repeat("x", 101)}, {"kind", "test", "name", "a\x01b"}} {
			if got := p.Post("/dashboard/keys", wrong...); got.Status != http.StatusBadRequest && got.Status != http.StatusNotFound {
				t.Errorf("%q: %d, want it refused", wrong, got.Status)
			}
		}
	})
}

// Rules: M169.
func TestKeys_ReplaceWithAGraceAndRevoke(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		first := secret(t, p.Post("/dashboard/keys", "kind", "live", "name", "Caisse"))
		path := messagingtest.KeyPath(t, p.Get("/dashboard/keys"), "Caisse")
		for _, wrong := range []string{"", "-1", "x", "604801", "99999999999999999999"} {
			p.Wants(p.Post(path+"/rotate", "grace", wrong), http.StatusBadRequest, "Check the highlighted fields and try again.")
		}
		w.Clock.Advance(time.Second)
		id := regexp.MustCompile(`name="id" value="([0-9A-Z]{26})"`).FindStringSubmatch(p.Get(path).Body)
		if id == nil {
			t.Fatal("no id in the form")
		}
		rotated, clicked := p.Twice(func() *webtest.Page { return p.Post(path+"/rotate", "grace", "3600", "id", id[1]) }, http.StatusCreated, "svc_live_")
		second := secret(t, rotated)
		p.Wants(rotated, http.StatusCreated, `datetime="2026-03-04T13:00:01Z"`)
		if secret(t, clicked) != second {
			t.Error("a double click shows another key")
		}
		p.Wants(clicked, http.StatusCreated, `datetime="2026-03-04T13:00:01Z"`)
		if !w.Opens(first) || !w.Opens(second) {
			t.Error("within the grace, both keys do not work")
		}
		p.Wants(p.Post(path+"/rotate", "grace", "3600"), http.StatusConflict, "was already replaced")
		p.Wants(p.Get(path), http.StatusOK, "Revoke it to end it earlier.")
		p.Wants(p.Get("/dashboard/keys"), http.StatusOK, "Ends soon")
		w.Clock.Advance(time.Hour)
		if w.Opens(first) || !w.Opens(second) {
			t.Error("after the grace, the old key works or the new one does not")
		}
		p.Confirm(messagingtest.OwnerEmail, "", "/dashboard")
		list := p.Get("/dashboard/keys")
		if strings.Contains(list.Body, path) {
			t.Error("the list of working keys has one that has ended")
		}
		p.Wants(p.Get("/dashboard/keys?show=ended"), http.StatusOK, path)
		p.Wants(p.Get(path), http.StatusOK, "This key has ended")

		path = messagingtest.KeyPath(t, list, "Caisse")
		p.Wants(p.Get(path), http.StatusOK, `id="revoke"`)
		for range 2 { // a repetition is not an error
			p.Wants(p.Post(path+"/revoke"), http.StatusSeeOther, "/dashboard/keys?done=key_revoked")
		}
		if w.Opens(second) {
			t.Error("a revoked key works")
		}
		p.Wants(p.Get("/dashboard/keys?done=key_revoked"), http.StatusOK, "Key revoked.")
		p.Wants(p.Post(path+"/rotate", "grace", "0"), http.StatusConflict, "This key has ended")
	})
}

// Actions that require a recent code redirect to a page that mails one, and then back to the form, which reports that
// nothing was done.
func TestKeys_TakeARecentCode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		key := secret(t, p.Post("/dashboard/keys", "kind", "test", "name", "Caisse"))
		path := messagingtest.KeyPath(t, p.Get("/dashboard/keys?mode=test"), "Caisse")
		w.Clock.Advance(account.RecentCode + time.Minute)
		p.Wants(p.Get("/dashboard/keys/new?kind=test"), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Fkeys%2Fnew%3Fkind%3Dtest")
		p.Wants(p.Get(path), http.StatusOK, "Caisse") // viewing requires none
		for referer, want := range map[string]string{
			"":           path,
			w.URL + path: path,
			w.URL + "/dashboard/keys?show=ended&done=x": "/dashboard/keys",
			w.URL + path + "/revoke":                    path, // no page of its own
			"https://evil.example/dashboard/logs":       path,
			w.URL + "/api/session":                      path,
		} {
			p.Referer = referer
			got := p.Post(path + "/revoke")
			p.Wants(got, http.StatusSeeOther, "/dashboard/confirm?"+strings.TrimSuffix(messagingtest.Query("next", want+"?"), "%3F"))
			if !strings.Contains(got.Location, "done%3Dconfirmed") || strings.Contains(got.Location, "evil") {
				t.Errorf("from %q it leads to %q", referer, got.Location)
			}
		}
		p.Referer = ""
		if !w.Opens(key) {
			t.Fatal("the key is revoked without a code")
		}
		back := path + "?" + messagingtest.Query("done", "confirmed")
		p.Confirm(messagingtest.OwnerEmail, back, back)
		p.Wants(p.Get(back), http.StatusOK, "Now repeat what you were doing")
		p.Wants(p.Post(path+"/revoke"), http.StatusSeeOther, "/dashboard/keys")
		if w.Opens(key) {
			t.Error("the key works after it was revoked")
		}
	})
}

func TestKeys_ADeveloperHasTheirOwn(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	owner := w.SignIn(messagingtest.OwnerEmail)
	owner.Wants(owner.Post("/dashboard/projects", "name", "Boutique"), http.StatusSeeOther, "/dashboard/projects/")
	secret(t, owner.Post("/dashboard/keys", "kind", "live", "name", "The owner's"))
	developer, other := w.Member("dev@example.com", account.RoleDeveloper), w.Member("eve@example.com", account.RoleDeveloper)
	form := developer.Get("/dashboard/keys/new")
	shop := regexp.MustCompile(`<option value="([0-9A-Z]{26})"[^>]*>Boutique<`).FindStringSubmatch(form.Body)
	if shop == nil || strings.Contains(form.Body, `value="live"`) || strings.Contains(form.Body, `value="test"`) {
		t.Fatalf("a developer's form offers more than project keys, or not their project:\n%s", form.Body)
	}
	developer.Wants(developer.Post("/dashboard/keys", "kind", "live"), http.StatusForbidden, "forbidden")
	key := secret(t, developer.Post("/dashboard/keys", "kind", "project", "projectId", shop[1], "name", "Site"))
	list := developer.Get("/dashboard/keys")
	path := messagingtest.KeyPath(t, list, "Site")
	if strings.Contains(list.Body, "The owner") || strings.Contains(other.Get("/dashboard/keys").Body, path) {
		t.Error("a developer sees the keys of others")
	}
	other.Wants(other.Get(path), http.StatusNotFound, "key_not_found")
	other.Wants(other.Post(path+"/revoke"), http.StatusNotFound, "key_not_found")
	other.Wants(other.Post(path+"/rotate", "grace", "0"), http.StatusNotFound, "key_not_found")
	if !w.Opens(key) {
		t.Error("another developer has ended the key")
	}
	owner.Wants(owner.Get(path), http.StatusOK, "dev@example.com")
	viewer := w.Member("view@example.com", account.RoleViewer)
	if got := viewer.Get("/dashboard"); strings.Contains(got.Body, `href="/dashboard/keys"`) {
		t.Error("a viewer is led to a page that is not for them")
	}
}

func TestKeys_OnlyTheLatestEndedAreListed(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
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
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Wants(p.Get("/dashboard/keys"), http.StatusOK, "Keys that have ended: 101")
	ended := p.Get("/dashboard/keys?show=ended")
	if n := strings.Count(ended.Body, `class="break"><bdi>Key `); n != 100 || strings.Contains(ended.Body, "Key 0.") {
		t.Errorf("%d ended keys, want the latest 100", n)
	}
}

// The list contains either the keys that send real messages or the test keys. A key's own page is in its mode.
func TestKeys_ByMode(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	secret(t, p.Post("/dashboard/keys", "kind", "live", "name", "Real"))
	made := p.Post("/dashboard/keys", "kind", "test", "name", "Trial")
	secret(t, made)
	p.Wants(made, http.StatusCreated, `href="/dashboard/keys?mode=test"`)
	live, test := p.Get("/dashboard/keys"), p.Get("/dashboard/keys?mode=test")
	if !strings.Contains(live.Body, "Real") || strings.Contains(live.Body, "Trial") || !strings.Contains(test.Body, "Trial") || strings.Contains(test.Body, "Real") {
		t.Errorf("LIVE:\n%s\nTEST:\n%s", live.Body, test.Body)
	}
	path := messagingtest.KeyPath(t, test, "Trial")
	p.Wants(p.Get(path), http.StatusOK, `<a class="test" href="/dashboard/keys?mode=test" aria-current="true">`)
	p.Wants(p.Post(path+"/revoke?mode=test"), http.StatusSeeOther, "/dashboard/keys?done=key_revoked&mode=test")
	p.Wants(p.Get("/dashboard/keys?mode=test&show=ended"), http.StatusOK, path)
	if got := p.Get("/dashboard/projects?mode=test"); !strings.Contains(got.Body, `<a class="test" href="/dashboard/projects?mode=test" aria-current="true">`) || !strings.Contains(got.Body, "the same in LIVE and TEST") || !strings.Contains(got.Body, `href="/dashboard?mode=test"`) {
		t.Errorf("projects are the same in both modes, and their links keep the mode:\n%s", got.Body)
	}
}

// The owner chooses the tools for assistants on the page of a live key. A form that was opened before another change
// shows both, and changes nothing.
// Rules: M204.
func TestKeys_AssistantTools(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		key := secret(t, p.Post("/dashboard/keys", "kind", "live", "name", "Assistant"))
		secret(t, p.Post("/dashboard/keys", "kind", "test", "name", "Trial"))
		path := messagingtest.KeyPath(t, p.Get("/dashboard/keys"), "Assistant")
		tools := func() string {
			t.Helper()
			c, err := w.Directory.Authenticate(t.Context(), key)
			if err != nil || c == nil {
				t.Fatalf("%v, %v", c, err)
			}
			return c.Tools.String()
		}
		page := p.Get(path)
		version := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page.Body)
		if version == nil || strings.Count(page.Body, `name="tool"`) != 5 || strings.Contains(page.Body, " checked") || tools() != "" {
			t.Fatalf("at first:\n%s", page.Body)
		}
		p.Wants(page, http.StatusOK, "can trick an assistant into sending")
		both := url.Values{"version": {version[1]}, "tool": {"search", "send"}}
		p.Wants(p.Do(http.MethodPost, path+"/tools", both), http.StatusSeeOther, path+"?done=key_tools")
		if got := tools(); got != "search send" {
			t.Errorf("the key has %q", got)
		}
		page = p.Get(path + "?done=key_tools")
		p.Wants(page, http.StatusOK, "Tools saved.")
		p.Wants(page, http.StatusOK, `value="send" checked`)
		old := p.Post(path+"/tools", "version", version[1], "tool", "unread")
		p.Wants(old, http.StatusConflict, "Saved in the meantime: Search in messages, Send to known contacts")
		p.Wants(old, http.StatusConflict, `value="unread" checked`)
		if got := tools(); got != "search send" {
			t.Errorf("after an old form, the key has %q", got)
		}
		p.Wants(p.Do(http.MethodPost, path+"/tools", both), http.StatusSeeOther, path) // what is stored already
		p.Wants(p.Get("/dashboard/activity"), http.StatusOK, "changed the assistant tools of the API key "+key[:14]+"…")
		p.Wants(p.Post(path+"/tools", "tool", "delete"), http.StatusBadRequest, "")
		p.Wants(p.Post(path+"/tools"), http.StatusSeeOther, path) // none is checked
		if got := tools(); got != "" {
			t.Errorf("after an empty form, the key has %q", got)
		}

		trial := messagingtest.KeyPath(t, p.Get("/dashboard/keys?mode=test"), "Trial")
		if body := p.Get(trial).Body; strings.Contains(body, `id="tools"`) {
			t.Error("a test key has the form")
		}
		p.Wants(p.Post(trial+"/tools", "tool", "send"), http.StatusBadRequest, "")
		p.Wants(p.Post("/dashboard/keys/none/tools", "tool", "send"), http.StatusNotFound, "key_not_found")
		developer := w.Member("dev@example.com", account.RoleDeveloper)
		developer.Wants(developer.Post(path+"/tools", "tool", "send"), http.StatusForbidden, "forbidden")
		w.Clock.Advance(account.RecentCode + time.Minute)
		p.Wants(p.Post(path+"/tools", "tool", "send"), http.StatusSeeOther, "/dashboard/confirm")
		if got := tools(); got != "" {
			t.Errorf("without a code, the key has %q", got)
		}
	})
}
