package httpmail

import (
	"cmp"
	"errors"
	"net/http"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

// By postmarkapp.com/developer: api/email-api, api/overview#error-codes, webhooks.
func postmark() provider {
	type pair struct{ Name, Value string }
	return provider{
		preset:  "postmark",
		secrets: []string{"balafon-server-token", "kora-password"},
		settings: map[string]any{
			"values":   map[string]any{"server_token": map[string]any{"value": "balafon-server-token"}},
			"receipts": map[string]any{"auth": map[string]any{"username": "postmark", "password": "kora-password"}},
		},
		login: func(r *http.Request) bool { return r.Header.Get("X-Postmark-Server-Token") == "balafon-server-token" },
		read: func(r *http.Request, body []byte) (gatewaytest.Received, error) {
			var m struct {
				From, To, Subject, TextBody, HtmlBody, MessageStream, TrackLinks string
				Metadata                                                         map[string]string
				Headers                                                          []pair
				TrackOpens                                                       *bool
			}
			err := decodeStrict(body, &m)
			if r.URL.String() != "/email" || r.Header.Get("Accept") != "application/json" || r.Header.Get("Content-Type") != "application/json" || m.MessageStream != "outbound" ||
				m.TrackLinks != "None" || m.TrackOpens == nil || *m.TrackOpens || len(m.Metadata) != 1 || m.TextBody+m.HtmlBody == "" {
				err = cmp.Or(err, errors.New("not of that shape"))
			}
			for _, h := range m.Headers {
				if h.Name == "" || h.Value == "" {
					err = errors.New("an empty header")
				}
			}
			return gatewaytest.Received{Ref: m.Metadata["griot_message"], To: m.To, Text: m.TextBody, Subject: m.Subject, HTML: m.HtmlBody}, err
		},
		accepted: func(id string) peertest.Reply {
			return peertest.Reply{Status: 200, Body: `{"To":"x","SubmittedAt":"2026-11-20T12:00:00.0000000-05:00","MessageID":"` + id + `","ErrorCode":0,"Message":"OK"}`}
		},
		refused: func(mode, words string) peertest.Reply {
			status, code := 422, "300"
			switch mode {
			case "refuse for now":
				status, code = 429, "429"
			case "refuse recipient":
				code = "406"
			case "refuse login":
				status, code = 401, "10"
			}
			return peertest.Reply{Status: status, Body: `{"ErrorCode":` + code + `,"Message":` + quoted(words) + `}`}
		},
		event: func(kind, ref, id string, at time.Time) string {
			return postmarkEvent("Delivery", `"DeliveredAt":"`+at.Format(time.RFC3339Nano)+`"`)(ref, id)
		},
		call: func(body string, _ time.Time) *http.Request {
			r := post(body)
			r.SetBasicAuth("postmark", "kora-password")
			return r
		},
	}
}

func postmarkEvent(record, more string) func(ref, id string) string {
	return func(ref, id string) string {
		return `{"RecordType":"` + record + `","MessageStream":"outbound","ServerID":23,"MessageID":"` + id + `","Recipient":"aissata@example.org","Email":"aissata@example.org",
 "Tag":"","Metadata":{"griot_message":"` + ref + `"},"Details":"smtp;550 5.1.1 aissata@example.org",` + more + `}`
	}
}

func TestPostmark(t *testing.T) {
	conformance(t, postmark())
}

func TestPostmark_Request(t *testing.T) {
	t.Parallel()
	wantRequest(t, postmark(), `{"From":`+quoted(fullFrom)+`,"Headers":[],"HtmlBody":"`+`\u003cp\u003eBonjour \"baobab\" {{to}}\u003c/p\u003e`+`","MessageStream":"outbound","Metadata":{"griot_message":"`+ref+`"},"Subject":"`+safeSubject+
		`","TextBody":"Bonjour baobab","To":"aissata@example.org","TrackLinks":"None","TrackOpens":false}`,
		`"Headers":[{"Name":"List-Unsubscribe","Value":"\u003chttps://example.com/u/`+ref+`\u003e"},{"Name":"List-Unsubscribe-Post","Value":"List-Unsubscribe=One-Click"}]`)
}

func TestPostmark_Answers(t *testing.T) {
	t.Parallel()
	wantAnswers(t, postmark(), map[string]string{
		`200 {"MessageID":"0a129aee","ErrorCode":0,"Message":"OK"}`:                               "ack 0a129aee",
		`200 {"MessageID":"0a129aee","Message":"Message accepted, but delivery may be delayed."}`: "ack 0a129aee",
		`200 {"ErrorCode":0}`: "unknown answer_unexplained 0",
		`401 {"ErrorCode":10,"Message":"No Account or Server API tokens were supplied"}`:                       "sender_down credentials_refused 10",
		`422 {"ErrorCode":300,"Message":"Invalid 'To' address: 'aissata@example.org'."}`:                       "unreachable recipient_refused 300",
		`422 {"ErrorCode":300,"Message":"Error parsing 'To': Illegal email domain 'x' in address 'y'."}`:       "unreachable recipient_refused 300",
		`422 {"ErrorCode":300,"Message":"Invalid metadata content."}`:                                          "permanent message_refused 300",
		`422 {"ErrorCode":400,"Message":"The 'From' address you supplied is not a Sender Signature"}`:          "sender_down sender_refused 400",
		`422 {"ErrorCode":405,"Message":"Not allowed to send"}`:                                                "sender_down balance_empty 405",
		`422 {"ErrorCode":406,"Message":"You tried to send to a recipient that has been marked as inactive."}`: "unreachable recipient_refused 406",
		`422 {"ErrorCode":412,"Message":"While your account is pending approval"}`:                             "sender_down account_refused 412",
		`413 `: "permanent message_refused 413",
		`429 {"ErrorCode":429,"Message":"Rate limit exceeded"}`: "rate_limited rate_limited 429",
		`500 {"ErrorCode":0,"Message":"x"}`:                     "unknown answer_unexplained 0",
		`422 {"ErrorCode":100,"Message":"Maintenance"}`:         "temporary provider_unavailable 100",
		`503 <html>`: "temporary provider_unavailable 503",
	})
}

func TestPostmark_Events(t *testing.T) {
	t.Parallel()
	event := func(record, more string) string { return postmarkEvent(record, more)(ref, "883953f4") }
	bounce := func(kind string) string {
		return event("Bounce", `"ID":42,"Type":"`+kind+`","TypeCode":1,"BouncedAt":"2026-11-19T16:33:54.9070259Z","Inactive":true`)
	}
	change := func(suppress, reason, origin string) string {
		return event("SubscriptionChange", `"ChangedAt":"2026-11-19T16:33:54Z","Origin":"`+origin+`","SuppressSending":`+suppress+`,"SuppressionReason":`+reason)
	}
	wantEvents(t, postmark(), map[string]string{
		event("Delivery", `"DeliveredAt":"2026-11-19T16:33:54.9070259Z"`): ref + " delivered",
		bounce("HardBounce"):      ref + " failed unreachable bounced HardBounce",
		bounce("BadEmailAddress"): ref + " failed unreachable bounced BadEmailAddress",
		bounce("SoftBounce"):      ref + " failed temporary bounced_for_now SoftBounce",
		bounce("Blocked"):         ref + " failed temporary bounced_for_now Blocked",
		bounce("Transient"):       "",
		bounce("AutoResponder"):   "",
		event("SpamComplaint", `"Type":"SpamComplaint","BouncedAt":"2026-11-19T16:33:54.9070259Z"`): ref + " failed unreachable complained SpamComplaint",
		change("true", `"ManualSuppression"`, "Recipient"):                                          ref + " failed unreachable unsubscribed ManualSuppression",
		change("true", `"ManualSuppression"`, "Admin"):                                              "",
		change("true", `"HardBounce"`, "Recipient"):                                                 ref + " failed unreachable bounced HardBounce",
		change("false", `null`, "Recipient"):                                                        "",
		event("Open", `"ReceivedAt":"2026-11-19T16:33:54Z"`):                                        "",
		event("Click", `"ReceivedAt":"2026-11-19T16:33:54Z"`):                                       "",
		`{"RecordType":"Delivery","MessageID":"another","DeliveredAt":"2026-11-19T16:33:54Z"}`:      "delivered",
	})
}

func TestPostmark_Signatures(t *testing.T) {
	t.Parallel()
	p := postmark()
	body := p.event("delivered", ref, "id", time.Now())
	wantRefused(t, p, map[string]*http.Request{
		"no login":         post(body),
		"another password": withLogin(post(body), "postmark", "kora"),
		"another user":     withLogin(post(body), "kora", "kora-password"),
		"not its header":   post(body, "X-Postmark-Server-Token", "balafon-server-token"),
	})
}

func withLogin(r *http.Request, user, password string) *http.Request {
	r.SetBasicAuth(user, password)
	return r
}
