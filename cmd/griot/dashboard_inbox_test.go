package main

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// People write, and the owner answers; who wants no more messages is in a list of its own.
func TestDashboard_InboxInABrowser(t *testing.T) {
	p := startDev(t, t.TempDir(), "--showcase")
	b := newDashboardBrowser(t, p, 1280)
	b.open("/dashboard/opt-outs?lang=en")
	b.signIn(p.Accounts.Showcase.Email, "/dashboard/opt-outs")
	b.look("opt-outs", "/dashboard/opt-outs")
	b.look("opt-outs-none", "/dashboard/opt-outs?q=nobody")
	b.look("opt-out-new", "/dashboard/opt-outs/new")
	b.do(b.ctx, chromedp.EmulateViewport(1280, 800))
	b.open("/dashboard/opt-outs/new?lang=en")
	b.submit("main form", "#address", "+223 76 00 00 01")
	b.waitFor("/dashboard/opt-outs?done=opt_out_added", "Opt-out added.")
	b.do(b.ctx, chromedp.Click(chromedp.CSS(`.log a[href^="/dashboard/opt-outs/d2hhdHNhcHA6MjIzNzYwMDAwMDE"]`)))
	b.waitFor("/dashboard/opt-outs/", "Your team added it.")
	b.look("opt-out", get(b.browser, b.ctx, chromedp.Evaluate[string]("location.pathname")))
	b.submit("main form")
	b.waitFor("/dashboard/opt-outs?done=opt_out_removed", "Opt-out removed.")
}
