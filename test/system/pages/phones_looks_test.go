package pages_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// somePhones is a site with phones that have messages of every kind, and the data that the page sent.
type somePhones struct {
	url     string
	mu      sync.Mutex
	lists   map[string][]map[string]any // the messages of each phone
	written []string
}

// deliver adds a message to a phone.
func (p *somePhones) deliver(address string, m map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lists[address] = append(p.lists[address], m)
}

// waitWritten waits until the page has sent a text.
func (p *somePhones) waitWritten(t *testing.T, part string) {
	t.Helper()
	for end := time.Now().Add(writeTimeout); !p.wrote(part); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the page wrote %q, want %s", p.written, part)
		}
	}
}

func (p *somePhones) wrote(part string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(strings.Join(p.written, "\n"), part)
}

// writeTimeout is the maximum time until the page sends a text.
const writeTimeout = 20 * time.Second

const (
	hostileText = `<script>document.title="run"</script>`
	picture     = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"
)

func message(id, channel, text string, more map[string]any) map[string]any {
	m := map[string]any{"id": id, "direction": "in", "channel": channel, "from": "22370000001", "to": "22376000001", "type": "text", "text": text, "at": "2026-09-21T12:00:00.000Z", "status": "delivered"}
	for name, value := range more {
		m[name] = value
	}
	return m
}

func newSomePhones(t *testing.T) *somePhones {
	t.Helper()
	pages := webtest.NewPages(t)
	p := &somePhones{}
	answer := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
	p.lists = map[string][]map[string]any{
		"22376000001": {
			message("m1", "whatsapp", "*gras _et penché_* ~barré~ `2*3*4` un_mot_entier * pas * "+hostileText, nil),
			message("m2", "whatsapp", "", map[string]any{"type": "image", "mediaUrl": "https://files.example.com/panier.png", "fileName": `"><img src=x onerror=alert(1)>.png`}),
			message("m3", "whatsapp", "", map[string]any{"type": "image", "mediaUrl": "https://files.example.com/absent.png", "fileName": hostileText}),
			message("m4", "whatsapp", "", map[string]any{"type": "audio", "mediaUrl": "https://files.example.com/voix.ogg", "mimeType": "audio/ogg"}),
			message("m5", "whatsapp", "", map[string]any{"type": "document", "mediaUrl": "https://files.example.com/r.pdf", "fileName": hostileText + ".pdf", "mimeType": "application/pdf", "mediaSize": 20_400}),
			message("m6", "whatsapp", "merci", map[string]any{"direction": "out", "from": "22376000001", "to": "22370000001"}),
		},
		"22376000002":     {message("s1", "sms", "*pas de gras*", nil)},
		"awa@example.com": {message("e1", "email", "en texte", map[string]any{"subject": hostileText, "html": "<h1>Facture</h1><script>parent.document.title='run'</script>"})},
		"120363@g.us":     {message("g1", "whatsapp", "à tous", nil)},
	}
	phone := func(address, name, kind string, members ...string) map[string]any {
		return map[string]any{"address": address, "name": name, "kind": kind, "unread": 1, "online": true, "blocked": false, "members": members}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /dev/phones", func(w http.ResponseWriter, r *http.Request) {
		_ = pages.Serve(w, r, http.StatusOK, web.PagePhones, nil)
	})
	mux.HandleFunc("GET /dev/phones-list", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"contacts": []any{map[string]any{"channel": "whatsapp", "address": "22370000001", "name": hostileText}}, "phones": []any{
			phone("22376000001", "Awa"+hostileText, "phone"), phone("22376000002", "Moussa", "phone"), phone("awa@example.com", "Awa", "email"),
			phone("120363@g.us", "Livraisons", "group", "22376000001", "22376000002"),
		}})
	})
	mux.HandleFunc("GET /dev/phones/{address}/messages", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		answer(w, map[string]any{"messages": p.lists[r.PathValue("address")]})
	})
	mux.HandleFunc("GET /dev/phones/{address}/messages/{id}/html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'self'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<h1>Facture</h1>")
	})
	mux.HandleFunc("GET /dev/phones/{address}/messages/{id}/media", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != "m2" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		_, _ = io.WriteString(w, picture)
	})
	mux.HandleFunc("GET /dev/faults", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"faults": []any{}}) })
	mux.HandleFunc("GET /dev/phones-options", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"deduplicate": true}) })
	mux.HandleFunc("POST /dev/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.written = append(p.written, r.URL.Path+" "+string(body))
		answer(w, map[string]any{})
	})
	p.url = webtest.NewSite(t, mux).URL
	return p
}

// bubble returns an expression for the text of one element of a phone, for WaitFor.
func bubble(n int, selector string) string {
	return fmt.Sprintf(`document.querySelectorAll(".phone")[%d].querySelector(%q)`, n, selector)
}

func TestPhones_LookLikeTheirChannels(t *testing.T) {
	t.Parallel()
	p := newSomePhones(t)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), p.url+"/dev/phones?lang=fr")
	tab.Do(chromedp.EmulateViewport(1280, 900))
	tab.WaitFor(`document.querySelectorAll(".bubble").length === 8 && [...document.querySelectorAll(".phone")].map((p) => p.dataset.app).join() === "whatsapp,sms,email"`)
	for what, expression := range map[string]string{
		"three side by side":        `[...document.querySelectorAll(".phone")].every((p) => p.getBoundingClientRect().left >= 0 && p.getBoundingClientRect().right <= innerWidth)`,
		"markup":                    bubble(0, ".bubble-text") + `.innerHTML.startsWith("<strong>gras <em>et penché</em></strong> <s>barré</s> <code>2*3*4</code> un_mot_entier * pas * &lt;script&gt;")`,
		"no markup in an SMS":       bubble(1, ".bubble-text") + `.innerHTML === "*pas de gras*"`,
		"a picture":                 bubble(0, "[alt='\"><img src=x onerror=alert(1)>.png']") + `.naturalWidth === 1`,
		"a card for what is absent": `document.querySelectorAll("#board .bubble-shown img").length === 1`,
		"a player or its card":      bubble(0, ".bubble:nth-child(4) .bubble-media") + ".checkVisibility()",
		"a document's card":         bubble(0, ".bubble:nth-child(5) .bubble-media") + `.textContent.includes("<script>")`,
		"its kind and size":         bubble(0, ".bubble:nth-child(5) .bubble-kind") + `.textContent.startsWith("application/pdf · 20")`,
		"two ticks":                 bubble(0, ".bubble.out .tick-second") + `.checkVisibility()`,
		"a mail in a sandbox":       bubble(2, "iframe") + `.getAttribute("sandbox") === "" && ` + bubble(2, "iframe") + `.contentDocument === null`,
		"its subject":               bubble(2, ".bubble-subject") + `.textContent.includes("<script>")`,
		"its text, folded":          bubble(2, ".bubble-plain") + `.textContent.includes("en texte")`,
		"a name":                    `document.querySelector(".phone-name").textContent.startsWith("Awa<script>")`,
		"nothing ran":               `document.title !== "run"`,
		"only a mailbox has no pen": `[...document.querySelectorAll(".compose")].map((c) => c.checkVisibility()).join() === "true,true,false"`,
	} {
		t.Log(what)
		tab.WaitFor(expression)
	}
	tab.Axe("phones with messages, light")
	tab.Do(chromedp.Navigate(p.url + "/dev/phones?theme=dark"))
	tab.WaitFor(`document.querySelectorAll(".bubble").length === 8 && document.documentElement.dataset.theme === "dark"`)
	tab.Axe("phones with messages, dark")

	tab.Click(".stop")
	p.waitWritten(t, `/dev/phones/22376000001/messages {"channel":"whatsapp","to":"22370000001","text":"STOP"}`)
	tab.Click("#list li:nth-child(4) button") // a fourth phone replaces the first
	tab.WaitFor(`document.querySelectorAll(".phone").length === 3 && document.querySelector("#board .phone:last-child .phone-name").textContent === "Livraisons"`)
	tab.WaitFor(`document.querySelector("#board .phone:last-child .phone-address").textContent.includes("Moussa")`)
}

func TestPhones_OneAtATimeOnATelephone(t *testing.T) {
	t.Parallel()
	p := newSomePhones(t)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(chromedp.EmulateViewport(360, 740), chromedp.Navigate(p.url+"/dev/phones?lang=en"))
	shown := func(name string) string {
		return fmt.Sprintf(`(() => { const list = [...document.querySelectorAll(".phone")].filter((p) => p.checkVisibility()); return list.length === 1 && list[0].querySelector(".phone-name").textContent.startsWith(%q); })()`, name)
	}
	tab.WaitFor(`document.querySelectorAll(".bubble").length === 8 && ` + shown("Awa"))
	tab.Fits("phones at 360 pixels")
	tab.WaitFor(`document.querySelectorAll("#list [aria-pressed=true]").length === 1`)
	tab.Click("#list li:nth-child(2) button")
	tab.WaitFor(shown("Moussa"))
	tab.Fits("another phone at 360 pixels")
	p.waitWritten(t, "/dev/phones/22376000002/messages/s1/read")
	if p.wrote("/dev/phones/awa@example.com/messages/e1/read") {
		t.Errorf("the page wrote %q: a mail that is not shown was read", p.written)
	}
}

func TestPhones_WhoDoesNotReadSendsNoReceipt(t *testing.T) {
	t.Parallel()
	p := newSomePhones(t)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(p.url+"/dev/phones?lang=en"))
	tab.WaitFor(`document.querySelectorAll(".bubble").length === 8`)
	tab.Click(".phone [data-toggle=unread]")
	tab.WaitFor(`document.querySelector(".phone [data-toggle=unread]").getAttribute("aria-pressed") === "true"`)
	p.deliver("22376000001", message("m7", "whatsapp", "un de plus", nil))
	p.deliver("22376000002", message("s2", "sms", "un de plus", nil))
	p.waitWritten(t, "/dev/phones/22376000002/messages/s2/read")
	tab.WaitFor(`document.querySelectorAll(".bubble").length === 10`)
	if p.wrote("/dev/phones/22376000001/messages/m7/read") {
		t.Error("a message was read on a phone whose owner does not read")
	}
	tab.Click(".phone [data-toggle=unread]")
	p.waitWritten(t, "/dev/phones/22376000001/messages/m7/read")
}
