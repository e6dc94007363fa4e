package webhook_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/webhook"
)

const (
	secret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	another = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	ping    = `{"event":"webhook.ping","eventId":"evt_1","timestamp":"2026-03-01T12:00:00.480Z"}`
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func verifier(t testing.TB, secrets ...string) *webhook.Verifier {
	t.Helper()
	v, err := webhook.New(webhook.Options{Now: func() time.Time { return noon }}, secrets...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func signed(t testing.TB, at time.Time, body string, secrets ...string) http.Header {
	t.Helper()
	h := http.Header{}
	for _, s := range secrets {
		if err := webhook.Sign(h, s, "evt_1", at, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func TestVerify(t *testing.T) {
	with := func(name, value string) http.Header {
		h := signed(t, noon, ping, secret)
		h.Set(name, value)
		return h
	}
	second := signed(t, noon, ping, another)
	second.Add("Webhook-Signature", signed(t, noon, ping, secret).Get("Webhook-Signature"))
	for name, tc := range map[string]struct {
		h       http.Header
		body    string
		secrets []string
		want    error
	}{
		"good":                         {signed(t, noon, ping, secret), ping, []string{secret}, nil},
		"by the old and the new":       {signed(t, noon, ping, another, secret), ping, []string{secret}, nil},
		"in two headers":               {second, ping, []string{secret}, nil},
		"by the new, which is known":   {signed(t, noon, ping, another), ping, []string{secret, another}, nil},
		"five minutes ago":             {signed(t, noon.Add(-5*time.Minute), ping, secret), ping, []string{secret}, nil},
		"in five minutes":              {signed(t, noon.Add(5*time.Minute), ping, secret), ping, []string{secret}, nil},
		"too old":                      {signed(t, noon.Add(-5*time.Minute-time.Second), ping, secret), ping, []string{secret}, webhook.ErrSkew},
		"too new":                      {signed(t, noon.Add(5*time.Minute+time.Second), ping, secret), ping, []string{secret}, webhook.ErrSkew},
		"by another":                   {signed(t, noon, ping, another), ping, []string{secret}, webhook.ErrSignature},
		"another body":                 {signed(t, noon, ping, secret), ping + " ", []string{secret}, webhook.ErrSignature},
		"another id":                   {with("Webhook-Id", "evt_2"), ping, []string{secret}, webhook.ErrSignature},
		"another time":                 {with("Webhook-Timestamp", fmt.Sprint(noon.Unix()+1)), ping, []string{secret}, webhook.ErrSignature},
		"a version that is not known":  {with("Webhook-Signature", strings.Replace(signed(t, noon, ping, secret).Get("Webhook-Signature"), "v1,", "v2,", 1)), ping, []string{secret}, webhook.ErrSignature},
		"no signature":                 {with("Webhook-Signature", " "), ping, []string{secret}, webhook.ErrHeader},
		"no id":                        {with("Webhook-Id", ""), ping, []string{secret}, webhook.ErrHeader},
		"no time":                      {with("Webhook-Timestamp", ""), ping, []string{secret}, webhook.ErrHeader},
		"a time with a sign":           {with("Webhook-Timestamp", "+5"), ping, []string{secret}, webhook.ErrTimestamp},
		"a time without end":           {with("Webhook-Timestamp", "99999999999999999999"), ping, []string{secret}, webhook.ErrTimestamp},
		"a time that is longer than 2": {with("Webhook-Timestamp", "1099511627775"), ping, []string{secret}, webhook.ErrSkew},
	} {
		if err := verifier(t, tc.secrets...).Verify(tc.h, []byte(tc.body)); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", name, err, tc.want)
		}
	}
}

func TestNew_RefusesWhatIsNoSecret(t *testing.T) {
	for _, s := range []string{"", "whsec_", "whsec_%%%", "whsec_a"} {
		if v, err := webhook.New(webhook.Options{}, s); !errors.Is(err, webhook.ErrSecret) {
			t.Errorf("%q: got %v, %v, want %v", s, v, err, webhook.ErrSecret)
		}
		if err := webhook.Sign(http.Header{}, s, "evt_1", noon, nil); !errors.Is(err, webhook.ErrSecret) {
			t.Errorf("%q: got %v, want %v", s, err, webhook.ErrSecret)
		}
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	v := verifier(t, "", secret)
	for _, text := range []string{fmt.Sprintf("%v", v), fmt.Sprintf("%+v", v), fmt.Sprintf("%#v", v)} {
		if strings.Contains(text, "whsec") || strings.Contains(text, fmt.Sprint(key[0], key[1])) {
			t.Errorf("a verifier prints %s", text)
		}
	}
}

// Events have the types and constants of the client, regardless of the case in the event's body.
func TestParse_UsesTheClientsConstants(t *testing.T) {
	for _, body := range []string{
		`{"event":"message.status","eventId":"evt_1","channel":"sms","status":"expired","previousStatus":"sending"}`,
		`{"event":"message.status","eventId":"evt_1","channel":"sms","status":"EXPIRED","previousStatus":"SENDING"}`,
	} {
		e, err := webhook.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		s := e.Data.(*webhook.MessageStatus)
		if s.Status != griot.Expired || s.PreviousStatus != griot.Sending || s.Channel != griot.SMS || !s.Status.HasFailed() {
			t.Errorf("%s: got %q after %q on %q", body, s.Status, s.PreviousStatus, s.Channel)
		}
	}
	e, err := webhook.Parse([]byte(`{"event":"sender.status","eventId":"evt_2","channel":"whatsapp","state":"banned","previousState":"connected"}`))
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Data.(*webhook.SenderStatus); s.State != griot.Banned || s.PreviousState != griot.Connected || s.Channel != griot.WhatsApp {
		t.Errorf("got the sender %+v", s)
	}
	e, err = webhook.Parse([]byte(`{"event":"message.received","eventId":"evt_3","channel":"whatsapp"}`))
	if err != nil {
		t.Fatal(err)
	}
	if m := e.Data.(*webhook.MessageReceived); m.Channel != griot.WhatsApp {
		t.Errorf("got the message %+v", m)
	}
}

func TestHandler(t *testing.T) {
	var got []*webhook.Event
	fails := false
	h := verifier(t, secret).Handler(func(_ context.Context, e *webhook.Event) error {
		if got = append(got, e); fails {
			return errors.New("the disk is full")
		}
		return nil
	})
	post := func(method, body string, header http.Header) int {
		r := httptest.NewRequest(method, "/hook", strings.NewReader(body))
		r.Header = header
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	large := strings.Repeat(" ", 1<<20+1)
	for _, tc := range []struct {
		name, method, body string
		want               int
	}{
		{"an event", "POST", ping, 204},
		{"a body that is no event", "POST", "[]", 400},
		{"a body that is too large", "POST", large, 413},
		{"another method", "GET", ping, 405},
	} {
		if status := post(tc.method, tc.body, signed(t, noon, tc.body, secret)); status != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, status, tc.want)
		}
	}
	if status := post("POST", ping, http.Header{}); status != 401 {
		t.Errorf("without a signature: got %d, want 401", status)
	}
	if fails = true; post("POST", ping, signed(t, noon, ping, secret)) != 500 {
		t.Error("a failure of the application is not 500")
	}
	if len(got) != 2 || got[0].ID != "evt_1" || got[0].Type != webhook.TypePing || !bytes.Equal(got[0].Raw, []byte(ping)) {
		t.Errorf("got the events %+v, want two pings", got)
	}
}

func FuzzVerifier(f *testing.F) {
	good := signed(f, noon, ping, secret)
	f.Add(good.Get("Webhook-Id"), good.Get("Webhook-Timestamp"), good.Get("Webhook-Signature"), []byte(ping))
	f.Add("evt_1", "1", "v1,", []byte(`{"event":"login.revoked","eventId":"evt_1","timestamp":7}`))
	f.Add("", "-1", " ", []byte("null"))
	f.Fuzz(func(t *testing.T, id, stamp, signatures string, body []byte) {
		h := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signatures}}
		e, err := verifier(t, secret).Event(h, body)
		var code webhook.CodeError
		if (e == nil) == (err == nil) || err != nil && !errors.As(err, &code) {
			t.Fatalf("got %+v, %v, want an event or a code", e, err)
		}
		if err == nil && (id != "evt_1" || string(body) != ping) {
			t.Fatalf("%q, %q is taken for signed", id, body)
		}
		if e, err := webhook.Parse(body); err == nil && (e.ID == "" || e.Type == "") {
			t.Fatalf("got %+v, want an id and a type", e)
		}
	})
}
