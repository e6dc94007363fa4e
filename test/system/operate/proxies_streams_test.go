package operate_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"example.com/griot/test/system/systemtest"
)

// streamed opens a stream through the proxy, and returns a function that waits for its next event with data. A proxy
// that buffers responses delivers none, because keep-alives are 15 seconds apart.
func streamed[Data any](p *proxied, url string, header http.Header) (next func() Data) {
	p.t.Helper()
	const atOnce = 10 * time.Second
	ctx, cancel := context.WithCancel(p.t.Context())
	p.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	systemtest.Must(p.t, err)
	req.Header = header
	res, err := p.c.Do(req)
	systemtest.Must(p.t, err)
	p.t.Cleanup(func() { _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	return func() (data Data) {
		p.t.Helper()
		late := time.AfterFunc(atOnce, cancel)
		defer late.Stop()
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(text), &data); err != nil {
					p.t.Fatalf("%s: %v", text, err)
				}
				return data
			}
		}
		p.t.Fatalf("no event of %s within %v: %d, %v", url, atOnce, res.StatusCode, lines.Err())
		return data
	}
}

// pairs links a number and follows the pairing like its page.
func (p *proxied) pairs() {
	p.t.Helper()
	browser := http.Header{"Origin": {p.api}, "Content-Type": {"application/json"}}
	if p.session == "" { // the code is sent by email
		asked, body := answer(p.t, p.c, "POST", p.api+"/api/session", []byte(`{"email":"awa@boutique.example"}`), browser.Clone())
		if asked.StatusCode != http.StatusOK && asked.StatusCode != http.StatusAccepted {
			p.t.Fatalf("/api/session: %d %s", asked.StatusCode, body)
		}
		verify := browser.Clone()
		for _, c := range asked.Cookies() {
			verify.Add("Cookie", c.Name+"="+c.Value)
		}
		in, body := answer(p.t, p.c, "POST", p.api+"/api/session/verify", fmt.Appendf(nil, `{"email":"awa@boutique.example","code":%q}`, regexp.MustCompile(`\b\d{6}\b`).FindString(p.mail.Text(p.t, 1))), verify)
		for _, c := range in.Cookies() {
			p.session += c.Name + "=" + c.Value + "; "
		}
		if in.StatusCode != http.StatusOK || p.session == "" {
			p.t.Fatalf("/api/session/verify: %d %s", in.StatusCode, body)
		}
	}
	browser.Set("Cookie", p.session)
	if res, body := answer(p.t, p.c, "POST", p.api+"/api/senders/"+p.sender+"/pair", []byte(`{"method":"qr"}`), browser.Clone()); res.StatusCode != http.StatusOK {
		p.t.Fatalf("/api/senders/…/pair: %d %s", res.StatusCode, body)
	}
	next := streamed[struct{ State, QR string }](p, p.api+"/api/senders/"+p.sender+"/pair/events", http.Header{"Cookie": {p.session}})
	if got := next(); got.State != "waiting" || got.QR != "2@first" {
		p.t.Errorf("the pairing begins with %+v", got)
	}
	p.linking.Pairs.Set(`{"state":"waiting","qr":"2@second"}`)
	if got := next(); got.QR != "2@second" {
		p.t.Errorf("the next code is %+v", got)
	}
	p.linking.Pairs.Set(`{"state":"paired"}`)
	if got := next(); got.State != "paired" {
		p.t.Errorf("the pairing ends with %+v", got)
	}
}

// listens follows the account's events like griot listen.
func (p *proxied) listens() {
	p.t.Helper()
	key := http.Header{"Authorization": {"Bearer " + p.key}}
	next := streamed[struct{ Secret, Type string }](p, p.api+"/api/webhooks/stream", key)
	if hello := next(); hello.Secret == "" {
		p.t.Errorf("the stream begins with %+v", hello)
	}
	if res, body := answer(p.t, p.c, "POST", p.api+"/api/webhooks/ping", nil, key.Clone()); res.StatusCode >= http.StatusMultipleChoices {
		p.t.Fatalf("/api/webhooks/ping: %d %s", res.StatusCode, body)
	}
	for e := next(); e.Type != "webhook.ping"; e = next() { // those of earlier messages come first
		if e.Type == "" {
			p.t.Fatalf("an event without a type: %+v", e)
		}
	}
}
