package dashboard

import (
	"net/http"

	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
	"example.com/griot/web/book"
	"example.com/griot/web/reference"
)

// A navItem is a page in the navigation. It is shown to the roles that can see the page. byMode means that the page
// shows either real or simulated messages, depending on the switch in the shell.
type navItem struct {
	path, key, icon string
	byMode          bool
	permit          account.Permit // the permit of the page's route
}

// A navGroup is a part of the navigation. Its key is its title's key. The first group has none.
type navGroup struct {
	key   string
	items []navItem
}

// navGroups returns the navigation in its order.
func navGroups() []navGroup {
	return []navGroup{
		{items: []navItem{
			{homePath, "dashboard.nav.overview", "home", true, account.MayReadOverview},
			{sendPath, "dashboard.nav.send", "send", true, account.MaySendByHand},
			{logsPath, "dashboard.nav.logs", "list", true, account.MayReadMessages},
			{inboxPath, "dashboard.nav.inbox", "inbox", false, account.MayReadInbox},
			{codesPath, "dashboard.nav.codes", "lock", true, account.MayReadCodes},
		}},
		{key: "dashboard.nav.develop", items: []navItem{
			{keysPath, "dashboard.nav.keys", "key", true, account.MayListKeys},
			{webhooksPath, "dashboard.nav.webhooks", "webhook", false, account.MayManageWebhooks},
			{sendersPath, "dashboard.nav.senders", "phone", false, account.MayManageSenders},
		}},
		{key: "dashboard.nav.account", items: []navItem{
			{teamPath, "dashboard.nav.team", "people", false, account.MayListMembers},
			{optOutsPath, "dashboard.nav.opt_outs", "ban", false, account.MayManageOptOuts},
			{privacyPath, "dashboard.nav.privacy", "shield", false, account.MayListErasures},
			{activityPath, "dashboard.nav.activity", "clock", false, account.MayReadAudit},
			{billingPath, "dashboard.nav.billing", "card", false, account.MayReadBilling},
			{settingsPath, "dashboard.nav.settings", "settings", false, account.MayChangeAccount},
		}},
	}
}

// A visit is a member's request for a page.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	caller *account.Caller
	lang   i18n.Lang
	mode   web.Mode

	alertCount *int   // nil: not counted yet
	bothModes  bool   // the page shows items of both modes
	quiet      bool   // the confirmation of the last form is no longer true
	wrong      string // key of the sentence that explains why a form is shown again

	formOrigins []string // other sites that are targets of the page's forms
	frames      bool     // the page shows an email in a frame
}

// serve responds with a page within the shell. current is the path of the current item in the navigation.
func (d *Dashboard) serve(v *visit, status int, page, current string, data any) error {
	shell, err := d.shell(v, current)
	if err != nil {
		return err
	}
	shell.Frames = v.frames
	if shell.FormOrigins = v.formOrigins; v.wrong != "" {
		shell.Wrong = v.lang.T(v.wrong)
	}
	return d.o.Pages.ServeApp(v.w, v.r, status, page, shell, data)
}

func (d *Dashboard) shell(v *visit, current string) (*web.Shell, error) {
	c := v.caller
	s := &web.Shell{
		Service: v.lang.T("dashboard.service"), Home: v.url(homePath), Account: c.Account.Name, Person: c.Email, SignOut: signOutPath,
		Now: d.o.Now(), Zone: v.zone(), FormMark: d.unsent.Mark(v.r, c.Email, c.Account.ID),
	}
	if !v.quiet {
		s.Done = done(v.lang, v.r.URL.Query().Get("done"))
	}
	noProject, err := d.withoutProject(v)
	if err != nil {
		return nil, err
	}
	for _, g := range navGroups() {
		group := web.NavGroup{}
		if g.key != "" {
			group.Title = v.lang.T(g.key)
		}
		for _, i := range g.items {
			path, permit := i.path, i.permit
			if path == settingsPath && !permit.Allows(c.Role) { // their settings are only those for signing in
				path, permit = signInSettingsPath, account.MayReadSignIn
			}
			if i.path == current {
				s.BothModes = !i.byMode || v.bothModes
				d.addMode(v, s, path)
			}
			if i.path == sendPath && noProject { // there is nothing to send with
				continue
			}
			if permit.Allows(c.Role) && (permit.Suspended || !c.Account.Suspended()) {
				item := web.NavItem{URL: v.url(path), Label: v.lang.T(i.key), Icon: i.icon, Current: i.path == current}
				if i.path == inboxPath {
					if item.Count, err = d.unread(v); err != nil {
						return nil, err
					}
				}
				group.Items = append(group.Items, item)
			}
		}
		if len(group.Items) > 0 {
			s.Nav = append(s.Nav, group)
		}
	}
	s.Nav = append(s.Nav, web.NavGroup{Title: v.lang.T("dashboard.nav.help"), Items: []web.NavItem{
		{URL: book.Home, Label: v.lang.T("book.title"), Icon: "book"},
		{URL: reference.Index, Label: v.lang.T("reference.title"), Icon: "code"},
	}})
	if s.Alerts, err = d.countAlerts(v); err != nil {
		return nil, err
	}
	if v.r.URL.Query().Get("done") == doneConfirmed {
		s.Notice = v.lang.T("dashboard.confirm.done")
	}
	accounts, err := d.o.Directory.Affiliations(v.r.Context(), c.Email)
	if err != nil || len(accounts) < 2 {
		return s, err
	}
	for _, a := range accounts {
		s.Accounts = append(s.Accounts, web.AccountLink{URL: accountURL(a.AccountID), Name: a.Name, Current: a.AccountID == c.Account.ID})
	}
	return s, nil
}

// done returns a message about the last form, from the parameter of its redirect: "joined" is the text dashboard.done.joined.
func done(lang i18n.Lang, what string) string {
	if key := "dashboard.done." + what; lang.Has(key) {
		return lang.T(key)
	}
	return ""
}
