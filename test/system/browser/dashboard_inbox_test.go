package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// People write, and the owner reads and replies without reloading the page. People who have opted out are in a separate
// list. The test takes more than 10 seconds, because it examines each view with axe and waits for a stream to show each
// message.
func TestDashboard_InboxInABrowser(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--showcase")
	b := newDashboardBrowser(t, p, 1280)
	b.open("/dashboard/inbox?lang=en")
	b.signIn(p.Accounts.Showcase.Email, "/dashboard/inbox")
	b.look("inbox", "/dashboard/inbox")
	b.look("inbox-search", "/dashboard/inbox?q=livreur")
	b.look("inbox-none", "/dashboard/inbox?q=nobody")
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open("/dashboard/inbox?lang=en")
	here := browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string](`new URL(document.querySelectorAll(".rows a")[3].href).pathname`))
	b.look("inbox-conversation", here)

	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open(here + "?lang=en")
	number := strings.TrimPrefix(browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string](`document.getElementById("contact-phone").textContent`)), "+")
	receiver := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' { // a plus and the separators of the groups
			return -1
		}
		return r
	}, browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string](`document.querySelector(".contact .pairs div:nth-child(2) dd").textContent`)))
	write := func(text string) {
		t.Helper()
		if a := p.Call("POST", p.BaseURL+"/dev/phones/"+number+"/messages", `{"channel":"whatsapp","to":"`+receiver+`","text":"`+text+`","displayName":"<b>Awa</b>"}`); a.Status != 201 {
			t.Fatalf("writing from %s to %s: %d %s", number, receiver, a.Status, a.Raw)
		}
	}
	write("<script>alert(1)</script> Encore une question")
	b.waitFor(here, "<script>alert(1)</script> Encore une question") // without reloading
	b.waitFor(here, "Mark as unread")                                // it was read
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		list := p.Phone(number)
		m := list[len(list)-1]
		if m.Status == "read" { // because the page is open
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the phone's message is %s, want read", m.Status)
		}
	}
	answer := browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string](`[...document.querySelectorAll(".message:not(.out) .answer")].at(-1).getAttribute("href")`))
	answer, _, _ = strings.Cut(answer, "#")
	b.look("inbox-answering", answer)
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open(answer + "&lang=en")
	b.submit("#reply", "#text", "Voici la réponse")
	b.waitFor(here, "Voici la réponse")
	got := p.Phone(number)
	if m := got[len(got)-1]; m.Text != "Voici la réponse" || m.ReplyTo == "" {
		t.Errorf("the phone got %q in answer to %q, want the reply to the question", m.Text, m.ReplyTo)
	}
	b.submit("#thread-head form")
	b.waitFor("/dashboard/inbox?done=marked_unread", "Conversation marked as unread.")
	write("مرحبا, a sentence that is longer than the list of conversations is wide")
	b.open("/dashboard/inbox?lang=en")
	if !browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[bool](beginningShown)) {
		t.Error("the list cuts the beginning of a text that starts from right to left")
	}
	write("STOP")
	b.open(here + "?lang=en")
	b.waitFor(here, "replies are refused")
	b.look("inbox-opted-out", here)

	b.look("opt-outs", "/dashboard/opt-outs")
	b.look("opt-outs-none", "/dashboard/opt-outs?q=nobody")
	b.look("opt-out-new", "/dashboard/opt-outs/new")
	b.Do(b.Ctx, chromedp.EmulateViewport(1280, 800))
	b.open("/dashboard/opt-outs/new?lang=en")
	b.submit("main form", "#address", "+223 76 00 00 01")
	b.waitFor("/dashboard/opt-outs?done=opt_out_added", "Opt-out added.")
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS(`.log a[href^="/dashboard/opt-outs/d2hhdHNhcHA6MjIzNzYwMDAwMDE"]`)))
	b.waitFor("/dashboard/opt-outs/", "Your team added it.")
	b.look("opt-out", browsertest.Get(b.Window, b.Ctx, chromedp.Evaluate[string]("location.pathname")))
	b.submit("main form")
	b.waitFor("/dashboard/opt-outs?done=opt_out_removed", "Opt-out removed.")
}

// beginningShown reports whether the first character of the Arabic text is within the visible part of its row.
const beginningShown = `(() => {
	const row = [...document.querySelectorAll(".rows .text")].find((row) => row.textContent.includes("مرحبا"))
	const first = document.createRange()
	first.setStart(row.querySelector("bdi").firstChild, 0)
	first.setEnd(row.querySelector("bdi").firstChild, 1)
	const { left, right } = first.getBoundingClientRect(), box = row.getBoundingClientRect()
	return left > box.left - 1 && right < box.right + 1
})()`
