package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	griot "example.com/griot/client"
)

// one answers every request.
type one func(*http.Request) (*http.Response, error)

func (o one) RoundTrip(r *http.Request) (*http.Response, error) { return o(r) }

func TestMessage_OnTheWire(t *testing.T) {
	no := false
	var got string
	c, err := griot.New("https://api.example.com/base/", "key", griot.Options{Tries: 1, HTTP: &http.Client{Transport: one(func(r *http.Request) (*http.Response, error) {
		b, err := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.String() + " " + r.Header.Get("Authorization") + " " + r.Header.Get("User-Agent") + " " + string(b)
		return nil, errors.Join(err, io.ErrUnexpectedEOF)
	})}})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.Send(t.Context(), &griot.Message{To: "1", Channel: griot.Auto, IdempotencyKey: "k"})
	if want := `POST https://api.example.com/base/api/send Bearer key griot-go {"to":"1","channel":"auto","idempotencyKey":"k"}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	_, _ = c.Send(t.Context(), &griot.Message{
		To: "1", Channel: griot.Auto, Text: "t", MediaURL: "https://files.example.com/a", Caption: "c", GroupID: "1@g.us", SenderID: "snd_1", Sensitive: true, Email: "a@example.com",
		FallbackAfter: 8, Retry: &griot.Retry{MaxAttempts: 5, Delay: 1500 * time.Millisecond}, SandboxWebhooks: &no, DryRun: true, IdempotencyKey: "k",
		WhatsApp: &griot.Forms{Template: &griot.Template{Name: "a", Language: "fr", Body: []string{"b"}}},
	})
	want := `{"to":"1","channel":"auto","message":"t","mediaUrl":"https://files.example.com/a","caption":"c","whatsapp":{"template":{"name":"a","language":"fr","body":["b"]}},"groupId":"1@g.us","senderId":"snd_1","sensitive":true,` +
		`"email":"a@example.com","fallbackAfter":8,"retry":{"maxAttempts":5,"delayMs":1500},"sandboxWebhooks":false,"dryRun":true,"idempotencyKey":"k"}`
	if _, body, _ := strings.Cut(got, "griot-go "); body != want {
		t.Errorf("%s\nwant %s", body, want)
	}
	_, _ = c.Send(t.Context(), &griot.Message{Retry: &griot.Retry{}, IdempotencyKey: "k"})
	if want := `"retry":true,`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	_, _ = c.Status(t.Context(), "../../etc?x#y")
	if want := "GET https://api.example.com/base/api/status/..%2F..%2Fetc%3Fx%23y "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add(200, "5", `{"success":true,"messageId":"msg_1","status":"SENT"}`)
	f.Add(429, "5", errorBody("rate_limited"))
	f.Add(503, "-1", `{"code":7}`)
	f.Add(200, "", `[]`)
	f.Fuzz(func(t *testing.T, status int, after, body string) {
		if status < 200 || status > 599 {
			return
		}
		tries := 0
		c, err := griot.New("http://127.0.0.1", "key", griot.Options{
			Sleep: func(context.Context, time.Duration) error { return nil },
			HTTP: &http.Client{Transport: one(func(*http.Request) (*http.Response, error) {
				tries++
				return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(strings.NewReader(body))}, nil
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Send(t.Context(), sms())
		if (res == nil) == (err == nil) || tries > 4 || err == nil && status/100 != 2 {
			t.Fatalf("%+v, %v after %d tries", res, err, tries)
		}
		if e, ok := errors.AsType[*griot.Error](err); ok && (e.Code == "" || e.HTTPStatus != status || e.RetryAfter < 0) {
			t.Fatalf("got %+v, want a code, the answer's status, and no negative wait", e)
		}
	})
}
