package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const maxReadmePicture = 80_000 // bytes

// photographer takes pictures of the pages of `griot dev`.
type photographer struct {
	*dashboardBrowser
	dir string
}

// TestScreenshots makes the four pictures of the README. With a folder to write to, as make screenshots has it, they are
// written into docs/img, and every page is taken into the folder: wide and narrow, light and dark, in French and English. make test-long makes the four;
// TestDashboard_EachPageInABrowser opens the same pages in make test.
func TestScreenshots(t *testing.T) {
	if os.Getenv(screenshotsVariable) == "" {
		onlyLong(t)
	}
	t.Parallel()
	p := startDev(t, t.TempDir(), "--showcase")
	s := &photographer{&dashboardBrowser{newBrowser(t, "en", 1280, 800), p}, os.Getenv(screenshotsVariable)}
	images := t.TempDir()
	if s.dir != "" {
		images = "../../docs/img"
		s.takeAll("sign-in", p.BaseURL+"/dashboard/sign-in", "tenant-sign-in", p.AuthURL+"/dashboard/sign-in")
	}
	s.open("/dashboard/sign-in?theme=light&lang=en")
	s.signIn(p.Accounts.Showcase.Email, "/dashboard")
	s.do(s.ctx, chromedp.Navigate(p.AuthURL+"/dashboard/sign-in"),
		chromedp.SetValue(chromedp.CSS("#tenant"), p.ShowcaseTenant.ID), chromedp.SetValue(chromedp.CSS("#key"), p.ShowcaseTenant.InvitationKey))
	s.submit("main form")
	s.waitFor("/dashboard", "Kalabash")

	s.readme(images, "overview", p.BaseURL+"/dashboard", 1280, 900, 1)
	s.readme(images, "message", p.BaseURL+s.fallenBack(), 1280, 900, 1)
	s.readme(images, "tenant", p.AuthURL+"/dashboard", 1280, 900, 1)
	s.do(s.ctx, chromedp.EmulateViewport(360, 720))
	s.startLogin(s.ctx, p)
	s.readme(images, "waiting", "", 360, 720, 2)
	if s.dir != "" {
		s.takeEverything()
	}
}

// readme takes a picture of an address, or of the page that is open, for the README.
func (s *photographer) readme(dir, name, address string, width, height int64, scale float64) {
	s.t.Helper()
	s.do(s.ctx, chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)))
	if address != "" {
		s.show(address)
	}
	picture := paletted(s.t, get(s.browser, s.ctx, chromedp.CaptureScreenshot()))
	if n := len(picture); n > maxReadmePicture || n < 5_000 {
		s.t.Errorf("the picture %s has %d bytes, want 5,000 to %d", name, n, maxReadmePicture)
	}
	s.write(filepath.Join(dir, name+".png"), picture)
}

// fallenBack is the address of a message that went by SMS because WhatsApp did not deliver it, one with a text if there is one.
func (s *photographer) fallenBack() string {
	s.t.Helper()
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
	found := get(s.browser, s.ctx, chromedp.Evaluate[string](find, chromedp.EvalAwaitPromise))
	if found == "" {
		s.t.Fatal("no message went by SMS in the place of WhatsApp")
	}
	return found
}

// show opens an address and waits until the page is whole.
func (s *photographer) show(address string) {
	s.t.Helper()
	s.do(s.ctx, chromedp.Navigate(address))
	eventually(s.t, 10*time.Second, func() error {
		if !get(s.browser, s.ctx, chromedp.Evaluate[bool](`document.readyState === "complete"`)) {
			return errNotYet
		}
		return nil
	})
}

func (s *photographer) write(path string, picture []byte) {
	s.t.Helper()
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// takeEverything takes the pages of the three dashboards, with one of what each lists, and the pages for everybody.
func (s *photographer) takeEverything() {
	s.t.Helper()
	link := runJSON[struct{ URL string }](s.p.operator(), "open")
	s.show(link.URL)
	eventually(s.t, 10*time.Second, func() error {
		if !strings.HasSuffix(get(s.browser, s.ctx, chromedp.Evaluate[string]("location.pathname")), "/operator") {
			s.do(s.ctx, chromedp.Evaluate[chromedp.Void](`{ const button = document.querySelector("main button[type=submit]"); if (button) button.click(); }`))
			return errNotYet
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
		s.startLogin(s.ctx, s.p)
		s.take("waiting" + look)
	})
}

// listed returns the names and the addresses of the pages that a navigation leads to, and of one that each of them lists.
func (s *photographer) listed(name, home string) (list []string) {
	s.t.Helper()
	s.show(home)
	for _, address := range s.links(".nav a") {
		if !strings.HasPrefix(address, home) {
			continue // it leads out of the dashboard
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
	s.t.Helper()
	found := get(s.browser, s.ctx, chromedp.Evaluate[string](fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%q)].map((a) => a.href))`, selector)))
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		s.t.Fatal(err)
	}
	return list
}

// eachLook calls fn in each width, theme and language; look is the end of a picture's name.
func (s *photographer) eachLook(fn func(look string)) {
	s.t.Helper()
	for _, width := range []int64{1280, 360} {
		for _, theme := range []string{"light", "dark"} {
			for _, lang := range []string{"fr", "en"} {
				s.do(s.ctx, chromedp.EmulateViewport(width, 800))
				s.show(s.p.BaseURL + "/dev/demo?theme=" + theme + "&lang=" + lang) // it is kept, for both services
				fn(fmt.Sprintf("-%d-%s-%s", width, theme, lang))
			}
		}
	}
}

// takeAll takes pages, given by name and address in turn, in each look.
func (s *photographer) takeAll(list ...string) {
	s.t.Helper()
	s.eachLook(func(look string) {
		for i := 0; i < len(list); i += 2 {
			s.show(list[i+1])
			s.take(list[i] + look)
		}
	})
}

func (s *photographer) take(name string) {
	s.t.Helper()
	s.write(filepath.Join(s.dir, name+".png"), get(s.browser, s.ctx, chromedp.FullScreenshot(100)))
}
