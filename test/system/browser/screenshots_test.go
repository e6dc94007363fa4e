package browser_test

import (
	"encoding/json"
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

const maxReadmePicture = 80_000 // bytes

// photographer takes screenshots of the pages of `griot dev`.
type photographer struct {
	*dashboardBrowser
	dir string
}

// TestScreenshots makes the four pictures of the README. With a directory, as in make screenshots, it writes them into
// docs/img, and screenshots of every page into the directory: wide and narrow, light and dark, in French and English.
// make test-long makes the four; TestDashboard_EachPageInABrowser opens the same pages in make test-system.
func TestScreenshots(t *testing.T) {
	if os.Getenv(screenshotsVariable) == "" {
		systemtest.OnlyLong(t)
	}
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--showcase")
	s := &photographer{&dashboardBrowser{browsertest.NewWindow(t, "en", 1280, 800), p}, os.Getenv(screenshotsVariable)}
	images := t.TempDir()
	if s.dir != "" {
		images = "../../../docs/img"
		s.takeAll("sign-in", p.BaseURL+"/dashboard/sign-in", "tenant-sign-in", p.AuthURL+"/dashboard/sign-in")
	}
	s.open("/dashboard/sign-in?theme=light&lang=en")
	s.signIn(p.Accounts.Showcase.Email, "/dashboard")
	s.Do(s.Ctx, chromedp.Navigate(p.AuthURL+"/dashboard/sign-in"),
		chromedp.SetValue(chromedp.CSS("#tenant"), p.ShowcaseTenant.ID), chromedp.SetValue(chromedp.CSS("#key"), p.ShowcaseTenant.InvitationKey))
	s.submit("main form")
	s.waitFor("/dashboard", "Kalabash")

	s.readme(images, "overview", p.BaseURL+"/dashboard", 1280, 900, 1)
	s.readme(images, "message", p.BaseURL+s.fallenBack(), 1280, 900, 1)
	s.readme(images, "tenant", p.AuthURL+"/dashboard", 1280, 900, 1)
	s.Do(s.Ctx, chromedp.EmulateViewport(360, 720))
	startLogin(s.dashboardBrowser.Window, s.Ctx, p)
	s.readme(images, "waiting", "", 360, 720, 2)
	if s.dir != "" {
		s.takeEverything()
	}
}

// readme takes a picture of an address, or of the open page, for the README.
func (s *photographer) readme(dir, name, address string, width, height int64, scale float64) {
	s.T.Helper()
	s.Do(s.Ctx, chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)))
	if address != "" {
		s.show(address)
	}
	picture := paletted(s.T, browsertest.Get(s.Window, s.Ctx, chromedp.CaptureScreenshot()))
	if n := len(picture); n > maxReadmePicture || n < 5_000 {
		s.T.Errorf("the picture %s has %d bytes, want 5,000 to %d", name, n, maxReadmePicture)
	}
	s.write(filepath.Join(dir, name+".png"), picture)
}

// fallenBack returns the address of a message that was sent by SMS because WhatsApp didn't deliver it, one with a text
// if there is one.
func (s *photographer) fallenBack() string {
	s.T.Helper()
	s.show(s.p.BaseURL + "/dashboard/logs?channel=sms&lang=en")
	const find = `(async () => {
		let found = "";
		for (const a of document.querySelectorAll(".log tbody a")) {
			const page = await (await fetch(a.href)).text();
			if (page.includes("Why SMS?")) found = a.pathname;
			if (found === a.pathname && page.includes('class="bubble"')) break;
		}
		return found;
	})()`
	found := browsertest.Get(s.Window, s.Ctx, chromedp.Evaluate[string](find, chromedp.EvalAwaitPromise))
	if found == "" {
		s.T.Fatal("no message went by SMS in the place of WhatsApp")
	}
	return found
}

// show opens an address and waits until the page is complete.
func (s *photographer) show(address string) {
	s.T.Helper()
	s.Do(s.Ctx, chromedp.Navigate(address))
	waittest.Until(s.T, func() error {
		if !browsertest.Get(s.Window, s.Ctx, chromedp.Evaluate[bool](`document.readyState === "complete"`)) {
			return systemtest.ErrNotYet
		}
		return nil
	})
}

func (s *photographer) write(path string, picture []byte) {
	s.T.Helper()
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		s.T.Fatal(err)
	}
}

// takeEverything takes the pages of the three dashboards, with one object of each list, and the public pages.
func (s *photographer) takeEverything() {
	s.T.Helper()
	link := systemtest.RunJSON[struct{ URL string }](s.p.Operator(), "open")
	s.show(link.URL)
	waittest.Until(s.T, func() error {
		if !strings.HasSuffix(browsertest.Get(s.Window, s.Ctx, chromedp.Evaluate[string]("location.pathname")), "/operator") {
			s.Do(s.Ctx, chromedp.Evaluate[chromedp.Void](`{ const button = document.querySelector("main button[type=submit]"); if (button) button.click(); }`))
			return systemtest.ErrNotYet
		}
		return nil
	})
	list := []string{
		"phones", s.p.BaseURL + "/dev/phones", "demo", s.p.BaseURL + "/dev/demo", "terms", s.p.BaseURL + "/terms", "errors", s.p.BaseURL + "/docs/errors",
		"reference", s.p.BaseURL + "/docs/reference", "login-reference", s.p.AuthURL + "/docs/reference", "opt-out-new", s.p.BaseURL + "/dashboard/opt-outs/new",
	}
	for name, home := range map[string]string{"dashboard": s.p.BaseURL + "/dashboard", "tenant": s.p.AuthURL + "/dashboard", "operator": s.p.InternalURL + "/operator"} {
		list = append(list, s.listed(name, home)...)
	}
	s.takeAll(list...)
	s.eachLook(func(look string) {
		startLogin(s.dashboardBrowser.Window, s.Ctx, s.p)
		s.take("waiting" + look)
	})
}

// listed returns the names and the addresses of the pages in a navigation, and of one object in each of their lists.
func (s *photographer) listed(name, home string) (list []string) {
	s.T.Helper()
	s.show(home)
	for _, address := range s.links(".nav a") {
		if !strings.HasPrefix(address, home) {
			continue // a link out of the dashboard
		}
		page := name + "-" + strings.Trim(strings.ReplaceAll(strings.TrimPrefix(address, home), "/", "-"), "-")
		list = append(list, strings.TrimSuffix(page, "-"), address)
		s.show(address)
		if of := s.links("main tbody a, main .rows a"); len(of) > 0 {
			list = append(list, page+"-one", of[0])
		}
	}
	return list
}

func (s *photographer) links(selector string) (list []string) {
	s.T.Helper()
	found := browsertest.Get(s.Window, s.Ctx, chromedp.Evaluate[string](fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%q)].map((a) => a.href))`, selector)))
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		s.T.Fatal(err)
	}
	return list
}

// eachLook calls fn in each width, theme, and language; look is the suffix of a picture's name.
func (s *photographer) eachLook(fn func(look string)) {
	s.T.Helper()
	for _, width := range []int64{1280, 360} {
		for _, theme := range []string{"light", "dark"} {
			for _, lang := range []string{"fr", "en"} {
				s.Do(s.Ctx, chromedp.EmulateViewport(width, 800))
				s.show(s.p.BaseURL + "/dev/demo?theme=" + theme + "&lang=" + lang) // stored for both services
				fn(fmt.Sprintf("-%d-%s-%s", width, theme, lang))
			}
		}
	}
}

// takeAll takes pages, given as pairs of name and address, in each look.
func (s *photographer) takeAll(list ...string) {
	s.T.Helper()
	s.eachLook(func(look string) {
		for i := 0; i < len(list); i += 2 {
			s.show(list[i+1])
			s.take(list[i] + look)
		}
	})
}

func (s *photographer) take(name string) {
	s.T.Helper()
	s.write(filepath.Join(s.dir, name+".png"), browsertest.Get(s.Window, s.Ctx, chromedp.FullScreenshot(100)))
}
