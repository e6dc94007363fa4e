package browser_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// hidesNumber makes a virtual phone hide its number.
func hidesNumber(p *systemtest.Dev, number, username string) {
	p.T.Helper()
	if r := p.Call("PUT", p.BaseURL+"/dev/phones/"+number+"/privacy", fmt.Sprintf(`{"username":%q,"hidden":true}`, username)); r.Status != 200 {
		p.T.Fatalf("a phone hides its number: got %d %s, want success", r.Status, r.Raw)
	}
}

// askForNumbers switches requests for numbers on or off.
func askForNumbers(p *systemtest.Dev, on bool) {
	p.T.Helper()
	if r := p.Call("PUT", p.BaseURL+"/dev/phones-options", fmt.Sprintf(`{"askForNumber":%v}`, on)); r.Status != 200 {
		p.T.Fatalf("the switch: got %d %s, want success", r.Status, r.Raw)
	}
}

// share taps the button of the request that a virtual phone has got.
func share(p *systemtest.Dev, number string) {
	p.T.Helper()
	for _, m := range p.Phone(number) {
		if m.NumberRequest {
			if r := p.Call("POST", p.BaseURL+"/dev/phones/"+number+"/messages/"+m.ID+"/share", "{}"); r.Status != 201 {
				p.T.Errorf("a phone shares its number: got %d %s, want success", r.Status, r.Raw)
			}
			return
		}
	}
	p.T.Error("the phone has got no request")
}

// picture takes a screenshot of the window if there is a directory for them.
func picture(b *browsertest.Window, name string) {
	b.T.Helper()
	if dir := os.Getenv(screenshotsVariable); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), browsertest.Get(b, b.Ctx, chromedp.FullScreenshot(100)), 0o600); err != nil {
			b.T.Fatal(err)
		}
	}
}

// waitText waits until an element has a text, also across a page change.
func waitText(b *browsertest.Window, selector, text string) {
	b.T.Helper()
	waittest.Until(b.T, func() error {
		found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](`document.querySelector("`+selector+`")?.innerText ?? ""`))
		if err != nil || !strings.Contains(found, text) {
			return fmt.Errorf("%w: %s has %q, want %q", errors.Join(err, systemtest.ErrNotYet), selector, found, text)
		}
		return nil
	})
}

// The page of a login says why it waits for a person whose number WhatsApp hides, with scripts and without. After the
// person has tapped the button, the login continues. The page without scripts reloads every 5 seconds.
func TestBrowser_HiddenNumber(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	type view struct {
		lang, hidden, requested string
		scripts                 bool
	}
	views := []view{{"en", "Remove your WhatsApp username", "Tap its button", true}, {"fr", "Supprimez votre nom d’utilisateur", "Touchez son bouton", false}}
	if os.Getenv(browsertest.AllViewsVariable) != "" {
		for _, v := range views {
			v.scripts = !v.scripts
			views = append(views, v)
		}
	}
	for n, v := range views {
		name := fmt.Sprintf("held-360-%s-scripts-%v", v.lang, v.scripts)
		t.Run(name, func(t *testing.T) {
			number := fmt.Sprintf("2237600010%d", n)
			hidesNumber(p, number, fmt.Sprintf("awa.%c", 'a'+n))
			askForNumbers(p, false)
			b := browsertest.NewWindow(t, v.lang, 360, 740)
			if !v.scripts {
				b.Do(b.Ctx, withoutScripts())
			}
			b.Do(b.Ctx, chromedp.Navigate(p.BaseURL+"/dev/demo"), chromedp.Click(chromedp.CSS(`.card a[href$="/0"]`)), chromedp.WaitVisible(chromedp.CSS(`#phones`)))
			words := strings.Join(strings.Fields(b.Text(b.Ctx, "#words")), " ")
			for _, held := range []struct {
				name, text string
				asks       bool
			}{{"hidden", v.hidden, false}, {"requested", v.requested, true}} {
				askForNumbers(p, held.asks)
				writes(p, number, words)
				waitText(b, "#held", held.text)
				if wide := browsertest.Get(b, b.Ctx, chromedp.Evaluate[int]("document.documentElement.scrollWidth - innerWidth")); wide > 0 {
					t.Errorf("the page is %d pixels wider than the window", wide)
				}
				picture(b, name+"-"+held.name)
			}
			share(p, number)
			b.WaitSignedIn(b.Ctx, number)
		})
	}
}

// The inbox names people without a number by their username and ID, and the owner can reply.
func TestDashboard_InboxOfAHiddenNumber(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	hidesNumber(p, "22376000001", "awa.t")
	write := func(text string) {
		t.Helper()
		if r := p.Call("POST", p.BaseURL+"/dev/phones/22376000001/messages", fmt.Sprintf(`{"channel":"whatsapp","to":%q,"text":%q,"displayName":"Awa"}`, p.Accounts.Business.WhatsAppNumber, text)); r.Status != 201 {
			t.Fatalf("a phone writes: got %d %s, want success", r.Status, r.Raw)
		}
	}
	write("Où est ma commande ?")
	b := newDashboardBrowser(t, p, 1280)
	b.open("/dashboard/inbox?lang=en")
	b.signIn(p.Accounts.Business.Email, "/dashboard/inbox")
	b.waitFor("/dashboard/inbox", "Où est ma commande ?")
	b.look("inbox-hidden", "/dashboard/inbox")
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open("/dashboard/inbox?lang=en")
	here := browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string](`new URL(document.querySelector(".rows a").href).pathname`))
	b.look("inbox-hidden-conversation", here)
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open(here + "?lang=en")
	b.waitFor(here, "awa.t")
	b.waitFor(here, "ML.")
	if gap := browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[float64](`document.querySelector(".contact .pairs").getBoundingClientRect().top - document.querySelector(".contact > .soft").getBoundingClientRect().bottom`)); gap < 12 {
		t.Errorf("%v pixels between the note about the number and the list below, want 12 or more", gap)
	}
	b.submit("#reply", "#text", "Elle arrive demain.")
	b.waitFor(here, "Elle arrive demain.")
	got := p.Phone("22376000001")
	if m := got[len(got)-1]; m.Text != "Elle arrive demain." {
		t.Errorf("the phone got %q last, want the reply", m.Text)
	}
	write("STOP")
	b.open(here + "?lang=en")
	b.waitFor(here, "replies are refused")
}
