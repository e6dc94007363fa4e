package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// person is a browser and a phone, by which client libraries sign somebody in.
type person struct {
	t    *testing.T
	http *http.Client // follows no redirect
}

func newPerson(t *testing.T) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, http: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// get opens an address and returns the answer's status, body and Location.
func (p *person) get(address string) (status int, body string, leads *url.URL) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	status, body, header := p.do(req)
	if to := header.Get("Location"); to != "" {
		if leads, err = req.URL.Parse(to); err != nil {
			p.t.Fatal(err)
		}
	}
	return status, body, leads
}

func (p *person) post(address, origin, body string) string {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", origin)
	status, answer, _ := p.do(req)
	if status != http.StatusCreated {
		p.t.Fatalf("POST %s: %d %s", address, status, answer)
	}
	return answer
}

func (p *person) do(req *http.Request) (int, string, http.Header) {
	p.t.Helper()
	res, err := p.http.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(b), res.Header
}

// startLogin starts a login and returns its id and where the service is.
func (p *person) startLogin(authorize string) (login, service string) {
	p.t.Helper()
	status, body, waiting := p.get(authorize)
	if status != http.StatusSeeOther || waiting == nil {
		p.t.Fatalf("/authorize: %d %s", status, body)
	}
	return waiting.Query().Get("loginKeyId"), waiting.Scheme + "://" + waiting.Host
}

// signInSandbox follows an authorization address of a TEST client to the end, and
// returns the address that the browser is sent back to.
func (p *person) signInSandbox(authorize string) *url.URL {
	p.t.Helper()
	login, service := p.startLogin(authorize)
	p.post(service+"/authorize/sandbox", service, fmt.Sprintf(`{"loginKeyId":%q,"phoneE164":"22300000001"}`, login))
	return p.returnAddress(service, login)
}

// sendWords does the same for a LIVE client: the words come from Awa's virtual phone.
func (p *person) sendWords(phones, authorize string) *url.URL {
	p.t.Helper()
	login, service := p.startLogin(authorize)
	var opened struct{ Deeplink string }
	p.decode(p.post(service+"/authorize/activate", service, fmt.Sprintf(`{"loginKeyId":%q}`, login)), &opened)
	link, err := url.Parse(opened.Deeplink)
	if err != nil || link.Host != "wa.me" {
		p.t.Fatalf("deeplink %q: %v", opened.Deeplink, err)
	}
	message, err := json.Marshal(map[string]string{"channel": "whatsapp", "to": strings.Trim(link.Path, "/"), "text": link.Query().Get("text"), "displayName": "Awa"})
	if err != nil {
		p.t.Fatal(err)
	}
	p.post(phones+"/dev/phones/22376000001/messages", phones, string(message))
	return p.returnAddress(service, login)
}

func (p *person) returnAddress(service, login string) *url.URL {
	p.t.Helper()
	status, body, _ := p.get(service + "/authorize/status?loginKeyId=" + login)
	var s struct{ Status, RedirectURL string }
	p.decode(body, &s)
	back, err := url.Parse(s.RedirectURL)
	if err != nil || s.Status != "VERIFIED" {
		p.t.Fatalf("/authorize/status: %d %s, %v", status, body, err)
	}
	return back
}

func (p *person) decode(body string, v any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(body), v); err != nil {
		p.t.Fatalf("%s: %v", body, err)
	}
}

// clone returns another browser with the same cookies for loopback addresses.
func (p *person) clone() *person {
	p.t.Helper()
	clone := newPerson(p.t)
	loopback := &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}
	clone.http.Jar.SetCookies(loopback, p.http.Jar.Cookies(loopback))
	return clone
}
