package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
)

func TestSignIn_ByAMailedCode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.person()
		p.wants(p.get("/dashboard/logs?status=SENT"), http.StatusSeeOther, "/dashboard/sign-in?next=%2Fdashboard%2Flogs%3Fstatus%3DSENT")
		p.wants(p.get("/dashboard/sign-in/code"), http.StatusSeeOther, "/dashboard/sign-in")
		p.wants(p.post("/dashboard/sign-in", "email", "nonsense"), http.StatusBadRequest, "This is not an e-mail address.")
		asked := p.post("/dashboard/sign-in?next=%2Fdashboard%2Flogs", "email", " "+strings.ToUpper(ownerEmail))
		p.wants(asked, http.StatusBadRequest, "This is not an e-mail address.") // as the JSON surface has it
		p.wants(p.post("/dashboard/sign-in?next=%2Fdashboard%2Flogs", "email", strings.ToUpper(ownerEmail)), http.StatusSeeOther, "/dashboard/sign-in/code?next=%2Fdashboard%2Flogs")
		p.wants(p.get("/dashboard/sign-in/code"), http.StatusOK, ownerEmail)
		code := w.code(ownerEmail)
		p.wants(p.post("/dashboard/sign-in/code", "code", messagingtest.WrongCode(code)), http.StatusUnauthorized, "This code is wrong")
		p.wants(p.post("/dashboard/sign-in/code", "code", ""), http.StatusBadRequest, "Enter the code.")
		other := w.person() // without the browser's cookie the code is worth nothing
		other.post("/dashboard/sign-in", "email", "nobody@example.com")
		p.wants(p.post("/dashboard/sign-in/code?next=%2Fdashboard%2Flogs", "code", code), http.StatusSeeOther, "/dashboard/logs")
		p.wants(p.get("/dashboard/sign-in?next=%2Fdashboard%2Fsend"), http.StatusSeeOther, "/dashboard/send")
		p.wants(p.get("/dashboard"), http.StatusOK, ownerEmail)
		p.wants(p.post("/dashboard/sign-out"), http.StatusSeeOther, "/dashboard/sign-in")
		p.wants(p.get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in")
		if strings.Contains(w.log.String(), ownerEmail) || strings.Contains(w.log.String(), code) {
			t.Errorf("logged:\n%s", w.log)
		}
	})
}

// Who asks learns nothing about an address, neither by the answer nor by when it is refused.
func TestSignIn_KnownAndUnknownAddressesAnswerAlike(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), func(o *api.Options) {
		o.Limits = new(limit.Defaults())
		o.Limits.CodeAddress.Times = 1000
	})
	ask := func(email string) (answers []string) {
		for range 7 {
			a := w.person().post("/dashboard/sign-in", "email", email)
			answers = append(answers, http.StatusText(a.status)+a.to+a.header.Get("Retry-After"))
		}
		return answers
	}
	known, unknown := ask(ownerEmail), ask("nobody@example.com")
	if strings.Join(known, "\n") != strings.Join(unknown, "\n") || known[0] == known[6] {
		t.Errorf("known: %q, unknown: %q; want the same, and a limit", known, unknown)
	}
}

func TestSignIn_LeadsToOwnPathsOnly(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	p := w.signIn(ownerEmail)
	for next, want := range map[string]string{
		"/dashboard/logs?to=%2B223": "/dashboard/logs?to=%2B223", "/dashboard": "/dashboard", "": "/dashboard", "https://evil.example/dashboard": "/dashboard", "//evil.example/dashboard": "/dashboard",
		"/dashboardevil": "/dashboard", `/dashboard\evil`: "/dashboard", `\\evil.example`: "/dashboard", "/dashboard/../admin": "/dashboard", "/dashboard/%2e%2e/admin": "/dashboard",
		"javascript:alert(1)": "/dashboard", "/dashboard\n/x": "/dashboard", "dashboard": "/dashboard", "///evil.example/dashboard": "/dashboard", "/%2Fevil.example": "/dashboard",
	} {
		if got := p.do(http.MethodGet, "/dashboard/sign-in?"+query("next", next), nil); got.status != http.StatusSeeOther || got.to != want {
			t.Errorf("next=%q leads to %q (%d), want %q", next, got.to, got.status, want)
		}
	}
}

// Whatever fetches the link of an invitation accepts nothing; the person does, once.
func TestInvitation_IsAcceptedByAPost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		const email = "awa@example.com"
		i := w.invite(email, account.RoleViewer)
		p := w.person()
		p.wants(p.get("/dashboard/invitation"), http.StatusOK, `href="/dashboard/sign-in?next=%2Fdashboard%2Finvitation"`)
		p = w.signIn(email)
		p.wants(p.get("/dashboard"), http.StatusSeeOther, "/dashboard/invitation")
		p.wants(p.get("/dashboard/invitation"), http.StatusOK, "Join Test")
		foreign := w.invite("eve@example.com", account.RoleDeveloper)
		p.wants(p.post("/dashboard/invitation", "invitation", foreign.ID), http.StatusNotFound, "invitation_not_found")
		p.wants(p.post("/dashboard/invitation", "invitation", "none"), http.StatusNotFound, "invitation_not_found")
		p.wants(p.post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
		p.wants(p.post("/dashboard/invitation", "invitation", i.ID), http.StatusNotFound, "invitation_not_found")
		p.wants(p.get("/dashboard?done=joined"), http.StatusOK, "Welcome to the team.")
		members, err := w.Directory.Members(t.Context(), w.Account.ID)
		if err != nil || len(members) != 1 || members[0].Role != account.RoleViewer || members[0].Email != email {
			t.Errorf("members %+v, %v; want one viewer", members, err)
		}
	})
}

// The code in an invitation's e-mail joins, also where nobody is signed in; the link alone doesn't.
func TestInvitation_ByTheCodeOfItsMail(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		const email = "awa@example.com"
		owner := w.signIn(ownerEmail)
		owner.wants(owner.post("/dashboard/team/invitations", "email", email, "role", "viewer"), http.StatusSeeOther, "/dashboard/team?done=invited")
		link, code := w.invitation(email)
		_, token, _ := strings.Cut(link, "#")
		p := w.person()
		p.wants(p.get("/dashboard/invitation"), http.StatusOK, `name="code"`)
		p.wants(p.post("/dashboard/invitation", "link", link, "code", ""), http.StatusBadRequest, "Enter the code.")
		p.wants(p.post("/dashboard/invitation", "link", link, "code", messagingtest.WrongCode(code)), http.StatusUnauthorized, "This code is wrong")
		p.wants(p.post("/dashboard/invitation", "link", "", "code", code), http.StatusUnauthorized, "This code is wrong")
		p.wants(p.get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in")
		again := p.post("/dashboard/invitation", "link", link, "code", "1")
		p.wants(again, http.StatusUnauthorized, `value="`+link+`"`) // what was typed stays
		p.wants(p.post("/dashboard/invitation", "link", token, "code", code), http.StatusSeeOther, "/dashboard?done=joined")
		p.wants(p.get("/dashboard"), http.StatusOK, email)
		late := w.person()
		late.wants(late.post("/dashboard/invitation", "link", link, "code", code), http.StatusUnauthorized, "This code is wrong")
		if strings.Contains(w.log.String(), code) || strings.Contains(w.log.String(), token) {
			t.Errorf("logged:\n%s", w.log)
		}
	})
}

// Who is signed in without a recent code gives one, or that of the invitation.
func TestInvitation_NeedsARecentCode(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	p := w.member("awa@example.com", account.RoleViewer)
	w.Clock.Advance(account.RecentCode)
	second, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Second", Email: "second@example.com", Plan: "free"})
	if err != nil {
		t.Fatal(err)
	}
	i, _ := w.Directory.NewInvitation(second.ID, "awa@example.com", account.Membership{})
	if err := w.Directory.StoreInvitation(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	p.wants(p.get("/dashboard/invitation"), http.StatusOK, `name="code"`)
	p.wants(p.post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Finvitation")
	p.wants(p.post("/dashboard/confirm?next=%2Fdashboard%2Finvitation"), http.StatusSeeOther, "/dashboard/confirm/code?next=%2Fdashboard%2Finvitation")
	p.wants(p.post("/dashboard/confirm/code?next=%2Fdashboard%2Finvitation", "code", w.code("awa@example.com")), http.StatusSeeOther, "/dashboard/invitation")
	if got := p.get("/dashboard/invitation"); strings.Contains(got.body, `name="code"`) {
		t.Errorf("a code is asked for after one was given:\n%s", got.body)
	}
	p.wants(p.post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
}

func TestAccounts_AMemberOfSeveralChanges(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	other, err := w.Directory.Create(t.Context(), &account.Spec{Name: `Second <script>alert(1)</script>`, Email: "awa@example.com", Plan: "free"})
	if err != nil {
		t.Fatal(err)
	}
	p := w.member("awa@example.com", account.RoleViewer)
	p.wants(p.get("/dashboard"), http.StatusOK, `action="/dashboard/accounts/`+other.ID+`"`)
	p.wants(p.post("/dashboard/accounts/"+other.ID), http.StatusSeeOther, "/dashboard")
	home := p.get("/dashboard")
	p.wants(home, http.StatusOK, `action="/dashboard/accounts/`+w.Account.ID+`"`)
	if strings.Contains(home.body, "<script>alert") {
		t.Errorf("a name is not text:\n%s", home.body)
	}
	p.wants(p.post("/dashboard/accounts/acc_none"), http.StatusNotFound, "account_not_found")
}
