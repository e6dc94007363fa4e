package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// screenshotsVariable names a directory for screenshots of the pages.
const screenshotsVariable = "GRIOT_TEST_SCREENSHOTS"

// dashboardBrowser is a browser on the messaging dashboard of `griot dev`.
type dashboardBrowser struct {
	*browsertest.Window
	p *systemtest.Dev
}

func newDashboardBrowser(t *testing.T, p *systemtest.Dev, width int64) *dashboardBrowser {
	t.Helper()
	return &dashboardBrowser{browsertest.NewWindow(t, "fr", width, 800), p}
}

func (b *dashboardBrowser) open(path string) {
	b.T.Helper()
	b.Do(b.Ctx, chromedp.Navigate(b.p.BaseURL+path))
}

// submit fills in inputs, given as pairs of selector and text, presses the button of a form, and waits for the next
// page.
func (b *dashboardBrowser) submit(form string, fill ...string) {
	b.T.Helper()
	for i := 0; i < len(fill); i += 2 {
		b.Do(b.Ctx, chromedp.SendKeys(chromedp.CSS(fill[i]), fill[i+1]))
	}
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS(form+" button[type=submit]")))
}

// waitFor waits until the page's path has a prefix and the page has this text.
func (b *dashboardBrowser) waitFor(path, text string) {
	b.T.Helper()
	waittest.Until(b.T, func() error {
		where, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string]("document.readyState === 'complete' ? location.pathname + location.search + '\\n' + document.documentElement.innerText : ''"))
		signingIn := strings.HasPrefix(where, "/dashboard/sign-in") && !strings.HasPrefix(path, "/dashboard/sign-in") // below /dashboard too
		if err != nil {
			return err
		}
		if signingIn || !strings.HasPrefix(where, path) || !strings.Contains(where, text) {
			return fmt.Errorf("at %q, want %s with %q: %w", where, path, text, systemtest.ErrNotYet)
		}
		return nil
	})
}

// mailed returns the latest six digits that an address received, after a number of messages.
func mailed(p *systemtest.Dev, email string, after int) string {
	p.T.Helper()
	code := ""
	waittest.Until(p.T, func() error {
		for _, m := range p.Phone(email)[min(after, len(p.Phone(email))):] {
			for _, word := range strings.Fields(m.Text) {
				if word = strings.Trim(word, ".,:"); len(word) == 6 && strings.Trim(word, "0123456789") == "" {
					code = word
				}
			}
		}
		if code == "" {
			return fmt.Errorf("no code for %s: %w", email, systemtest.ErrNotYet)
		}
		return nil
	})
	return code
}

// signIn signs in with an address, on the open page or the sign-in page that it redirects to.
func (b *dashboardBrowser) signIn(email, lands string) {
	b.T.Helper()
	before := len(b.p.Phone(email))
	b.waitFor("/dashboard/sign-in", "")
	b.submit("main form", "#email", email)
	b.waitFor("/dashboard/sign-in/code", email)
	b.submit("main form", "#code", mailed(b.p, email, before))
	b.waitFor(lands, "")
}

// look checks the rules for every page, in each theme, language, and width, and takes a screenshot.
func (b *dashboardBrowser) look(name, path string) {
	b.T.Helper()
	rules, err := os.ReadFile("../../../test/npm/node_modules/axe-core/axe.min.js")
	if err != nil {
		b.T.Fatal(err)
	}
	joined := "?"
	if strings.Contains(path, "?") {
		joined = "&"
	}
	for _, v := range browsertest.Views() {
		what := name + " " + v.String()
		b.Do(b.Ctx, chromedp.EmulateViewport(v.Width, 800))
		b.open(path + joined + v.Query())
		b.waitFor(path, "")
		if at := browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string]("location.pathname")); at != strings.SplitN(path, "?", 2)[0] {
			b.T.Fatalf("%s: at %s, want %s\n%s", what, at, path, b.p.Out)
		}
		b.check(what, string(rules))
		if dir := os.Getenv(screenshotsVariable); dir != "" {
			picture := browsertest.Get(b.Window, b.Ctx, chromedp.FullScreenshot(100))
			if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(what, " ", "-")+".png"), picture, 0o600); err != nil {
				b.T.Fatal(err)
			}
		}
	}
}

// check checks that a page is not wider than its window, has one heading and a title, has no key instead of a text, and
// has no violation in axe-core.
func (b *dashboardBrowser) check(what, rules string) {
	b.T.Helper()
	const shape = `JSON.stringify({
		wide: document.documentElement.scrollWidth - innerWidth, headings: document.querySelectorAll("h1").length, title: document.title,
		keys: (document.documentElement.innerText.match(/\b(dashboard|shell|component)\.[a-z_]+/g) || []).join(" "),
		buttons: [...document.querySelectorAll("form")].filter((f) => f.querySelectorAll("[type=submit]:not([name])").length !== 1).length })`
	var page struct {
		Wide, Headings, Buttons int
		Title, Keys             string
	}
	if err := json.Unmarshal([]byte(browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string](shape))), &page); err != nil {
		b.T.Fatal(err)
	}
	if page.Wide > 0 || page.Headings != 1 || page.Keys != "" || page.Buttons != 0 || !strings.Contains(page.Title, " · Griot") {
		b.T.Errorf("%s: %+v, want no overflow, one heading, a title, no keys, and one unnamed button in each form", what, page)
	}
	b.Do(b.Ctx, chromedp.Evaluate[chromedp.Void](rules+"; undefined"))
	const run = `axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((v) => v.id + ": " + v.help + " " + v.nodes.map((n) => n.html.slice(0, 160) + " " + n.any.map((a) => a.message).join("; ")).join("\n")).join("\n"))`
	if found := browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string](run, chromedp.EvalAwaitPromise)); found != "" {
		b.T.Errorf("%s: %s", what, found)
	}
}

// The owner of an account signs in and uses each page of the dashboard. It takes more than 10 seconds, because it examines each
// page with axe.
func TestDashboard_EachPageInABrowser(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--showcase")
	b := newDashboardBrowser(t, p, 1280)
	b.look("sign-in", "/dashboard/sign-in")
	b.open("/dashboard/logs?status=FAILED&lang=fr")
	b.waitFor("/dashboard/sign-in?next=%2Fdashboard%2Flogs%3Flang%3Dfr%26status%3DFAILED", "")
	before := len(p.Phone(p.Accounts.Showcase.Email))
	b.submit("main form", "#email", p.Accounts.Showcase.Email)
	b.waitFor("/dashboard/sign-in/code", p.Accounts.Showcase.Email)
	sealed := browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string](`new URLSearchParams(location.search).get("for")`))
	b.look("code", "/dashboard/sign-in/code?for="+url.QueryEscape(sealed)+"&next=%2Fdashboard%2Flogs%3Fstatus%3DFAILED")
	b.submit("main form", "#code", mailed(p, p.Accounts.Showcase.Email, before))
	b.waitFor("/dashboard/logs?status=FAILED", "Failed")

	b.look("overview", "/dashboard")
	b.look("logs", "/dashboard/logs")
	b.look("logs-none", "/dashboard/logs?status=CANCELED&to=%2B22399999999")
	b.look("send", "/dashboard/send")
	b.look("invitation-none", "/dashboard/invitation")

	b.open("/dashboard/logs?lang=en")
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS("a[rel=next]")))
	b.waitFor("/dashboard/logs?cursor=", "First page")
	b.Do(b.Ctx, chromedp.SetValue(chromedp.CSS("#channel"), "sms"))
	b.submit("form.filters")
	b.waitFor("/dashboard/logs?project=&to=&status=&channel=sms", "SMS")
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS(".log tbody a")))
	b.waitFor("/dashboard/messages/", "What happened")
	b.look("message-sms", browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string]("location.pathname")))

	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open("/dashboard/send?lang=en")
	text := `<script>alert("x")</script> Bonjour & bienvenue 😀`
	b.Do(b.Ctx, chromedp.SendKeys(chromedp.CSS("#to"), "+22376000001"), chromedp.SendKeys(chromedp.CSS("#message"), text), chromedp.WaitVisible(chromedp.CSS("#preview .route")))
	b.waitFor("/dashboard/send", "UCS-2")
	if dir := os.Getenv(screenshotsVariable); dir != "" {
		_ = os.WriteFile(filepath.Join(dir, "send-preview.png"), browsertest.Get(b.Window, b.Ctx, chromedp.FullScreenshot(100)), 0o600)
	}
	b.submit("#send")
	b.waitFor("/dashboard/messages/", "Message accepted.")
	b.waitFor("/dashboard/messages/", text)
	b.look("message", browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string]("location.pathname")))
	got := p.Phone("22376000001")
	if m := got[len(got)-1]; m.Text != text {
		t.Errorf("the phone got %q, want %q", m.Text, text)
	}
	b.open("/dashboard?lang=en")
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.submit(".side-foot")
	b.waitFor("/dashboard/sign-in", "")
	b.open("/dashboard")
	b.waitFor("/dashboard/sign-in", "")
	b.signIn(p.Accounts.Free.Email, "/dashboard")
	b.look("overview-empty", "/dashboard")
	b.look("logs-empty", "/dashboard/logs")
	b.look("inbox-upgrade", "/dashboard/inbox")
	b.look("opt-outs-empty", "/dashboard/opt-outs")
}

func (b *dashboardBrowser) setScripts(on bool) {
	b.T.Helper()
	b.Do(b.Ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	}))
}

// Everything important works without JavaScript.
func TestDashboard_WithoutScripts(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir())
	owner := newDashboardBrowser(t, p, 360)
	owner.setScripts(false)
	owner.open("/dashboard/send?lang=en")
	owner.signIn(p.Accounts.Business.Email, "/dashboard/send")
	owner.submit("#send", "#to", "+22376000001", "#message", "Sans script")
	owner.waitFor("/dashboard/messages/", "Sans script")
	owner.open("/dashboard/logs")
	owner.waitFor("/dashboard/logs", "Sans script")
	owner.open("/dashboard/logs?to=%2B22376000002")
	owner.waitFor("/dashboard/logs?to=", "No message matches")
	owner.Do(owner.Ctx, chromedp.Click(chromedp.CSS(".filters .quiet")))
	owner.waitFor("/dashboard/logs", "Sans script")
	owner.submit("form.filters", "#to", "+22376000001")
	owner.waitFor("/dashboard/logs?project=&to=", "Sans script")

	invited := "invitee@example.com"
	p.Operator().Run("members", "invite", "--account", p.Accounts.Business.ID, "--email", invited)
	link := ""
	for _, m := range p.Phone(invited) {
		for _, word := range strings.Fields(m.Text) {
			if strings.HasPrefix(word, p.BaseURL+"/dashboard/invitation") {
				link = strings.TrimPrefix(word, p.BaseURL)
			}
		}
	}
	if link == "" {
		t.Fatalf("no link in %+v", p.Phone(invited))
	}
	member := newDashboardBrowser(t, p, 360)
	member.setScripts(false)
	member.open(link)
	member.waitFor("/dashboard/invitation", "")
	member.Do(member.Ctx, chromedp.Click(chromedp.CSS("main a[href^='/dashboard/sign-in?next=']")))
	member.signIn(invited, "/dashboard/invitation")
	member.setScripts(true) // axe-core is one
	member.look("invitation", "/dashboard/invitation")
	member.setScripts(false)
	member.open("/dashboard/invitation?lang=en")
	member.submit("form.offer")
	member.waitFor("/dashboard?done=joined", "Welcome to the team.")
	member.open("/dashboard/invitation")
	member.waitFor("/dashboard/invitation", "No invitation")
}
