package clients_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/seal"
	"example.com/griot/test/system/systemtest"
)

// A partyIssuer is a `griot serve` whose login service is behind a proxy with TLS, as for relying parties in
// production. Programs and browsers know the proxy's certificate authority only from a file.
type partyIssuer struct {
	url      string // https
	files    certtest.Files
	operator *systemtest.Operator
	tenant   string
	api      string
	messages atomic.Int64
}

const (
	partyGateway  = "mine" // delivers the messages of phones
	partyReceiver = "22370000099"
)

// startPartyIssuer starts the issuer. settings are additional environment variables.
func startPartyIssuer(t *testing.T, settings ...string) *partyIssuer {
	t.Helper()
	issuer := &partyIssuer{files: certtest.Write(t, t.TempDir(), time.Now().AddDate(0, 1, 0))}
	var service atomic.Pointer[url.URL] // starts after the proxy, whose address is the issuer
	proxy := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(service.Load())
		r.Out.Host = r.In.Host
		r.SetXForwarded()
	}})
	proxy.Config.ErrorLog = log.New(io.Discard, "", 0) // Chromium ends each connection once before it ignores the certificate
	pair, err := tls.LoadX509KeyPair(issuer.files.Cert, issuer.files.Key)
	if err != nil {
		t.Fatal(err)
	}
	proxy.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	proxy.StartTLS()
	t.Cleanup(proxy.Close)
	issuer.url = proxy.URL

	phones := systemtest.NewRemoteGateway(t, true)
	config := fmt.Sprintf("  receivers: [{phone_id: p1, number: %q, gateway: %s, secret: %s}]\ntrusted_proxies: [127.0.0.1]\ngateways:", partyReceiver, partyGateway, systemtest.RemoteSecret)
	s := systemtest.StartNode(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), config+phones.Settings(partyGateway, "whatsapp"), seal.NewMasterKey(), append(settings, "GRIOT_AUTH_URL="+issuer.url)...)
	t.Cleanup(func() {
		if strings.Contains(s.Out.String(), "X-Forwarded-For is ignored") {
			t.Error("the service doesn't trust the proxy")
		}
		if t.Failed() {
			t.Logf("the service has logged:\n%s", s.Out)
		}
	})
	listens, err := url.Parse(s.Auth)
	if err != nil {
		t.Fatal(err)
	}
	service.Store(listens)
	issuer.api = s.Api
	issuer.operator = &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	issuer.tenant = systemtest.RunJSON[authverbs.Tenant](issuer.operator, "tenants", "create", "--name", "Boutique").ID
	return issuer
}

// client creates a client.
func (i *partyIssuer) client(kind, mode, redirect string) authverbs.Client {
	return systemtest.RunJSON[authverbs.Client](i.operator, "clients", "create", "--tenant", i.tenant, "--type", kind, "--mode", mode, "--redirect", redirect)
}

// variables returns the variables with the proxy's certificate authority for programs.
func (i *partyIssuer) variables() []string {
	return []string{
		"SSL_CERT_FILE=" + i.files.Cert,       // Go and OpenSSL
		"NODE_EXTRA_CA_CERTS=" + i.files.Cert, // Node.js
		"REQUESTS_CA_BUNDLE=" + i.files.Cert,  // Python's requests
	}
}

// person returns a browser without cookies that trusts the proxy.
func (i *partyIssuer) person(t *testing.T) *systemtest.Person {
	t.Helper()
	return systemtest.NewPerson(t).Trust(i.files.Pool)
}

// A partyLogin signs a person in at an authorization URL, and returns the address of the redirect to the program.
type partyLogin func(who *systemtest.Person, authorize string) *url.URL

// sandbox returns a login with a TEST client.
func (i *partyIssuer) sandbox(number string) partyLogin {
	return func(who *systemtest.Person, authorize string) *url.URL { return who.SignInSandboxAs(number, authorize) }
}

// phone returns a login with a LIVE client: the words come from a phone, whose owner is named Awa.
func (i *partyIssuer) phone(t *testing.T, number string) partyLogin {
	return func(who *systemtest.Person, authorize string) *url.URL {
		return who.SendWordsBy(authorize, func(receiver, words string) { i.send(t, number, receiver, words) })
	}
}

// send delivers a message from a phone to the service.
func (i *partyIssuer) send(t *testing.T, from, to, text string) {
	t.Helper()
	event, err := json.Marshal(map[string]any{"type": "inbound", "inbound": map[string]string{
		"id": fmt.Sprintf("message-%d", i.messages.Add(1)), "channel": "whatsapp", "from": from, "to": to, "text": text, "displayName": "Awa",
		"at": clock.System().UTC().Format(time.RFC3339),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if status := systemtest.PostEvent(t, i.api, partyGateway, string(event)); status != 200 {
		t.Fatalf("a message from a phone is answered with %d, want 200", status)
	}
}
