package pages_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// hiddenPhones is the page with its gateway.
type hiddenPhones struct {
	*virtual.Gateway
	t    *testing.T
	url  string
	sink *gatewaytest.Sink
	ask  *atomic.Bool
}

func newHiddenPhones(t *testing.T) *hiddenPhones {
	t.Helper()
	pages, mux := webtest.NewPages(t), http.NewServeMux()
	site := webtest.NewSite(t, mux)
	p := &hiddenPhones{t: t, url: site.URL, sink: &gatewaytest.Sink{}, ask: new(atomic.Bool)}
	var err error
	p.Gateway, err = virtual.New(t.Context(), virtual.Options{
		Sink: p.sink, Now: clock.System, BaseURL: site.URL, AskForNumber: p.ask,
		Contacts: func(context.Context) ([]virtual.Contact, error) {
			return []virtual.Contact{{Channel: gateway.WhatsApp, Address: "22370000001", Name: "Griot login"}}, nil
		},
		Phones: []virtual.Contact{{Channel: gateway.WhatsApp, Address: "22376000001", Name: "Awa"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(waittest.Receive(t, ended), p.Close()); err != nil {
			t.Error(err)
		}
	})
	p.Mount(mux)
	mux.HandleFunc("GET /dev/phones", func(w http.ResponseWriter, r *http.Request) {
		_ = pages.Serve(w, r, http.StatusOK, web.PagePhones, nil)
	})
	return p
}

// waitMessage waits until the sink has a message.
func (p *hiddenPhones) waitMessage(what string, is func(in gateway.Inbound) bool) gateway.Inbound {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), waittest.Limit)
	defer cancel()
	var found gateway.Inbound
	err := p.sink.Wait(ctx, func() bool {
		all := p.sink.Messages()
		i := slices.IndexFunc(all, is)
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	if err != nil {
		p.t.Fatalf("%s: %v, got %+v", what, err, p.sink.Messages())
	}
	return found
}

// A person hides the number, writes, shares the number on request, edits and deletes a message, and changes the number.
func TestPhones_HideTheNumber(t *testing.T) {
	t.Parallel()
	p := newHiddenPhones(t)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(p.url+"/dev/phones?lang=en&theme=light"))
	tab.WaitFor(browsertest.Says(".privacy-title", "No username"))
	tab.Click(".phone-privacy summary")
	set := func(selector, value string) { t.Helper(); tab.Do(chromedp.SetValue(chromedp.CSS(selector), value)) }
	set(".privacy [name=username]", "Awa T")
	tab.Click(".privacy button")
	tab.WaitFor(browsertest.Seen(".privacy-problem"))
	set(".privacy [name=username]", "@awa.t")
	tab.Click(".privacy [name=hidden]")
	tab.Click(".privacy button")
	tab.WaitFor(browsertest.Says(".privacy-title", "@awa.t · number hidden") + ` && !` + browsertest.Seen(".privacy-problem"))
	tab.WaitFor(browsertest.Says(".privacy-id", "ML."))

	set(".compose [name=text]", "bonjuor")
	tab.Click(".send")
	in := p.waitMessage("the message", func(in gateway.Inbound) bool { return in.Text == "bonjuor" })
	if in.From != "" || in.Person.Username != "awa.t" {
		t.Errorf("%+v", in)
	}
	if _, err := p.AskForNumber(t.Context(), &gateway.NumberRequest{Ref: "ask_1", From: in.To, ToID: in.Person.ID, Text: "Please share your number."}); err != nil {
		t.Fatal(err)
	}
	tab.WaitFor(browsertest.Says(".bubble.in .bubble-choices", "Share phone number"))
	tab.Click(".bubble.in .choice")
	p.waitMessage("the number", func(in gateway.Inbound) bool { return in.Shared == "22376000001" && in.From == "" })
	tab.WaitFor(`[...document.querySelectorAll(".bubble.out")].length === 2`)

	tab.Click(".bubble.out .bubble-edit")
	tab.WaitFor(browsertest.Seen(".compose-edit") + ` && document.querySelector(".compose [name=text]").value === "bonjuor"`)
	set(".compose [name=text]", "bonjour")
	tab.Click(".send")
	tab.WaitFor(`(() => { const first = document.querySelector(".bubble.out"); return first.querySelector(".bubble-text").textContent === "bonjour" && first.querySelector(".bubble-revised").textContent === "edited"; })()`)
	tab.WaitFor(`!` + browsertest.Seen(".compose-edit"))
	for _, v := range browsertest.Views() {
		tab.Do(chromedp.EmulateViewport(v.Width, 900), chromedp.Navigate(p.url+"/dev/phones?"+v.Query()))
		tab.WaitFor(`document.querySelectorAll(".bubble").length === 3 && document.documentElement.dataset.theme === "` + v.Theme + `"`)
		tab.Click(".phone-privacy summary")
		tab.WaitFor(browsertest.Seen(".privacy button"))
		tab.Axe("a phone with a hidden number, " + v.String())
		tab.Fits("a phone with a hidden number, " + v.String())
		tab.Screenshot("phones-hidden-" + v.String())
	}
	tab.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(p.url+"/dev/phones?lang=en"))
	tab.WaitFor(`document.querySelectorAll(".bubble").length === 3`)
	tab.Click(".bubble.out .bubble-delete")
	tab.WaitFor(browsertest.Says(".bubble.out .bubble-revised", "Message deleted") + ` && !` + browsertest.Seen(".bubble.out .bubble-edit"))

	tab.Click("#ask-for-number")
	waittest.Until(t, func() error {
		if !p.ask.Load() {
			return errors.New("the switch has not reached the login")
		}
		return nil
	})
	tab.Click(".phone-privacy summary")
	set(".number [name=number]", "+223 76 00 00 99")
	tab.Click(".number button")
	tab.WaitFor(`[...document.querySelectorAll(".phone")].some((p) => p.querySelector(".phone-name").textContent.endsWith("99") && p.querySelector(".privacy-title").textContent.includes("@awa.t"))`)
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	if err := p.sink.Wait(ctx, func() bool { return len(p.sink.Changes()) == 3 }); err != nil {
		t.Fatalf("%v: %+v", err, p.sink.Changes())
	}
	for i, kind := range []gateway.ChangeKind{gateway.MessageEdited, gateway.MessageDeleted, gateway.IDChanged} {
		if c := p.sink.Changes()[i]; c.Kind != kind || c.From != "" {
			t.Errorf("%+v, want %s without a number", c, kind)
		}
	}
}
