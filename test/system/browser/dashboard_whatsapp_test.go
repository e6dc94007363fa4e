package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/systemtest"
)

// sendWords reads the words of the open waiting page, and sends them from a virtual phone.
func (b *dashboardBrowser) sendWords(from string) {
	b.T.Helper()
	b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`#words span:nth-of-type(3)`)))
	writes(b.p, from, strings.Join(strings.Fields(b.Text(b.Ctx, "#words")), " "))
}

// A person links their number in the settings, and signs in with it. The dashboard is a normal client of the login
// service.
func TestDashboard_WhatsAppInABrowser(t *testing.T) {
	t.Parallel()
	const phone = "22376000001"
	p := systemtest.StartDev(t, t.TempDir(), "--showcase=false", "--phones", "memory")
	b := newDashboardBrowser(t, p, 1280)
	b.open("/dashboard/settings/sign-in?lang=en")
	b.signIn(p.Accounts.Business.Email, "/dashboard/settings/sign-in")
	b.look("sign-in-settings", "/dashboard/settings/sign-in")
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open("/dashboard/settings/sign-in?lang=en")
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS(`main a[href="/dashboard/settings/sign-in/whatsapp"]`)))
	b.sendWords(phone)
	b.waitFor("/dashboard/settings/sign-in/link", "+223*****001")
	b.look("whatsapp-link", "/dashboard/settings/sign-in/link")
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open("/dashboard/settings/sign-in/link?lang=en")
	b.submit("main form")
	b.waitFor("/dashboard/settings/sign-in?done=whatsapp_linked", "Your number is linked.")
	b.look("sign-in-settings-linked", "/dashboard/settings/sign-in")
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800), chromedp.Click(chromedp.CSS(`form[action="/dashboard/sign-out"] button`)))
	b.waitFor("/dashboard/sign-in", "")
	b.look("sign-in", "/dashboard/sign-in")
	b.look("sign-in-unknown", "/dashboard/sign-in?whatsapp=unknown")
	b.open("/dashboard/sign-in?lang=en")
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS(`main a[href^="/api/session/whatsapp/start"]`)))
	b.sendWords(phone)
	b.waitFor("/dashboard", p.Accounts.Business.Email)
}
