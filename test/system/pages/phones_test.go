package pages_test

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

func TestPhones_InABrowser(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	var mu sync.Mutex
	changes := map[string]string{}
	fixed := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				body, _ := io.ReadAll(r.Body)
				mu.Lock()
				defer mu.Unlock()
				changes[r.Method+" "+r.URL.Path] = r.Header.Get("Content-Type") + " " + string(body)
			}
			_, _ = io.WriteString(w, answer)
		}
	}
	changed := func(what string) string {
		mu.Lock()
		defer mu.Unlock()
		return changes[what]
	}
	messages, err := json.Marshal(map[string]any{"grouped": map[string]string{"22370000002": "+223 70 00 00 02"}, "messages": []map[string]any{
		{"id": "m1", "direction": "in", "channel": "sms", "from": "22370000002", "to": "22376000001", "text": `<img src=x onerror="document.title='run'">`, "mediaUrl": "javascript:alert(1)", "at": "2026-09-21T12:00:00.000Z", "status": "delivered"},
		{"id": "m2", "direction": "in", "channel": "whatsapp", "from": "22370000001", "to": "22376000001", "text": "Le reçu", "mediaUrl": "https://files.example.com/r.pdf", "mimeType": "application/pdf", "fileName": "<b>reçu.pdf", "at": "2026-09-21T12:00:01.000Z", "status": "read"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /dev/phones", func(w http.ResponseWriter, r *http.Request) {
		_ = pages.Serve(w, r, http.StatusOK, web.PagePhones, nil)
	})
	mux.HandleFunc("GET /dev/phones-list", fixed(`{"phones":[{"address":"22376000001","name":"Awa","kind":"phone","unread":1,"lastAt":null,"online":true,"blocked":false}],
		"contacts":[{"channel":"whatsapp","address":"22370000001","name":"Griot login"}],
		"grouped":{"22376000001":"+223 76 00 00 01","22370000001":"+223 70 00 00 01"}}`))
	mux.HandleFunc("GET /dev/phones/22376000001/messages", fixed(string(messages)))
	mux.HandleFunc("POST /dev/phones/22376000001/messages", fixed(`{}`))
	mux.HandleFunc("POST /dev/phones/22376000001/messages/m1/read", fixed(`{}`))
	mux.HandleFunc("PUT /dev/phones/22376000001", fixed(`{}`))
	mux.HandleFunc("GET /dev/faults", fixed(`{"faults":[{"channel":"sms","outcome":"lost_ack","count":3}]}`))
	mux.HandleFunc("PUT /dev/faults/sms", fixed(`{}`))
	mux.HandleFunc("/dev/phones-options", fixed(`{"deduplicate":true}`))
	site := webtest.NewSite(t, mux)

	tab := browsertest.Open(t, browsertest.NewBrowser(t), site.URL+"/dev/phones?lang=en&to=22370000001&text=ambre%20rivi%C3%A8re%0A%0A1%2B1")
	tab.WaitFor(browsertest.Says(".bubble-text", `<img src=x`) + ` && document.title !== "run" && !` + browsertest.Seen(".bubble-media"))
	tab.WaitFor(`(() => { const m = document.querySelectorAll(".bubble-media")[1]; return m.checkVisibility() && m.querySelector("a").href === "https://files.example.com/r.pdf" &&
		m.textContent.includes("<b>reçu.pdf") && m.textContent.includes("application/pdf"); })()`)
	tab.WaitFor(`[".phone-address", ".item-address"].every((part) => document.querySelector(part).textContent === "+223 76 00 00 01")`)
	tab.WaitFor(browsertest.Says(".bubble-peer", "+223 70 00 00 02"))
	tab.WaitFor(browsertest.Says("#faults", "Lost acknowledgment × 3"))
	tab.WaitFor(`document.querySelector("[name=to]").value === "+22370000001" && location.search === ""`)
	tab.Click(".send")
	tab.WaitFor(`document.querySelector("[name=text]").value === ""`)
	tab.Click("[data-toggle=online]")
	tab.Click("#deduplicate")
	tab.Do(chromedp.SetValue(chromedp.CSS("#faults form:nth-child(2) [name=count]"), "5"))
	tab.Click("#faults form:nth-child(2) button")
	tab.WaitFor(`document.querySelectorAll(".phone").length === 1 && document.documentElement.scrollWidth <= innerWidth`)
	for what, want := range map[string]string{
		"POST /dev/phones/22376000001/messages":         `application/json {"channel":"whatsapp","to":"22370000001","text":"ambre rivière\n\n1+1"}`,
		"POST /dev/phones/22376000001/messages/m1/read": `application/json {}`,
		"PUT /dev/phones/22376000001":                   `application/json {"online":false}`,
		"PUT /dev/phones-options":                       `application/json {"deduplicate":false}`,
		"PUT /dev/faults/sms":                           `application/json {"outcome":"lost_ack","count":5}`,
	} {
		for give := time.Now().Add(10 * time.Second); changed(what) == "" && time.Now().Before(give); {
			time.Sleep(5 * time.Millisecond) // a click returns before the page's request has arrived
		}
		if got := changed(what); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
}
