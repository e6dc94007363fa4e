package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

func TestSignIn_ByAMailedCode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.Person()
		p.Wants(p.Get("/dashboard/logs?status=SENT"), http.StatusSeeOther, "/dashboard/sign-in?next=%2Fdashboard%2Flogs%3Fstatus%3DSENT")
		p.Wants(p.Get("/dashboard/sign-in/code"), http.StatusSeeOther, "/dashboard/sign-in")
		p.Wants(p.Post("/dashboard/sign-in", "email", "nonsense"), http.StatusBadRequest, "This is not an email address.")
		asked := p.Post("/dashboard/sign-in?next=%2Fdashboard%2Flogs", "email", " "+strings.ToUpper(messagingtest.OwnerEmail))
		p.Wants(asked, http.StatusBadRequest, "This is not an email address.") // as the JSON surface has it
		give := p.AskForCode(messagingtest.OwnerEmail, "next=%2Fdashboard%2Flogs")
		code := w.MailedCode(messagingtest.OwnerEmail)
		p.Wants(give(messagingtest.WrongCode(code)), http.StatusUnauthorized, "This code is incorrect")
		p.Wants(give(""), http.StatusBadRequest, "Enter the code.")
		p.Wants(give(code), http.StatusSeeOther, "/dashboard/logs")
		p.Wants(p.Get("/dashboard/sign-in?next=%2Fdashboard%2Fsend"), http.StatusSeeOther, "/dashboard/send")
		p.Wants(p.Get("/dashboard"), http.StatusOK, messagingtest.OwnerEmail)
		p.Wants(p.Post("/dashboard/sign-out"), http.StatusSeeOther, "/dashboard/sign-in")
		p.Wants(p.Get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in")
		if strings.Contains(w.Log.String(), messagingtest.OwnerEmail) || strings.Contains(w.Log.String(), code) {
			t.Errorf("logged:\n%s", w.Log)
		}
	})
}

// Each page that asks for a mailed code leads to the virtual mailbox, if there are any.
func TestSignIn_TheVirtualMailbox(t *testing.T) {
	const phones = "http://127.0.0.1:1/dev/phones"
	for address, link := range map[string]string{phones: `href="` + phones, "": ""} {
		w := messagingtest.New(t, dbtest.SQLite(t), "pro").Site(t, func(o *dashboard.Options) { o.PhonesURL = address })
		p, owner := w.Person(), w.SignIn(messagingtest.OwnerEmail)
		w.Clock.Advance(20 * time.Minute)
		p.Get("/dashboard/sign-in")
		mailbox := link
		if link != "" {
			mailbox += `?phone=` + url.QueryEscape(messagingtest.OwnerEmail) + `"`
		}
		for _, page := range []struct {
			*webtest.Page
			link string
		}{
			{p.Get(p.Post("/dashboard/sign-in", "email", messagingtest.OwnerEmail).Location), mailbox},
			{owner.Get("/dashboard/confirm/code"), mailbox},
			{owner.Get("/dashboard/invitation"), mailbox},
			{p.Get("/dashboard/invitation"), link},
		} {
			p.Wants(page.Page, http.StatusOK, page.link)
			if address == "" && strings.Contains(page.Body, "virtual mailbox") {
				t.Errorf("a mailbox without virtual phones: %s", page.Body)
			}
		}
	}
}

// The page says who signs in here, and leads everyone else to theirs.
func TestSignIn_SaysWhoSignsInWhere(t *testing.T) {
	const tenants = "https://login.example/dashboard"
	w := messagingtest.New(t, dbtest.SQLite(t), "pro").Site(t, func(o *dashboard.Options) { o.Tenants = tenants })
	p := w.Person()
	p.WantsAll(p.Get("/dashboard/sign-in"), "send messages from an account", `<a href="`+tenants+`">Open the login dashboard</a>`)
	alone := messagingtest.NewSite(t, dbtest.SQLite(t)).Person()
	if page := alone.Get("/dashboard/sign-in"); strings.Contains(page.Body, "login dashboard") {
		t.Error("a link to an unknown dashboard")
	}
}

// A browser can request codes for several addresses in several tabs, repeatedly. Each tab keeps its address.
// Rules: M165.
func TestSignIn_InSeveralTabs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		const other = "second@example.com"
		if _, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Second", Email: other, Plan: "free"}); err != nil {
			t.Fatal(err)
		}
		p := w.Person()
		signedInAs := func(give func(string) *webtest.Page, code, email string) {
			t.Helper()
			p.Wants(give(code), http.StatusSeeOther, "/dashboard")
			p.Wants(p.Get("/api/session"), http.StatusOK, `"email":"`+email+`"`)
		}
		first := p.AskForCode(strings.ToUpper(messagingtest.OwnerEmail[:1])+messagingtest.OwnerEmail[1:], "")
		code := w.MailedCode(messagingtest.OwnerEmail)
		second := p.AskForCode(other, "")
		codeOfOther := w.MailedCode(other)
		again := p.AskForCode(messagingtest.OwnerEmail, "")
		latest := w.MailedCode(messagingtest.OwnerEmail)
		p.Wants(second(code), http.StatusUnauthorized, other)
		signedInAs(first, code, messagingtest.OwnerEmail)
		signedInAs(second, codeOfOther, other)
		signedInAs(again, latest, messagingtest.OwnerEmail)

		stranger := w.Person() // a sealed address opens in its own browser only
		asked := p.Post("/dashboard/sign-in", "email", other)
		stranger.Get("/dashboard/sign-in")
		stranger.Wants(stranger.Get(asked.Location), http.StatusSeeOther, "/dashboard/sign-in")
		for _, sealed := range []string{"", "x", other, strings.Repeat("A", 4000)} {
			p.Wants(p.Post("/dashboard/sign-in/code", "for", sealed, "code", code), http.StatusSeeOther, "/dashboard/sign-in")
			p.Wants(p.Get("/dashboard/sign-in/code?"+messagingtest.Query("for", sealed)), http.StatusSeeOther, "/dashboard/sign-in")
		}
		if strings.Contains(asked.Location, "example.com") {
			t.Errorf("the address is in a URL: %s", asked.Location)
		}
	})
}

// A browser that sends the form a second time, before it gets the response to the first, is signed in.
// Rules: M165.
func TestSignIn_ADoubleClick(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p, stranger := w.Person(), w.Person()
		give := p.AskForCode(messagingtest.OwnerEmail, "")
		code := w.MailedCode(messagingtest.OwnerEmail)
		p.Twice(func() *webtest.Page { return give(code) }, http.StatusSeeOther, "/dashboard")
		p.Wants(p.Get("/dashboard"), http.StatusOK, messagingtest.OwnerEmail)
		p.Wants(give(code), http.StatusSeeOther, "/dashboard") // a third one, in the session
		stranger.AskForCode(messagingtest.OwnerEmail, "")
		w.MailedCode(messagingtest.OwnerEmail)
		stranger.Wants(stranger.AskForCode(messagingtest.OwnerEmail, "")(code), http.StatusUnauthorized, "This code is incorrect")
		w.MailedCode(messagingtest.OwnerEmail)
		p.Wants(p.Post("/dashboard/sign-out"), http.StatusSeeOther, "/dashboard/sign-in")
		p.Wants(give(code), http.StatusUnauthorized, "This code is incorrect")

		give = p.AskForCode(messagingtest.OwnerEmail, "")
		code = w.MailedCode(messagingtest.OwnerEmail)
		p.Wants(give(code), http.StatusSeeOther, "/dashboard")
		w.Clock.Advance(forms.RepeatTime)
		p.Wants(give(code), http.StatusUnauthorized, "This code is incorrect")
		if strings.Contains(w.Log.String(), code) {
			t.Errorf("logged:\n%s", w.Log)
		}
	})
}

// A browser gets its identity with the page, so two forms that are sent at the same time have the same identity.
func TestSignIn_ABrowserHasOneIdentity(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	for path, signedIn := range map[string]bool{"/dashboard/sign-in": false, "/dashboard/confirm": true, "/dashboard/invitation": false} {
		p := w.Person()
		if signedIn {
			p = w.SignIn(messagingtest.OwnerEmail)
			w.Clock.Advance(account.RecentCode)
		}
		page := p.Get(path)
		if got := page.Header.Get("Set-Cookie"); !signedIn && !strings.HasPrefix(got, "svc_browser=") || page.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s sets %q, %q", path, got, page.Header.Get("Cache-Control"))
		}
		if got := p.Get(path).Header.Get("Set-Cookie"); got != "" {
			t.Errorf("%s sets %q for a browser that has an identity", path, got)
		}
	}
}

// The response and the time of a refusal reveal nothing about an address.
func TestSignIn_KnownAndUnknownAddressesAnswerAlike(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t), func(o *api.Options) {
		o.Limits = new(limit.Defaults())
		o.Limits.CodeAddress.Times = 1000
	})
	ask := func(email string) (answers []string) {
		for range 7 {
			a := w.Person().Post("/dashboard/sign-in", "email", email)
			answers = append(answers, http.StatusText(a.Status)+strings.Split(a.Location, "?")[0]+a.Header.Get("Retry-After"))
		}
		return answers
	}
	known, unknown := ask(messagingtest.OwnerEmail), ask("nobody@example.com")
	if strings.Join(known, "\n") != strings.Join(unknown, "\n") || known[0] == known[6] {
		t.Errorf("known: %q, unknown: %q; want the same, and a limit", known, unknown)
	}
}

func TestSignIn_LeadsToOwnPathsOnly(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	for next, want := range map[string]string{
		"/dashboard/logs?to=%2B223": "/dashboard/logs?to=%2B223", "/dashboard": "/dashboard", "": "/dashboard", "https://evil.example/dashboard": "/dashboard", "//evil.example/dashboard": "/dashboard",
		"/dashboardevil": "/dashboard", `/dashboard\evil`: "/dashboard", `\\evil.example`: "/dashboard", "/dashboard/../admin": "/dashboard", "/dashboard/%2e%2e/admin": "/dashboard",
		"javascript:alert(1)": "/dashboard", "/dashboard\n/x": "/dashboard", "dashboard": "/dashboard", "///evil.example/dashboard": "/dashboard", "/%2Fevil.example": "/dashboard",
	} {
		if got := p.Do(http.MethodGet, "/dashboard/sign-in?"+messagingtest.Query("next", next), nil); got.Status != http.StatusSeeOther || got.Location != want {
			t.Errorf("next=%q leads to %q (%d), want %q", next, got.Location, got.Status, want)
		}
	}
}

// Opening the link of an invitation accepts nothing. The person accepts it, once.
func TestInvitation_IsAcceptedByAPost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		const email = "awa@example.com"
		i := w.Invite(email, account.RoleViewer)
		p := w.Person()
		p.Wants(p.Get("/dashboard/invitation"), http.StatusOK, `href="/dashboard/sign-in?next=%2Fdashboard%2Finvitation"`)
		p = w.SignIn(email)
		p.Wants(p.Get("/dashboard"), http.StatusSeeOther, "/dashboard/invitation")
		p.Wants(p.Get("/dashboard/invitation"), http.StatusOK, "Join Test")
		foreign := w.Invite("eve@example.com", account.RoleDeveloper)
		p.Wants(p.Post("/dashboard/invitation", "invitation", foreign.ID), http.StatusNotFound, "invitation_not_found")
		p.Wants(p.Post("/dashboard/invitation", "invitation", "none"), http.StatusNotFound, "invitation_not_found")
		for range 2 { // a double click
			p.Wants(p.Post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
		}
		w.Clock.Advance(forms.RepeatTime)
		p.Wants(p.Post("/dashboard/invitation", "invitation", i.ID), http.StatusNotFound, "invitation_not_found")
		p.Wants(p.Get("/dashboard?done=joined"), http.StatusOK, "Welcome to the team.")
		members, err := w.Directory.Members(t.Context(), w.Account.ID)
		if err != nil || len(members) != 1 || members[0].Role != account.RoleViewer || members[0].Email != email {
			t.Errorf("members %+v, %v; want one viewer", members, err)
		}
	})
}

// The code in an invitation's email is enough to join, even without a session. The link alone is not.
func TestInvitation_ByTheCodeOfItsMail(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		const email = "awa@example.com"
		owner := w.SignIn(messagingtest.OwnerEmail)
		owner.Wants(owner.Post("/dashboard/team/invitations", "email", email, "role", "viewer"), http.StatusSeeOther, "/dashboard/team?done=invited")
		link, code := w.Invitation(email)
		_, token, _ := strings.Cut(link, "#")
		p := w.Person()
		p.Wants(p.Get("/dashboard/invitation"), http.StatusOK, `name="code"`)
		p.Wants(p.Post("/dashboard/invitation", "link", link, "code", ""), http.StatusBadRequest, "Enter the code.")
		p.Wants(p.Post("/dashboard/invitation", "link", link, "code", messagingtest.WrongCode(code)), http.StatusUnauthorized, "This code is incorrect")
		p.Wants(p.Post("/dashboard/invitation", "link", "", "code", code), http.StatusUnauthorized, "This code is incorrect")
		p.Wants(p.Get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in")
		again := p.Post("/dashboard/invitation", "link", link, "code", "1")
		p.Wants(again, http.StatusUnauthorized, `value="`+link+`"`) // what was typed stays
		p.Twice(func() *webtest.Page { return p.Post("/dashboard/invitation", "link", token, "code", code) }, http.StatusSeeOther, "/dashboard?done=joined")
		p.Wants(p.Get("/dashboard"), http.StatusOK, email)
		late := w.Person()
		late.Wants(late.Post("/dashboard/invitation", "link", link, "code", code), http.StatusUnauthorized, "This code is incorrect")
		if strings.Contains(w.Log.String(), code) || strings.Contains(w.Log.String(), token) {
			t.Errorf("logged:\n%s", w.Log)
		}
	})
}

// A signed-in person without a recent code enters one, or that of the invitation.
func TestInvitation_NeedsARecentCode(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.Member("awa@example.com", account.RoleViewer)
	w.Clock.Advance(account.RecentCode)
	second, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Second", Email: "second@example.com", Plan: "free"})
	if err != nil {
		t.Fatal(err)
	}
	i, _ := w.Directory.NewInvitation(second.ID, "awa@example.com", account.Membership{})
	if err := w.Directory.StoreInvitation(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	p.Wants(p.Get("/dashboard/invitation"), http.StatusOK, `name="code"`)
	p.Wants(p.Post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Finvitation")
	p.Wants(p.Post("/dashboard/confirm?next=%2Fdashboard%2Finvitation"), http.StatusSeeOther, "/dashboard/confirm/code?next=%2Fdashboard%2Finvitation")
	p.Wants(p.Post("/dashboard/confirm/code?next=%2Fdashboard%2Finvitation", "code", w.MailedCode("awa@example.com")), http.StatusSeeOther, "/dashboard/invitation")
	if got := p.Get("/dashboard/invitation"); strings.Contains(got.Body, `name="code"`) {
		t.Errorf("a code is asked for after one was given:\n%s", got.Body)
	}
	p.Wants(p.Post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
}

func TestAccounts_AMemberOfSeveralChanges(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	other, err := w.Directory.Create(t.Context(), &account.Spec{Name: `Second <script>alert(1)</script>`, Email: "awa@example.com", Plan: "free"})
	if err != nil {
		t.Fatal(err)
	}
	p := w.Member("awa@example.com", account.RoleViewer)
	p.Wants(p.Get("/dashboard"), http.StatusOK, `action="/dashboard/accounts/`+other.ID+`"`)
	p.Wants(p.Post("/dashboard/accounts/"+other.ID), http.StatusSeeOther, "/dashboard")
	home := p.Get("/dashboard")
	p.Wants(home, http.StatusOK, `action="/dashboard/accounts/`+w.Account.ID+`"`)
	if strings.Contains(home.Body, "<script>alert") {
		t.Errorf("a name is not text:\n%s", home.Body)
	}
	p.Wants(p.Post("/dashboard/accounts/acc_none"), http.StatusNotFound, "account_not_found")
}
