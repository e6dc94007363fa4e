package systemtest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// Person is a browser and a phone, with which tests of client libraries sign someone in.
type Person struct {
	t    *testing.T
	http *http.Client // follows no redirect
}

// NewPerson returns a browser without cookies.
func NewPerson(t *testing.T) *Person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Person{t: t, http: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Trust makes the browser accept certificates of some authorities only, and returns it. The browser makes a connection
// for each request: Apache's mod_auth_openidc sends some error pages twice, and the second one would be read as the
// response to the next request.
func (p *Person) Trust(authorities *x509.CertPool) *Person {
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}}
	p.t.Cleanup(transport.CloseIdleConnections)
	p.http.Transport = transport
	return p
}

// Get opens a URL and returns the response's status, body, and Location.
func (p *Person) Get(address string) (status int, body string, leads *url.URL) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	status, body, header := p.Do(req)
	if to := header.Get("Location"); to != "" {
		if leads, err = req.URL.Parse(to); err != nil {
			p.t.Fatal(err)
		}
	}
	return status, body, leads
}

// Post sends JSON from an origin, and returns the body of the 201 response.
func (p *Person) Post(address, origin, body string) string {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", origin)
	status, answer, _ := p.Do(req)
	if status != http.StatusCreated {
		p.t.Fatalf("POST %s: %d %s", address, status, answer)
	}
	return answer
}

// Do makes a request and returns the status, the body, and the header.
func (p *Person) Do(req *http.Request) (int, string, http.Header) {
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

// StartLogin starts a login and returns its id and the address of the service.
func (p *Person) StartLogin(authorize string) (login, service string) {
	p.t.Helper()
	status, body, waiting := p.Get(authorize)
	if status != http.StatusSeeOther || waiting == nil {
		p.t.Fatalf("/authorize: %d %s", status, body)
	}
	return waiting.Query().Get("loginKeyId"), waiting.Scheme + "://" + waiting.Host
}

// SignInSandbox follows an authorization URL of a TEST client to the end as "Sandbox 1", and
// returns the address to which the browser is redirected.
func (p *Person) SignInSandbox(authorize string) *url.URL {
	p.t.Helper()
	return p.SignInSandboxAs("22300000001", authorize)
}

// SignInSandboxAs signs in like SignInSandbox, with another of the sandbox's numbers.
func (p *Person) SignInSandboxAs(number, authorize string) *url.URL {
	p.t.Helper()
	login, service := p.StartLogin(authorize)
	p.Post(service+"/authorize/sandbox", service, fmt.Sprintf(`{"loginKeyId":%q,"phoneE164":%q}`, login, number))
	return p.ReturnAddress(service, login)
}

// SendWords signs in like SignInSandbox, but for a LIVE client: Awa's virtual phone sends the words.
func (p *Person) SendWords(phones, authorize string) *url.URL {
	p.t.Helper()
	return p.SendWordsFrom("22376000001", phones, authorize)
}

// SendWordsFrom signs in like SendWords, from another virtual phone, whose owner is also named Awa.
func (p *Person) SendWordsFrom(number, phones, authorize string) *url.URL {
	p.t.Helper()
	return p.SendWordsBy(authorize, func(receiver, words string) {
		message, err := json.Marshal(map[string]string{"channel": "whatsapp", "to": receiver, "text": words, "displayName": "Awa"})
		if err != nil {
			p.t.Fatal(err)
		}
		p.Post(phones+"/dev/phones/"+number+"/messages", phones, string(message))
	})
}

// SendWordsBy follows an authorization URL of a LIVE client to the end. send must send the words to the receiving
// number.
func (p *Person) SendWordsBy(authorize string, send func(receiver, words string)) *url.URL {
	p.t.Helper()
	login, service := p.StartLogin(authorize)
	var opened struct{ Deeplink string }
	p.Decode(p.Post(service+"/authorize/activate", service, fmt.Sprintf(`{"loginKeyId":%q}`, login)), &opened)
	link, err := url.Parse(opened.Deeplink)
	if err != nil || link.Host != "wa.me" {
		p.t.Fatalf("deeplink %q: %v", opened.Deeplink, err)
	}
	send(strings.Trim(link.Path, "/"), link.Query().Get("text"))
	return p.ReturnAddress(service, login)
}

// ReturnAddress returns the address to which a verified login redirects.
func (p *Person) ReturnAddress(service, login string) *url.URL {
	p.t.Helper()
	status, body, _ := p.Get(service + "/authorize/status?loginKeyId=" + login)
	var s struct{ Status, RedirectURL string }
	p.Decode(body, &s)
	back, err := url.Parse(s.RedirectURL)
	if err != nil || s.Status != "VERIFIED" {
		p.t.Fatalf("/authorize/status: %d %s, %v", status, body, err)
	}
	return back
}

// Decode decodes JSON, and fails the test if it is invalid.
func (p *Person) Decode(body string, v any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(body), v); err != nil {
		p.t.Fatalf("%s: %v", body, err)
	}
}

// Clone returns another browser with the same cookies for loopback addresses.
func (p *Person) Clone() *Person {
	p.t.Helper()
	clone := NewPerson(p.t)
	clone.http.Transport = p.http.Transport
	loopback := &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}
	clone.http.Jar.SetCookies(loopback, p.http.Jar.Cookies(loopback))
	return clone
}
