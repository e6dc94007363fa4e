package httpmail

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

const brevoToken = "kora-token-0123456789"

type brevoRequest struct {
	Sender struct {
		Email string `json:"email"`
		Name  string `json:"name"`
	} `json:"sender"`
	To []struct {
		Email string `json:"email"`
	} `json:"to"`
	Subject string            `json:"subject"`
	Text    string            `json:"textContent"`
	HTML    string            `json:"htmlContent"`
	Headers map[string]string `json:"headers"`
}

// By developers.brevo.com: reference/sendtransacemail, docs/heterogenous-versions-batch-emails (idempotency), docs/transactional-webhooks, docs/secured-webhooks, docs/retry-mechanism.
func brevo() provider {
	return provider{
		preset:  "brevo",
		secrets: []string{"xkeysib-balafon", brevoToken},
		settings: map[string]any{
			"values":   map[string]any{"api_key": map[string]any{"value": "xkeysib-balafon"}},
			"receipts": map[string]any{"auth": map[string]any{"token": brevoToken}},
		},
		login: func(r *http.Request) bool { return r.Header.Get("api-key") == "xkeysib-balafon" },
		read: func(r *http.Request, body []byte) (gatewaytest.Received, error) {
			var m brevoRequest
			err := decodeStrict(body, &m)
			if err != nil || r.URL.String() != "/v3/smtp/email" || r.Header.Get("Content-Type") != "application/json" || m.Sender.Email == "" || len(m.To) != 1 || m.Subject == "" || m.Text+m.HTML == "" ||
				!regexp.MustCompile(`\A[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\z`).MatchString(m.Headers["idempotencyKey"]) {
				return gatewaytest.Received{}, cmp.Or(err, errors.New("not of that shape"))
			}
			return gatewaytest.Received{Ref: m.Headers["X-Mailin-custom"], To: m.To[0].Email, Text: m.Text, Subject: m.Subject, HTML: m.HTML}, nil
		},
		key: func(body []byte) string {
			var m brevoRequest
			_ = json.Unmarshal(body, &m)
			return m.Headers["idempotencyKey"]
		},
		accepted: func(id string) peertest.Reply {
			return peertest.Reply{Status: 201, Body: `{"messageId":"` + id + `"}`}
		},
		refused: func(mode, words string) peertest.Reply {
			status, code, message := 400, "invalid_parameter", "subject is not valid: "+words
			switch mode {
			case "refuse for now":
				status, code = 429, "too_many_requests"
			case "refuse recipient":
				message = words + " email is not valid in to"
			case "refuse login":
				status, code = 401, "unauthorized"
			case "duplicate":
				code = "duplicate_parameter"
			}
			return peertest.Reply{Status: status, Body: `{"code":"` + code + `","message":` + quoted(message) + `}`}
		},
		event: func(kind, ref, id string, at time.Time) string {
			return brevoEvent(kind, ref, id, at)
		},
		call: func(body string, _ time.Time) *http.Request {
			return post(body, "Authorization", "Bearer "+brevoToken)
		},
	}
}

func brevoEvent(kind, ref, id string, at time.Time) string {
	return `{"event":"` + kind + `","email":"aissata@example.org","id":9999999,"date":"2026-11-20 11:10:23","ts":1520331023,"message-id":"` + id + `","ts_event":1520331023,"ts_epoch":` + strconv.FormatInt(at.UnixMilli(), 10) +
		`,"subject":"S","X-Mailin-custom":"` + ref + `","reason":" RecipientError: 550 aissata@example.org","tags":["a"]}`
}

func TestBrevo(t *testing.T) {
	conformance(t, brevo())
}

func TestBrevo_Request(t *testing.T) {
	t.Parallel()
	wantRequest(t, brevo(), `{"headers":{"X-Mailin-custom":"`+ref+`","idempotencyKey":"`+uuidOf(ref)+`"},"htmlContent":"`+`\u003cp\u003eBonjour \"baobab\" {{to}}\u003c/p\u003e`+`","sender":{"email":"bonjour@example.com","name":`+quoted(nameOfFrom)+
		`},"subject":"`+safeSubject+`","textContent":"Bonjour baobab","to":[{"email":"aissata@example.org"}]}`,
		`"List-Unsubscribe":"\u003chttps://example.com/u/`+ref+`\u003e","List-Unsubscribe-Post":"List-Unsubscribe=One-Click"`)
}

func TestBrevo_Answers(t *testing.T) {
	t.Parallel()
	wantAnswers(t, brevo(), map[string]string{
		`201 {"messageId":"<201798300811.5787683@relay.domain.com>"}`: "ack <201798300811.5787683@relay.domain.com>",
		`202 {"messageId":"a"}`: "ack a",
		`201 {}`:                "unknown answer_unexplained 201",
		`400 {"code":"duplicate_parameter","message":"Request with the same idempotencyKey"}`: "ack",
		`400 {"code":"invalid_parameter","message":"email is not valid in to"}`:               "unreachable recipient_refused invalid_parameter",
		`400 {"code":"missing_parameter","message":"sender is missing"}`:                      "sender_down sender_refused missing_parameter",
		`400 {"code":"missing_parameter","message":"subject is missing"}`:                     "permanent message_refused missing_parameter",
		`401 {"code":"unauthorized","message":"Key not found"}`:                               "sender_down credentials_refused unauthorized",
		`402 {"code":"not_enough_credits","message":"x"}`:                                     "sender_down balance_empty not_enough_credits",
		`403 {"code":"permission_denied","message":"x"}`:                                      "sender_down account_refused permission_denied",
		`429 {"code":"too_many_requests","message":"x"}`:                                      "rate_limited rate_limited too_many_requests",
		`500 {"code":"internal_error"}`:                                                       "unknown answer_unexplained internal_error",
		`503 <html>`:                                                                          "temporary provider_unavailable 503",
	})
}

func TestBrevo_Events(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 19, 9, 0, 0, 0, time.UTC)
	event := func(kind string) string { return brevoEvent(kind, ref, "<m@relay>", at) }
	wantEvents(t, brevo(), map[string]string{
		event("request"):       ref + " sent",
		event("delivered"):     ref + " delivered",
		event("hard_bounce"):   ref + " failed unreachable bounced",
		event("invalid_email"): ref + " failed unreachable bounced",
		event("soft_bounce"):   ref + " failed temporary bounced_for_now",
		event("deferred"):      "",
		event("blocked"):       ref + " failed unreachable suppressed",
		event("spam"):          ref + " failed unreachable complained",
		event("complaint"):     ref + " failed unreachable complained",
		event("unsubscribed"):  ref + " failed unreachable unsubscribed",
		event("error"):         ref + " failed permanent delivery_failed",
		event("opened"):        "",
		event("unique_opened"): "",
		event("click"):         "",
		"[" + event("opened") + "," + event("delivered") + "]": ref + " delivered", // batched
		brevoEvent("delivered", `{\"other\":1}`, "m", at):      "delivered",
	})
}

func TestBrevo_Signatures(t *testing.T) {
	t.Parallel()
	p := brevo()
	body := p.event("delivered", ref, "id", time.Now())
	wantRefused(t, p, map[string]*http.Request{
		"none":          post(body),
		"another token": post(body, "Authorization", "Bearer kora-token-9876543210"),
		"bare":          post(body, "Authorization", brevoToken),
		"longer":        post(body, "Authorization", "Bearer "+brevoToken+"x"),
		"basic":         withLogin(post(body), "Bearer", brevoToken),
	})
}
