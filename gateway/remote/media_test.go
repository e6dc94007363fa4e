package remote

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/internal/safedial"
)

func TestEvents_Attachments(t *testing.T) {
	t.Parallel()
	const head = `{"type":"inbound","inbound":{"id":"a","channel":"whatsapp","from":"22370000001","to":"22376543210","kind":"image","at":"2026-11-20T12:00:00Z",`
	for name, tt := range map[string]struct {
		body string
		want gateway.Inbound
		said bool // the log says that the event doesn't follow the protocol
	}{
		"bytes":            {`"media":{"data":"` + base64.StdEncoding.EncodeToString([]byte("abc")) + `","mimeType":"image/png","fileName":"a.png"}`, gateway.Inbound{MediaData: "abc", MIMEType: "image/png", FileName: "a.png"}, false},
		"a path":           {`"media":{"url":"/media/1"}`, gateway.Inbound{MediaURL: "/media/1"}, false},
		"the older form":   {`"mediaUrl":"https://files.example.com/1","mimeType":"image/png"`, gateway.Inbound{MediaURL: "https://files.example.com/1", MIMEType: "image/png"}, false},
		"too large":        {`"media":{"missing":"too_large"}`, gateway.Inbound{MediaLost: gateway.MediaTooLarge}, false},
		"two at once":      {`"media":{"url":"/media/1","missing":"too_large"}`, gateway.Inbound{MediaURL: "/media/1"}, true},
		"in both forms":    {`"media":{"data":"YQ=="},"mediaUrl":"https://files.example.com/1"`, gateway.Inbound{MediaData: "a"}, true},
		"an unknown cause": {`"media":{"missing":"lost"}`, gateway.Inbound{MediaLost: gateway.MediaUnavailable}, true},
		"only its type":    {`"media":{"mimeType":"image/png","url":["/media/1"]}`, gateway.Inbound{MediaLost: gateway.MediaUnavailable, MIMEType: "image/png"}, true},
		"too long a path":  {`"media":{"url":"/` + strings.Repeat("x", maxURL) + `"}`, gateway.Inbound{MediaLost: gateway.MediaUnavailable}, true},
		"empty":            {`"media":{"url":"","data":"","mimeType":null}`, gateway.Inbound{}, false},
		"no base64":        {`"media":{"data":"%%%"}`, gateway.Inbound{MediaLost: gateway.MediaUnavailable}, true},
	} {
		s, _, env := opened(t, map[string]any{"channels": []string{"whatsapp"}})
		got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(head+tt.body+"}}"), env.Clock.Now()))
		if got != http.StatusOK || strings.Contains(env.Logged(), "fields=media") != tt.said {
			t.Errorf("%s: %d, logged %q", name, got, env.Logged())
		}
		for _, m := range env.Sink.Messages() {
			if m.MediaData != tt.want.MediaData || m.MediaURL != tt.want.MediaURL || m.MediaLost != tt.want.MediaLost || m.MIMEType != tt.want.MIMEType || m.FileName != tt.want.FileName {
				t.Errorf("%s: %+v, want %+v", name, m, tt.want)
			}
		}
	}
}

func TestOpenMedia_PathsAreAskedOfTheGateway(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case Check([]Key{testKey()}, r.Header, r.Method, strings.TrimPrefix(r.URL.RequestURI(), "/griot"), nil, env.Clock.Now()) != nil:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.RequestURI() == "/griot/media/1?k=v":
			_, _ = io.WriteString(w, "bytes")
		case r.URL.Path == "/griot/media/later":
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/griot/media/moved":
			http.Redirect(w, r, "/griot/media/1?k=v", http.StatusFound)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	s := gatewaytest.Open[*sender](t, Open, env, gatewaytest.Settings(t, map[string]any{
		"url": server.URL + "/griot", "channels": []string{"whatsapp"}, "keys": []any{map[string]any{"id": "k1", "secret": testSecret}},
	}, nil))
	public := safedial.Client(safedial.Options{})
	body, err := s.OpenMedia(t.Context(), "/media/1?k=v", public)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(body); string(got) != "bytes" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	for address, want := range map[string]gateway.Class{
		"/media/2": gateway.Permanent, "/media/later": gateway.Temporary, "/media/moved": gateway.Temporary, "/media/\nx": gateway.Permanent,
		server.URL + "/griot/media/1?k=v": gateway.Permanent, "https://127.0.0.1:1/a": gateway.Permanent, "//127.0.0.1/a": gateway.Permanent, "file:///etc/passwd": gateway.Permanent, "": gateway.Permanent,
	} {
		_, err := s.OpenMedia(t.Context(), address, public)
		failure, ok := errors.AsType[*gateway.Error](err)
		if !ok || failure.Class != want {
			t.Errorf("%q: %v, want %s", address, err, want)
		}
	}
}
