package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const (
	keysPath   = "/dashboard/keys"
	newKeyPath = keysPath + "/new"
)

func (d *Dashboard) keysRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", keysPath, account.MayListKeys, d.keys),
		d.member("GET", newKeyPath, account.MayChangeKeys, d.showNewKey),
		d.form(keysPath, account.MayChangeKeys, d.createKey),
		d.member("GET", keysPath+"/{id}", account.MayListKeys, d.key),
		d.form(keysPath+"/{id}/rotate", account.MayChangeKeys, d.rotateKey),
		d.form(keysPath+"/{id}/tools", account.MayGrantTools, d.setTools, toolField),
		d.member("POST", keysPath+"/{id}/revoke", account.MayChangeKeys, d.revokeKey),
	}
}

const pageKeys = "dashboard_keys" // keyList

const endedKeys = 100 // maximum number on the page of ended keys; the latest are shown

// keyList is the page of the valid keys or of the ended ones. A developer sees the keys that they created.
type keyList struct {
	Tabs   web.Tabs
	NewURL string
	Rows   []keyRow
	Ended  bool // the ended keys
	About  string
	Other  string // the page of the other keys; empty: there are none
	Empty  *web.Empty
}

type keyRow struct {
	URL, Name, Masked, Project string
	Mode, State                web.Badge
	CreatedAt, LastUsedAt      time.Time
}

// keys handles GET /dashboard/keys.
func (d *Dashboard) keys(v *visit) error {
	list, err := d.o.Directory.KeysFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	projects, err := d.projectNames(v)
	if err != nil {
		return err
	}
	slices.Reverse(list) // latest first
	page := &keyList{Tabs: keyTabs(v, keysPath), NewURL: v.url(newKeyPath), Ended: v.r.URL.Query().Get("show") == "ended"}
	ended, now := 0, d.o.Now()
	for i := range list {
		k := &list[i]
		if !d.inView(v, k) {
			continue
		}
		if !k.Works(now) {
			ended++
		}
		if k.Works(now) != page.Ended && (!page.Ended || len(page.Rows) < endedKeys) {
			page.Rows = append(page.Rows, rowOfKey(v.lang, k, projects, now))
		}
	}
	page.finish(v, ended)
	return d.serve(v, http.StatusOK, pageKeys, keysPath, page)
}

// finish adds the number of keys, and instructions if there are none.
func (p *keyList) finish(v *visit, ended int) {
	lang := v.lang
	switch {
	case p.Ended:
		p.About, p.Other = lang.T("dashboard.keys.ended_about", endedKeys), v.url(keysPath)
	case ended > 0:
		p.About, p.Other = lang.T("dashboard.keys.ended_count", number(lang, int64(ended))), v.url(keysPath+"?show=ended")
	}
	if len(p.Rows) > 0 {
		return
	}
	p.Empty = &web.Empty{Icon: "key", Title: lang.T("dashboard.keys.none"), Text: lang.T("dashboard.keys.none_text"), ActionURL: p.NewURL, Action: lang.T("dashboard.keys.create")}
	if !v.simulated() {
		p.Empty.Title, p.Empty.Text = lang.T("dashboard.keys.none_live"), lang.T("dashboard.keys.none_live_text")
	}
	if p.Ended {
		p.Empty = &web.Empty{Icon: "key", Title: lang.T("dashboard.keys.none_ended"), Text: lang.T("dashboard.keys.none_ended_text")}
	}
}

// inView reports whether a key belongs to the current mode: test keys, or keys that send real messages.
func (d *Dashboard) inView(v *visit, k *account.Key) bool {
	return d.o.Simulates || (k.Kind == account.Test) == v.simulated()
}

// showModeOf sets the mode of a page to the mode of a key.
func (d *Dashboard) showModeOf(v *visit, k *account.Key) {
	switch {
	case d.o.Simulates:
	case k.Kind == account.Test:
		v.mode = web.TestMode
	default:
		v.mode = web.LiveMode
	}
}

// projectNames returns the names of the projects that the caller can see, by their IDs.
func (d *Dashboard) projectNames(v *visit) (map[string]string, error) {
	projects, err := d.o.Directory.ProjectsFor(v.r.Context(), v.caller)
	names := map[string]string{}
	for _, p := range projects {
		names[p.ID] = p.Name
	}
	return names, err
}

func rowOfKey(lang i18n.Lang, k *account.Key, projects map[string]string, now time.Time) keyRow {
	return keyRow{
		URL: keyURL(k.ID), Name: keyName(lang, k), Masked: maskedKey(k), Project: projectOfKey(lang, k, projects), Mode: keyMode(k), State: keyState(lang, k, now),
		CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt,
	}
}

// keyName returns a key's name, or its kind if it has no name.
func keyName(lang i18n.Lang, k *account.Key) string { return cmp.Or(k.Name, keyKind(lang, k.Kind)) }

func keyKind(lang i18n.Lang, kind account.Kind) string {
	return lang.Named("dashboard.keys.kind_", string(kind))
}

func projectOfKey(lang i18n.Lang, k *account.Key, projects map[string]string) string {
	if k.ProjectID == "" {
		return lang.T("dashboard.keys.whole_account")
	}
	return cmp.Or(projects[k.ProjectID], lang.T("dashboard.keys.project_deleted"))
}

// keyMode returns a badge that shows whether a key sends real messages.
func keyMode(k *account.Key) web.Badge {
	if k.Kind == account.Test {
		return web.Badge{Text: string(web.TestMode), Tone: web.Warn}
	}
	return web.Badge{Text: string(web.LiveMode), Tone: web.Good}
}

func keyState(lang i18n.Lang, k *account.Key, now time.Time) web.Badge {
	switch {
	case !k.RevokedAt.IsZero():
		return web.Badge{Text: lang.T("dashboard.keys.revoked"), Tone: web.Bad}
	case !k.Works(now):
		return web.Badge{Text: lang.T("dashboard.keys.ended")}
	case !k.ExpiresAt.IsZero():
		return web.Badge{Text: lang.T("dashboard.keys.ending"), Tone: web.Warn}
	}
	return web.Badge{Text: lang.T("dashboard.keys.active"), Tone: web.Good}
}

// maskedKey returns the prefix of a key, followed by dots.
func maskedKey(k *account.Key) string { return k.Prefix + "••••••••" }

func keyURL(id string) string { return keysPath + "/" + url.PathEscape(id) }

// keyTabs returns tabs for the keys and the projects.
func keyTabs(v *visit, current string) web.Tabs {
	lang := v.lang
	return web.Tabs{Label: lang.T("dashboard.nav.keys"), Items: []web.Tab{
		{URL: v.url(keysPath), Label: lang.T("dashboard.keys.title"), Current: current == keysPath},
		{URL: v.url(projectsPath), Label: lang.T("dashboard.projects.title"), Current: current == projectsPath},
	}}
}

// findKey returns a key that the caller can see. The error is the same for missing keys and those of others.
func (d *Dashboard) findKey(v *visit) (*account.Key, error) {
	return d.o.Directory.KeyFor(v.r.Context(), v.caller, v.r.PathValue("id"))
}
