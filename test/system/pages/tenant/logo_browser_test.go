package tenant_test

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/browsertest"
)

// writeLogo writes a picture: a dark ellipse on a ground.
func writeLogo(t *testing.T, name string, width, height int, ground color.Color) (path string) {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			m.Set(x, y, ground)
			if dx, dy := 2*x-width, 2*y-height; dx*dx*height*height+dy*dy*width*width < width*width*height*height {
				m.Set(x, y, color.NRGBA{20, 40, 90, 255})
			}
		}
	}
	path = filepath.Join(t.TempDir(), name+".png")
	f, err := os.Create(path)
	if err == nil {
		err = png.Encode(f, m)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A tenant uploads a logo, after an invalid file, and people see it on the page on which they sign in.
func TestLogo_InABrowser(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "logo.png")
	large := filepath.Join(t.TempDir(), "large.png")
	for path, file := range map[string][]byte{none: []byte("<svg/>"), large: make([]byte, tenant.MaxLogo+1)} {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	logos := map[string]string{
		"wide": writeLogo(t, "wide", 512, 64, color.NRGBA{230, 190, 70, 255}), "tall": writeLogo(t, "tall", 64, 256, color.NRGBA{230, 190, 70, 255}), "transparent": writeLogo(t, "transparent", 128, 128, color.Transparent),
	}
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts %v", scripts), func(t *testing.T) {
			s := authtest.NewSite(t, dbtest.SQLite(t))
			c := s.NewClient(t, tenant.Public, tenant.Live)
			start := s.URL + "/authorize?" + url.Values{
				"client_id": {c.ClientID}, "redirect_uri": {c.RedirectURIs[0]}, "state": {"0123456789abcdef"}, "code_challenge": {strings.Repeat("a", 43)}, "code_challenge_method": {"S256"},
			}.Encode()
			tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
			if !scripts {
				tab.Do(browsertest.WithoutScripts())
			}
			tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.URL+"/dashboard/sign-in?lang=en"))
			signInBrowser(s, tab)
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/appearance"))
			tab.Do(chromedp.SetValue(chromedp.CSS("#name"), "Kalabash"), chromedp.SetUploadFiles(chromedp.CSS("#logo"), []string{none}))
			tab.Click("#appearance button[type=submit]")
			tab.WaitFor(browsertest.Says("#logo-about", "is not a PNG, JPEG, or WebP picture") + ` && document.activeElement.id === "logo" && document.getElementById("name").value === "Kalabash"`)
			if scripts {
				tab.Axe("a file that is no picture") // axe-core is a script
				tab.Do(chromedp.SetUploadFiles(chromedp.CSS("#logo"), []string{large}))
				tab.WaitFor(`document.getElementById("logo").validationMessage.includes("larger than 32 kB") && !document.getElementById("appearance").checkValidity()`)
			}
			tab.Screenshot(fmt.Sprintf("logo-wrong-scripts-%v", scripts))
			for name, path := range logos {
				tab.Do(chromedp.Navigate(s.URL+"/dashboard/appearance"), chromedp.SetUploadFiles(chromedp.CSS("#logo"), []string{path}))
				tab.Click("#appearance button[type=submit]")
				tab.WaitFor(browsertest.Says(".toast", "Saved") + ` && [...document.querySelectorAll(".logo img")].filter((logo) => logo.naturalWidth > 0).length === 3`)
				if scripts {
					tab.Axe("with a logo")
				}
				for _, v := range browsertest.Views() {
					view := fmt.Sprintf("%s-%s-scripts-%v", name, v, scripts)
					tab.Do(chromedp.EmulateViewport(v.Width, 800), chromedp.Navigate(s.URL+"/dashboard/appearance?theme="+v.Theme))
					tab.WaitFor(`document.querySelector("#appearance .logo img").naturalWidth > 0`)
					tab.Fits(view)
					tab.Screenshot("logo-appearance-" + view)
					tab.Do(chromedp.Navigate(start))
					tab.WaitFor(browsertest.Says("#words", " ") + ` && document.querySelector(".logo img") && document.querySelector(".logo img").naturalWidth > 0`)
					tab.WaitFor(`document.querySelector(".logo img").getBoundingClientRect().height === 48`)
					tab.Fits(view)
					if scripts {
						tab.Axe(view)
					}
					tab.Screenshot("logo-waiting-" + view)
				}
			}
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/appearance"))
			tab.Click("input[name=removeLogo]")
			tab.Click("#appearance button[type=submit]")
			tab.WaitFor(browsertest.Says(".toast", "Saved") + ` && !document.querySelector(".logo")`)
			tab.Do(chromedp.Navigate(start))
			tab.WaitFor(browsertest.Seen("#words") + ` && !document.querySelector(".logo")`)
		})
	}
}
