package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

const typed = "Bonjour \"Awa\" <ici> & là,\nà demain"

// hidden returns the value of a hidden input of a page, or "".
func hidden(page *webtest.Page, name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(page.Body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// refused opens a page, signs out, and sends a form of the page. It returns the response and the encrypted form in it.
func refused(p *messagingtest.Person, page, action string, pairs ...string) (*webtest.Page, string) {
	mark := hidden(p.Get(page), forms.MarkField)
	p.Post("/dashboard/sign-out")
	got := p.Post(action, append(pairs, forms.MarkField, mark)...)
	p.Wants(got, http.StatusUnauthorized, "")
	return got, hidden(got, forms.KeptField)
}

// signInKeeping signs in with the forms of the pages, which keep a form, and returns the last response.
func signInKeeping(w *messagingtest.Site, p *messagingtest.Person, sealed, email string) *webtest.Page {
	asked := p.Post("/dashboard/sign-in", "email", email, forms.KeptField, sealed)
	p.Wants(asked, http.StatusOK, `name="code"`)
	p.Wants(asked, http.StatusOK, ` target="_blank">`)
	action := regexp.MustCompile(`action="(/dashboard/sign-in/code[^"]*)"`).FindStringSubmatch(asked.Body)
	wrong := p.Post(html.UnescapeString(action[1]), "for", hidden(asked, "for"), "code", "000000", forms.KeptField, hidden(asked, forms.KeptField))
	p.Wants(wrong, http.StatusUnauthorized, `name="unsent"`)
	code := w.MailedCode(email)
	done := p.Post(html.UnescapeString(action[1]), "for", hidden(wrong, "for"), "code", code, forms.KeptField, hidden(wrong, forms.KeptField))
	p.Wants(done, http.StatusTemporaryRedirect, "/dashboard/unsent")
	return p.Post(done.Location, forms.KeptField, hidden(wrong, forms.KeptField)) // as the browser does
}

// Rules: M189.
func TestUnsent_AFormIsShownFilledAfterSignIn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		got, sealed := refused(p, "/dashboard/send?mode=test&done=sent", "/dashboard/send?mode=test", "to", "+22376000001", "channel", "sms", "message", typed, "subject", "", "key", "dashboard-1")
		p.Wants(got, http.StatusUnauthorized, "Your session has ended. Nothing was sent.")
		if sealed == "" || strings.Contains(got.Body, "à demain") || strings.Contains(got.Body, "form-mark") {
			t.Errorf("the form is not sealed on the sign-in page:\n%s", got.Body)
		}
		if back := p.Post("/dashboard/unsent", forms.KeptField, sealed); hidden(back, forms.KeptField) != sealed {
			t.Errorf("before the sign-in, the form is lost: %d\n%s", back.Status, back.Body)
		}
		shown := signInKeeping(w, p, sealed, messagingtest.OwnerEmail)
		p.Wants(shown, http.StatusOK, "Your session had ended, so this form was not sent.")
		p.Wants(shown, http.StatusOK, ">"+html.EscapeString(typed)+"</textarea>")
		p.Wants(shown, http.StatusOK, `value="+22376000001"`)
		p.Wants(shown, http.StatusOK, `<option value="sms" selected="">`)
		p.Wants(shown, http.StatusOK, `name="key" value="dashboard-1"`)
		p.Wants(shown, http.StatusOK, `data-address="/dashboard/send?mode=test"`)
		if n := w.Calls("+22376000001") + w.Calls("22376000001"); strings.Count(shown.Body, ` selected="">`) != 1 || strings.Contains(shown.Body, `class="preferences"`) || n != 0 {
			t.Errorf("%d calls; the page:\n%s", n, shown.Body)
		}
		sent := p.Post("/dashboard/send?mode=test", "to", "+22376000001", "channel", "sms", "message", typed, "key", "dashboard-1")
		p.Wants(sent, http.StatusSeeOther, "/dashboard/messages/")
	})
}

// Rules: M189.
func TestUnsent_IsForOnePersonAndForAnHour(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p, other := w.SignIn(messagingtest.OwnerEmail), w.Member("view@example.com", account.RoleDeveloper)
	_, sealed := refused(p, "/dashboard/send", "/dashboard/send", "to", "+22376000001", "channel", "sms", "message", typed)
	const gone = "Your form can’t be shown again"
	hides := func(p *messagingtest.Person, sealed string) {
		t.Helper()
		got := p.Post("/dashboard/unsent", forms.KeptField, sealed)
		if p.Wants(got, http.StatusOK, gone); strings.Contains(got.Body, "à demain") {
			t.Errorf("the text is shown:\n%s", got.Body)
		}
	}
	hides(other, sealed)
	p = w.SignIn(messagingtest.OwnerEmail)
	half, letter := len(sealed)/2, "A"
	if sealed[half:half+1] == letter {
		letter = "B"
	}
	for _, changed := range []string{"", "x", sealed[1:], sealed[:half] + letter + sealed[half+1:], "A" + sealed} {
		hides(p, changed)
	}
	p.Wants(p.Post("/dashboard/unsent", forms.KeptField, sealed), http.StatusOK, "à demain</textarea>")
	p.Origin = "https://elsewhere.example"
	p.Wants(p.Post("/dashboard/unsent", forms.KeptField, sealed), http.StatusForbidden, "origin_mismatch")
	p.Origin = w.URL
	w.Clock.Advance(forms.KeptTime)
	p = w.SignIn(messagingtest.OwnerEmail)
	hides(p, sealed)
}

// Rules: M189.
func TestUnsent_KeepsOnlyAFormOfItsPage(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	mark := hidden(p.Get("/dashboard/send"), forms.MarkField)
	if again := hidden(p.Get("/dashboard/send"), forms.MarkField); mark == "" || mark != again {
		t.Errorf("marks of one page: %q and %q, want the same: scripts compare what they have loaded again", mark, again)
	}
	stranger := w.Person()
	for _, forged := range []string{"", "x", "x.y", mark + "x", "x" + mark, strings.SplitN(mark, ".", 2)[0]} {
		got := stranger.Post("/dashboard/send", "message", typed, forms.MarkField, forged)
		stranger.Wants(got, http.StatusUnauthorized, "Nothing was changed")
		if hidden(got, forms.KeptField) != "" {
			t.Errorf("the mark %q keeps a form", forged)
		}
	}
	stranger.Origin = "https://elsewhere.example"
	if got := stranger.Post("/dashboard/send", "message", typed, forms.MarkField, mark); got.Status != http.StatusForbidden || hidden(got, forms.KeptField) != "" {
		t.Errorf("from another site: %d\n%s", got.Status, got.Body)
	}
	stranger.Origin = w.URL
	for _, length := range []int{forms.MaxKept, 100_000} {
		got := stranger.Post("/dashboard/send", "message", strings.Repeat("a", length), forms.MarkField, mark)
		stranger.Wants(got, http.StatusUnauthorized, "Your text is too long to keep")
		if hidden(got, forms.KeptField) != "" {
			t.Errorf("%d bytes are kept", length)
		}
	}
	long := strings.Repeat("é", forms.MaxKept/2-200)
	got := stranger.Post("/dashboard/send", "message", long, forms.MarkField, mark)
	shown := signInKeeping(w, p, hidden(got, forms.KeptField), messagingtest.OwnerEmail) // the body of the sign-in has room for it
	p.Wants(shown, http.StatusOK, long)
}

// Rules: M189.
func TestUnsent_LeavesSecretsOut(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	challenge := p.SendCode("?mode=test", "+22376000001")
	page := "/dashboard/codes?mode=test&" + messagingtest.Query("challenge", challenge)
	action := regexp.MustCompile(`id="verify" method="post" action="([^"]+)"`).FindStringSubmatch(p.Get(page).Body)
	_, sealed := refused(p, page, html.UnescapeString(action[1]), "challenge", challenge, "code", "493817")
	shown := signInKeeping(w, p, sealed, messagingtest.OwnerEmail)
	p.Wants(shown, http.StatusOK, "this form was not sent")
	if hidden(shown, "challenge") != challenge || strings.Contains(shown.Body, "493817") {
		t.Errorf("a code is shown again:\n%s", shown.Body)
	}
	for _, sure := range []string{"sure", "confirm"} {
		_, sealed := refused(p, "/dashboard/privacy", "/dashboard/privacy/erase", "to", "22376000001", sure, "yes")
		p = w.SignIn(messagingtest.OwnerEmail)
		if shown := p.Post("/dashboard/unsent", forms.KeptField, sealed); shown.Status != http.StatusOK || strings.Contains(shown.Body, ` checked="">`) {
			t.Errorf("%d, %s is confirmed already:\n%s", shown.Status, sure, shown.Body)
		}
	}
}

// The form is shown in the account for which it was filled in.
// Rules: M189.
func TestUnsent_InItsAccount(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	second, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Second", Email: "awa@example.com", Plan: "free"})
	if err != nil {
		t.Fatal(err)
	}
	p := w.Member("awa@example.com", account.RoleDeveloper)
	p.Wants(p.Post("/dashboard/accounts/"+second.ID), http.StatusSeeOther, "/dashboard")
	_, sealed := refused(p, "/dashboard/team", "/dashboard/team/invitations", "email", "moussa@example.com", "role", "viewer")
	p = w.SignIn("awa@example.com")
	p.Wants(p.Post("/dashboard/accounts/"+w.Account.ID), http.StatusSeeOther, "/dashboard")
	shown := p.Post("/dashboard/unsent", forms.KeptField, sealed)
	p.Wants(shown, http.StatusOK, `value="moussa@example.com"`)
	p.Wants(shown, http.StatusOK, `action="/dashboard/accounts/`+w.Account.ID+`"`)
	w.Exec(`UPDATE accounts SET email = 'moussa@example.com' WHERE id = $1`, second.ID)
	p.Wants(p.Post("/dashboard/unsent", forms.KeptField, sealed), http.StatusOK, "Your form can’t be shown again")
}

// A form that was refused twice is at the address of its POST, where there is no page.
func TestUnsent_OfAFormWithErrors(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	const action = "/dashboard/team/invitations"
	p.Referer = w.URL + "/dashboard/team"
	mark := hidden(p.Post(action, "email", "none", "role", "viewer"), forms.MarkField)
	p.Referer = w.URL + action
	again := hidden(p.Post(action, "email", "none", "role", "viewer"), forms.MarkField)
	for _, mark := range []string{mark, again} {
		got := w.Person().Post(action, "email", "awa@example.com", "role", "viewer", forms.MarkField, mark)
		p.Wants(p.Post("/dashboard/unsent", forms.KeptField, hidden(got, forms.KeptField)), http.StatusOK, `value="awa@example.com"`)
	}
}

// The page of a form's mark is an address that a browser has sent. A stream, or the content of a frame, is no page.
func TestUnsent_OfAnAddressThatIsNoPage(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	const action = "/dashboard/team/invitations"
	mail := &message.Request{To: "awa@example.com", Channel: gateway.Email, Content: message.Content{Subject: "Salut", Text: "Bonjour", HTML: "<main id=x><p>Bonjour</p></main>"}}
	frame := "/dashboard/messages/" + w.Submit(t, mail).Message.ID + "/html"
	for _, path := range []string{"/dashboard/logs/events", "/dashboard/logs/events?mode=live", frame, frame + "?source=1", "/dashboard/none", "/dashboard/sign-out"} {
		p.Referer = w.URL + path
		mark := hidden(p.Post(action, "email", "none", "role", "viewer"), forms.MarkField)
		got := w.Person().Post(action, "email", "Awa Diallo <awa@example.com>", "role", "viewer", forms.MarkField, mark)
		shown := p.Post("/dashboard/unsent", forms.KeptField, hidden(got, forms.KeptField))
		p.Wants(shown, http.StatusOK, "Awa Diallo &lt;awa@example.com&gt;")
		p.Wants(shown, http.StatusOK, "<nav")
	}
}

// If a page no longer has the form, it shows the texts.
func TestUnsent_WithoutItsForm(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	_, sealed := refused(p, "/dashboard/send", "/dashboard/inbox/none/reply", "text", typed)
	p = w.SignIn(messagingtest.OwnerEmail)
	shown := p.Post("/dashboard/unsent", forms.KeptField, sealed)
	p.Wants(shown, http.StatusOK, "This page no longer has it.")
	p.Wants(shown, http.StatusOK, html.EscapeString(typed))
}

// Fields of a preset, which the form doesn't have at first, are shown as texts.
func TestUnsent_ShowsWhatHasNoField(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	_, sealed := refused(p, "/dashboard/send", "/dashboard/send", "to", "+22376000001", "channel", "sms", "preset", "order_shipped", "var.orderId", "A-17", "var.carrier", "DHL", "key", "one")
	shown := signInKeeping(w, p, sealed, messagingtest.OwnerEmail)
	p.Holds(shown, "It no longer has fields for all your entries.", `<p class="break" dir="auto">A-17</p>`, `<p class="break" dir="auto">DHL</p>`, `value="+22376000001"`)
}
