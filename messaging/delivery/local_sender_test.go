package delivery_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/httpsms"
	"example.com/griot/gateway/smpp"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/gateway/smsgate"
	"example.com/griot/gateway/twilio"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
)

const (
	localSender = "70112233" // in Mali, +22370112233; +7 70112233 is somebody else
	gatewayURL  = "https://api.example.com/gateways/sms"
	token       = "0123456789abcdef0123456789abcdef"
)

// door is a driver, and its provider's way to bring it an SMS.
type door struct {
	settings func(t *testing.T) map[string]any
	open     func(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error)
	request  func(s gateway.Sender, id, from, text string) *http.Request
}

func doors() map[string]door {
	form := func(path string, v url.Values) *http.Request {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(v.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return r
	}
	auth := map[string]any{"auth": map[string]any{"kind": "token", "token": token, "query": "token"}}
	return map[string]door{
		"kannel": {
			func(*testing.T) map[string]any {
				value := map[string]any{"value": "u"}
				return map[string]any{"preset": "kannel", "url": "http://127.0.0.1:1", "values": map[string]any{"username": value, "password": value}, "inbound": auth}
			}, httpsms.Open, func(_ gateway.Sender, id, from, text string) *http.Request {
				return httptest.NewRequest(http.MethodGet, "/inbound?"+url.Values{"token": {token}, "id": {id}, "from": {from}, "to": {ofSMS}, "text": {text}}.Encode(), nil)
			},
		},
		"twilio": {
			func(*testing.T) map[string]any {
				return map[string]any{"account_sid": "AC0123456789abcdef0123456789abcdef", "auth_token": token, "webhook_url": gatewayURL}
			}, twilio.Open, func(_ gateway.Sender, id, from, text string) *http.Request {
				mac := hmac.New(sha1.New, []byte(token))
				mac.Write([]byte(gatewayURL + "/inbound" + "Body" + text + "From" + from + "MessageSid" + id + "To+" + ofSMS))
				r := form("/inbound", url.Values{"MessageSid": {id}, "From": {from}, "To": {"+" + ofSMS}, "Body": {text}})
				r.Header.Set("X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
				return r
			},
		},
		"smsgate": {
			func(*testing.T) map[string]any {
				return map[string]any{"url": "http://127.0.0.1:1", "username": "u", "password": "p", "signing_key": token, "sims": []any{map[string]any{"number": ofSMS}}}
			}, smsgate.Open, func(_ gateway.Sender, id, from, text string) *http.Request {
				body, _ := json.Marshal(map[string]any{"event": "sms:received", "payload": map[string]any{"messageId": id, "message": text, "phoneNumber": from, "simNumber": 1}})
				now := strconv.FormatInt(time.Now().Unix(), 10)
				mac := hmac.New(sha256.New, []byte(token))
				mac.Write([]byte(string(body) + now))
				r := httptest.NewRequest(http.MethodPost, "/events", strings.NewReader(string(body)))
				r.Header.Set("X-Timestamp", now)
				r.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
				return r
			},
		},
	}
}

// checkLocalSender checks what a STOP from a national number did. bring brings an SMS.
func checkLocalSender(t *testing.T, open func(t *testing.T, w *messagingtest.World, country string) (bring func(id, from, text string))) {
	t.Helper()
	for _, country := range []string{"", "223"} {
		dbtest.Each(t, func(t *testing.T, d *db.DB) {
			w := messagingtest.New(t, d, "free")
			w.SetWebhook(t, "https://example.com/hook")
			w.Run(t, w.Delivery)
			bring := open(t, w, country)
			bring("1", localSender, "STOP")
			bring("2", "36111", "STOP")
			bring("3", "Orange", "STOP")
			if n := w.Int(t, `SELECT count(*) FROM inbox_messages WHERE account_id = $1 AND content = 'STOP'`, w.Account.ID); n != 3 {
				t.Fatalf("%d messages are stored, want 3", n)
			}
			wantOptOuts, from := 0, localSender
			if country != "" {
				wantOptOuts, from = 1, "+223"+localSender
			}
			for _, table := range []string{"opt_outs", "opt_out_keywords"} {
				if n := w.Int(t, `SELECT count(*) FROM `+table+` WHERE account_id = $1`, w.Account.ID); n != wantOptOuts {
					t.Errorf("country %q: %d rows in %s, want %d", country, n, table, wantOptOuts)
				}
			}
			for _, text := range []string{`"from":"` + from + `"`, `"from":"36111"`, `"from":"Orange"`} {
				if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE account_id = $1 AND body LIKE $2`, w.Account.ID, "%"+text+"%"); n != 1 {
					t.Errorf("country %q: %d events have %s", country, n, text)
				}
			}
			if n := w.Int(t, `SELECT count(*) FROM opt_outs WHERE account_id = $1 AND person <> $2`, w.Account.ID, "223"+localSender); n != 0 {
				t.Errorf("country %q: %d strangers are opted out", country, n)
			}
			bring("4", "+7"+localSender, "STOP") // the stranger, in person
			if n := w.Int(t, `SELECT count(*) FROM opt_outs WHERE account_id = $1`, w.Account.ID); n != wantOptOuts+1 {
				t.Errorf("country %q: %d opt-outs with the stranger's, want %d", country, n, wantOptOuts+1)
			}
		})
	}
}

// A STOP of a national number opts out nobody, unless the setting completes it. Names and short codes never do.
// Rules: M174, M195.
func TestLocalSender_OptsOutNobody(t *testing.T) {
	for name, tt := range doors() {
		t.Run(name, func(t *testing.T) {
			checkLocalSender(t, func(t *testing.T, w *messagingtest.World, country string) func(id, from, text string) {
				settings := tt.settings(t)
				settings["country_code"] = country
				raw, err := json.Marshal(settings)
				if err != nil {
					t.Fatal(err)
				}
				now := w.Clock.Now
				if name == "smsgate" {
					now = clock.System
				}
				s, err := tt.open(raw, gateway.Deps{Sink: worldSink{w}, Now: now, Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return func(id, from, text string) {
					t.Helper()
					answer := httptest.NewRecorder()
					s.(gateway.WebhookReceiver).WebhookHandler().ServeHTTP(answer, tt.request(s, id, from, text))
					if answer.Code/100 != 2 {
						t.Fatalf("%s from %s: %d", id, from, answer.Code)
					}
				}
			})
		})
	}
}

// The same over SMPP, where the type of the address tells that the number is national.
// Rules: M195.
func TestLocalSender_OptsOutNobodyOverSMPP(t *testing.T) {
	checkLocalSender(t, func(t *testing.T, w *messagingtest.World, country string) func(id, from, text string) {
		center := smpptest.Start(t, smpptest.Options{})
		raw, err := json.Marshal(map[string]any{
			"host": "127.0.0.1", "port": center.Port(), "tls": "none", "system_id": smpptest.SystemID, "password": smpptest.Password, "country_code": country,
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := smpp.Open(raw, gateway.Deps{Sink: worldSink{w}, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.(gateway.Runner).Run(ctx) }()
		t.Cleanup(func() {
			_ = s.Close()
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
		return func(_, from, text string) {
			m := smpptest.Text(strings.TrimPrefix(from, "+"), ofSMS, text)
			m.Source.TON = map[bool]byte{true: 1, false: 2}[strings.HasPrefix(from, "+")]
			switch from {
			case "36111":
				m.Source.TON = 3
			case "Orange":
				m.Source.TON = 5
			}
			<-center.Deliver(m)
		}
	})
}
