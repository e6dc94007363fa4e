package twilio

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

const (
	account   = "AC0123456789abcdef0123456789abcdef"
	token     = "balafonToken"
	public    = "https://api.example.com/gateways/sms"
	ourNumber = "22376000001"
	aissata   = "22370000011"
	moussa    = "22370000012"
)

// fake is a fake Twilio API. It accepts forms of exactly the documented shape.
type fake struct {
	*peertest.Peer
	t           testing.TB
	noCallbacks bool // no status callbacks

	mu    sync.Mutex
	forms []url.Values
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t}
	f.Peer = peertest.New(t, f.answer)
	return f
}

func apiError(status, code int, words string) peertest.Reply {
	body, err := json.Marshal(map[string]any{"code": code, "message": words, "more_info": "https://www.twilio.com/docs/errors/" + fmt.Sprint(code), "status": status})
	if err != nil {
		panic(err)
	}
	return peertest.Reply{Status: status, Body: string(body)}
}

func (f *fake) answer(mode string, r *http.Request, body []byte) peertest.Reply {
	words, _ := url.QueryUnescape(string(body)) // like the real API, it repeats the request
	modes := map[string][2]int{"refuse": {400, 21617}, "refuse for now": {429, 20429}, "refuse recipient": {400, 21614}, "refuse login": {401, 20003}}
	if e, ok := modes[mode]; ok {
		return apiError(e[0], e[1], words)
	}
	var n int
	if _, err := fmt.Sscanf(mode, "code %d", &n); err == nil {
		return apiError(400, n, words)
	}
	if _, err := fmt.Sscanf(mode, "status %d", &n); err == nil {
		return peertest.Reply{Status: n, Body: "<html>" + words, Header: map[string]string{"Retry-After": "9"}}
	}
	if r.Header.Get("Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(account+":"+token)) {
		return apiError(401, 20003, "Authenticate "+r.Header.Get("Authorization"))
	}
	form, err := url.ParseQuery(string(body))
	problem := ""
	for name, values := range form {
		if !slices.Contains([]string{"To", "From", "Body", "StatusCallback", "ValidityPeriod", "MessagingServiceSid"}, name) || len(values) != 1 || values[0] == "" {
			problem = name
		}
	}
	if err != nil || problem != "" || r.Method != http.MethodPost || r.URL.Path != "/2010-04-01/Accounts/"+account+"/Messages.json" || r.URL.RawQuery != "" ||
		r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || !strings.HasPrefix(form.Get("To"), "+") {
		f.t.Errorf("%s %s %s: %q", r.Method, r.URL, problem, body)
		return apiError(400, 20001, "bad request")
	}
	return f.accept(mode, form)
}

func (f *fake) accept(mode string, form url.Values) peertest.Reply {
	f.mu.Lock()
	f.forms = append(f.forms, form)
	sid := fmt.Sprintf("SM%032x", len(f.forms))
	f.mu.Unlock()
	ref := ""
	if at, err := url.Parse(form.Get("StatusCallback")); err == nil {
		ref = strings.TrimPrefix(at.Path, "/gateways/sms/status/")
	}
	reply := peertest.Reply{
		Status: 201, Taken: &gatewaytest.Received{Ref: ref, ProviderID: sid, To: strings.TrimPrefix(form.Get("To"), "+"), Text: form.Get("Body")},
		Body: `{"sid":"` + sid + `","status":"queued","error_code":null,"error_message":null,"num_segments":"1"}`,
	}
	switch mode {
	case "garbled":
		reply.Body = `{"sid":`
	case "failed at once":
		reply.Body = `{"sid":"` + sid + `","status":"failed","error_code":30007}`
	}
	if !f.noCallbacks && form.Get("StatusCallback") != "" {
		reply.Callback = func() *http.Request {
			return signedCall(form.Get("StatusCallback"), url.Values{
				"MessageSid": {sid}, "MessageStatus": {"delivered"}, "To": form["To"], "From": form["From"], "AccountSid": {account}, "ApiVersion": {"2010-04-01"},
			})
		}
	}
	return reply
}

func (f *fake) lastForm() url.Values {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.forms[len(f.forms)-1]
}

func (f *fake) settings(change map[string]any) json.RawMessage {
	all := map[string]any{"account_sid": account, "auth_token": token, "webhook_url": public + "/", "base_url": f.URL, "ca_file": f.CAFile}
	return gatewaytest.Settings(f.t, all, change)
}

func (f *fake) open(change map[string]any) (*sender, *gatewaytest.Environment) {
	f.t.Helper()
	env := gatewaytest.NewEnvironment()
	s := gatewaytest.Open[*sender](f.t, Open, env, f.settings(change))
	f.SetDriver(s.WebhookHandler())
	return s, env
}

// signedCall returns a webhook call, signed over its public address; the driver gets it without the gateway's path.
func signedCall(address string, form url.Values) *http.Request {
	r := httptest.NewRequest(http.MethodPost, strings.TrimPrefix(address, public), strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Twilio-Signature", signSHA1(token, address, form))
	return r
}

// signSHA1 returns a signature with an auth token.
func signSHA1(token, address string, form url.Values) string {
	return sign(sha1.New, token, address, form)
}

func message() *gateway.Outbound {
	return &gateway.Outbound{Ref: "msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ", Channel: gateway.SMS, From: ourNumber, To: aissata, Text: "Bonjour baobab"}
}

func wantFailure(t *testing.T, err error, want string) {
	t.Helper()
	gatewaytest.WantFailure(t, err, want, "baobab", aissata, token)
}

func TestConformance(t *testing.T) {
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		f := newFake(t)
		env := gatewaytest.NewEnvironment()
		s, err := Open(f.settings(nil), env.Deps())
		if err != nil {
			t.Fatal(err)
		}
		f.SetDriver(s.(gateway.WebhookReceiver).WebhookHandler())
		provider := f.Provider()
		count := 0
		provider.SendInbound = func(in gateway.Inbound) {
			count++
			form := url.Values{"MessageSid": {fmt.Sprintf("SM%d", count)}, "From": {"+" + in.From}, "To": {"+" + in.To}, "Body": {in.Text}, "NumMedia": {"0"}}
			f.CallDriver(func() *http.Request { return signedCall(public+"/inbound", form) })
		}
		return gatewaytest.Subject{
			Environment: env, Sender: s, Channel: gateway.SMS, From: ourNumber, To: []string{aissata, moussa}, Secrets: []string{token, account}, Provider: provider,
		}
	})
}

func TestDocs(t *testing.T) {
	t.Parallel()
	peertest.CheckDocs[settings](t, "../../docs/gateways/twilio.md", 40)
}
