package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/providertest"
)

func TestSend_AllFields(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, map[string]any{"channels": []string{"whatsapp", "email", "sms"}})
	out := &gateway.Outbound{
		Ref: "msg_1", Channel: gateway.WhatsApp, From: ourNumber, To: aissata, GroupID: "1@g.us", Text: "t", HTML: "h", Subject: "s", Code: "123456", Locale: "fr",
		Sensitive: true, ExpiresAt: f.clock.Now().Add(time.Minute), DisplayName: "d", Media: &gateway.Media{URL: "https://example.org/a", Data: []byte("bytes"), MIMEType: "image/png", FileName: "a.png"},
	}
	if _, err := s.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	got, err := json.Marshal(f.delivered[0])
	if err != nil {
		t.Fatal(err)
	}
	at, err := json.Marshal(out.ExpiresAt)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"reference":"msg_1","channel":"whatsapp","from":"22376543210","to":"22370000001","groupId":"1@g.us","text":"t","html":"h","subject":"s","displayName":"d",` +
		`"media":{"data":"Ynl0ZXM=","mimeType":"image/png","fileName":"a.png"},"code":"123456","locale":"fr","sensitive":true,"expiresAt":` + string(at) + `}`
	if string(got) != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}

func TestSend_RepliesWhereTheGatewayCan(t *testing.T) {
	t.Parallel()
	ours := gateway.Quote{Quoted: gateway.Quoted{Ref: "msg_1", ProviderID: "far-msg_1"}, Text: "Bonjour"}
	theirs := gateway.Quote{Quoted: gateway.Quoted{ProviderID: "wamid.1"}, Text: "Ça va ?"}
	for name, tt := range map[string]struct {
		info string
		of   gateway.Quote
		want string
	}{
		"one of ours":              {`"replies":true`, ours, `{"reference":"msg_1","text":"Bonjour"}`},
		"one of the person's":      {`"replies":true`, theirs, `{"id":"wamid.1","text":"Ça va ?"}`},
		"none":                     {`"replies":true`, gateway.Quote{}, `null`},
		"by a gateway that cannot": {`"groups":true`, ours, `null`},
	} {
		s, f, _ := opened(t, nil)
		f.info = `{"protocol":1,` + tt.info + `}`
		out := message()
		out.ReplyTo = tt.of
		_, err := s.Send(t.Context(), out)
		if got, marshalErr := json.Marshal(f.delivered[0].ReplyTo); err != nil || marshalErr != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, tt.want)
		}
		if want := strings.Contains(tt.info, "replies"); s.Info().Replies != want {
			t.Errorf("%s: Replies is %v, want %v", name, !want, want)
		}
	}
}

func TestSend_Transliterates(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, map[string]any{"transliterate": true, "channels": []string{"sms", "email"}})
	out := message()
	out.Text = "ça — l’été"
	if _, err := s.Send(t.Context(), out); err != nil || f.delivered[0].Text != "ca - l'été" || !s.Info().Transliterates {
		t.Errorf("%v, %+v", err, s.Info())
	}
	mail := message()
	mail.Ref, mail.Channel, mail.Text = "msg_2", gateway.Email, "ça — l’été"
	if _, err := s.Send(t.Context(), mail); err != nil || f.delivered[1].Text != mail.Text {
		t.Errorf("%v: an email became %q", err, f.delivered[1].Text)
	}
	if plain, _, _ := opened(t, nil); plain.Info().Transliterates {
		t.Error("transliterated without the setting")
	}
}

func TestSend_MediaByLink(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{`"media":"link"`: "https://example.org/a", `"groups":false`: ""} {
		s, f, _ := opened(t, nil)
		f.info = `{"protocol":1,` + info + `}`
		out := message()
		out.Media = &gateway.Media{URL: "https://example.org/a", Data: []byte("x"), MIMEType: "image/png"}
		_, err := s.Send(t.Context(), out)
		if want == "" {
			gatewaytest.WantFailure(t, err, "permanent media_unsupported")
			continue
		}
		if err != nil || f.delivered[0].Media.URL != want || f.delivered[0].Media.Data != nil || !s.Info().Media {
			t.Errorf("%v, %+v", err, f.delivered)
		}
	}
}

// A message that wasn't written whole can't have been received.
func TestSend_PartlyWrittenIsTemporary(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, nil)
	if failure := s.ensureInfo(t.Context()); failure != nil {
		t.Fatal(failure)
	}
	stalled := f.ListenWithoutReading()
	out := message()
	out.Media = &gateway.Media{Data: bytes.Repeat([]byte("x"), 16<<20), MIMEType: "image/png"}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-stalled
		cancel()
	}()
	_, err := s.Send(ctx, out)
	gatewaytest.WantFailure(t, err, "temporary "+httpcall.CodeTimeout)
}

func TestSend_SlowGatewayIsUnknown(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, map[string]any{"send_timeout": 1})
	hang := f.HangAfter()
	defer hang.Release()
	err := gatewaytest.SendWithin(t, s, message())
	gatewaytest.WantFailure(t, err, "unknown "+httpcall.CodeAnswerLost)
}

func TestSend_Garbage(t *testing.T) {
	t.Parallel()
	s, f, env := opened(t, nil)
	f.Script(providertest.Garbage)()
	_, err := s.Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "unknown "+httpcall.CodeAnswerLost)
	if len(f.received()) != 1 || strings.Contains(err.Error()+env.Logged(), "baobab") {
		t.Errorf("%d messages received; %v", len(f.received()), err)
	}
}

func TestClose_EndsSendsInFlight(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, nil)
	err := gatewaytest.CloseDuringSend(t, s, f.HangAfter(), message())
	gatewaytest.WantFailure(t, err, "unknown "+httpcall.CodeAnswerLost)
}

// The tables of docs/gateway-protocol.md §5 and §6.
func TestSend_Answers(t *testing.T) {
	t.Parallel()
	failure := func(members string) string { return `{"error":{` + members + `}}` }
	for _, tt := range []struct {
		status int
		body   string
		want   string
	}{
		{200, `{"reference":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ"}`, ""},
		{200, `{"reference":"msg_other"}`, "unknown answer_invalid 200"},
		{200, `{"ok":true}`, "unknown answer_invalid 200"},
		{200, `<html>welcome</html>`, "unknown answer_invalid 200"},
		{200, ``, "unknown answer_invalid 200"},
		{201, `{"reference":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ"}`, "unknown answer_invalid 201"},
		{204, ``, "unknown answer_invalid 204"},
		{422, failure(`"class":"permanent","code":"no_template"`), "permanent no_template 422"},
		{422, failure(`"class":"permanent","code":"No Template","providerCode":"131047"`), "permanent gateway_error 131047"},
		{422, failure(`"class":"permanent","code":"to_22370000001","providerCode":"Ça va ?"`), "permanent gateway_error 422"},
		{422, failure(`"class":"weird","code":"x"`), "sender_down gateway_misconfigured 422"},
		{500, failure(`"class":"temporary","code":"busy"`), "temporary busy 500"},
		{500, failure(`"class":"unknown","code":"lost"`), "unknown lost 500"},
		{500, failure(`"class":"sender_down","code":"banned"`), "sender_down banned 500"},
		{404, failure(`"class":"unreachable","code":"no_account"`), "unreachable no_account 404"},
		{401, ``, "sender_down credentials_refused 401"},
		{403, `<html>`, "sender_down credentials_refused 403"},
		{404, `not found`, "sender_down gateway_misconfigured 404"},
		{302, ``, "sender_down gateway_misconfigured 302"},
		{413, ``, "permanent message_too_large 413"},
		{429, ``, "rate_limited rate_limited 429"},
		{502, `<html>bad gateway</html>`, "unknown answer_invalid 502"},
		{503, ``, "unknown answer_invalid 503"},
		{408, ``, "unknown answer_invalid 408"},
		{421, ``, "temporary provider_unavailable 421"},
		{504, `{"error":`, "unknown answer_invalid 504"},
	} {
		env := gatewaytest.NewEnvironment()
		f := &fakeGateway{t: t, clock: env.Clock, info: plainInfo}
		f.Server = providertest.New(t, func(*http.Request) bool { return true }, func(r *http.Request, body []byte, mode string) providertest.Answer {
			if r.URL.Path == "/info" {
				return providertest.Answer{Status: 200, Body: plainInfo}
			}
			return providertest.Answer{Status: tt.status, Body: tt.body, Header: map[string]string{"Retry-After": "7", "Location": "/send"}}
		})
		s := f.open(env, nil)
		_, err := s.Send(t.Context(), message())
		if tt.want == "" {
			if err != nil {
				t.Errorf("%d %s: %v", tt.status, tt.body, err)
			}
			continue
		}
		gatewaytest.WantFailure(t, err, tt.want)
		if e := gateway.AsError(err); e.Class == gateway.RateLimited && e.RetryAfter != 7*time.Second {
			t.Errorf("RetryAfter %v", e.RetryAfter)
		}
	}
}

func TestQuery_NeverSeen(t *testing.T) {
	t.Parallel()
	for body, wantErr := range map[string]bool{
		`{"error":{"class":"permanent","code":"never_seen"}}`: false,
		`{"error":{"class":"permanent","code":"forgotten"}}`:  true,
		`404 page not found`: true,
		``:                   true,
	} {
		env := gatewaytest.NewEnvironment()
		f := &fakeGateway{t: t, clock: env.Clock}
		f.Server = providertest.New(t, func(*http.Request) bool { return false }, func(*http.Request, []byte, string) providertest.Answer {
			return providertest.Answer{Status: 404, Body: body}
		})
		seen, _, err := f.open(env, nil).Query(t.Context(), "msg_1")
		if seen || (err != nil) != wantErr {
			t.Errorf("%q: %v, %v", body, seen, err)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, nil)
	groups, err := s.Groups(t.Context(), "+223 1")
	if err != nil || len(groups) != 1 || groups[0] != (gateway.Group{ID: "1@g.us", Name: "Parents", Participants: 3, IsAdmin: true}) {
		t.Errorf("%v, %v", groups, err)
	}
	if f.requestCount("GET /groups?from=%2B223+1") != 1 {
		t.Errorf("asked %q", f.requests)
	}
	none, f, _ := opened(t, nil)
	f.info = `{"protocol":1}`
	if groups, err := none.Groups(t.Context(), ourNumber); err != nil || len(groups) != 0 {
		t.Errorf("%v, %v", groups, err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"reference":"msg_1"}`))
	f.Add(422, []byte(`{"error":{"class":"permanent","code":"a","retryAfter":-1}}`))
	f.Add(500, []byte(`{"error":[]}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		ack, failure := readAck(&httpcall.Answer{Status: status, Header: http.Header{}, Body: body, Whole: true}, "msg_1")
		if failure == nil {
			if status != 200 || !strings.Contains(strings.ToLower(string(body)), "reference") {
				t.Errorf("%d %q is an ack: %+v", status, body, ack)
			}
			return
		}
		if !slices.Contains(gateway.Classes(), failure.Class) || !codePattern.MatchString(failure.Code) || failure.RetryAfter < 0 {
			t.Errorf("%d %q gives %v", status, body, failure)
		}
	})
}
