package httpsms

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/gateway/internal/peertest"
	"example.com/griot/gateway/internal/providertest"
)

// presetCase contains the requests, responses, and calls of a preset, from the gateway's documentation.
type presetCase struct {
	name     string
	settings string // besides preset and url
	path     string // of the address; "": the root
	request  func(t *testing.T, h request)
	answers  map[string]string // "status body" -> an error, or "ack ID"
	receipts map[string]string // body -> "ref id status"
	inbound  string
	header   func(body string) http.Header
}

func form(t *testing.T, h request, want url.Values) {
	t.Helper()
	got, err := url.ParseQuery(h.body)
	if err != nil || got.Encode() != want.Encode() || h.request.Method != http.MethodPost {
		t.Errorf("got  %s\nwant %s", got.Encode(), want.Encode())
	}
}

func presetCases() []presetCase {
	return []presetCase{
		{
			name: "jasmin", settings: `"values":{"username":{"value":"u"},"password":{"value":"p"}},`, path: "/send",
			request: func(t *testing.T, h request) {
				form(t, h, url.Values{
					"username": {"u"}, "password": {"p"}, "from": {ourNumber}, "to": {"+" + aissata}, "coding": {"8"}, "hex-content": {"00C700610020007600E20020003F"}, "validity-period": {"5"},
					"dlr": {"yes"}, "dlr-level": {"3"}, "dlr-method": {"POST"}, "dlr-url": {"https://api.test/gateways/x/receipts?ref=" + message().Ref + "&token=" + testToken},
				})
			},
			answers: map[string]string{
				`200 Success "07033084-5cfd-4812-90a4-e4d24ffb6e3d"`:           "ack 07033084-5cfd-4812-90a4-e4d24ffb6e3d",
				`412 Error "No route found"`:                                   "unreachable no_route 412",
				`403 Error "Authentication failure for username:u"`:            "sender_down credentials_refused 403",
				`403 Error "Cannot charge submit_sm, check RouterPB log file"`: "sender_down balance_empty 403",
				`400 Error "Argument to has an invalid value: 1."`:             "unreachable recipient_refused 400",
				`400 Error "Argument from has an invalid value: 1."`:           "permanent message_refused 400",
				`500 Error "Cannot send submit_sm"`:                            "unknown answer_unexplained 500",
				`200 <html>`:                                                   "unknown answer_unexplained 200",
			},
			receipts: map[string]string{
				"id=16fd2706&message_status=ESME_ROK&level=1&connector=demo_cid":          " 16fd2706 sent",
				"id=16fd2706&id_smsc=2567&message_status=DELIVRD&level=2&err=000&dlvrd=1": " 16fd2706 delivered",
				"id=16fd2706&message_status=UNDELIV&err=254":                              " 16fd2706 failed 254",
				"id=16fd2706&message_status=ESME_RINVNUMDESTS":                            " 16fd2706 failed",
			},
			inbound: "id=1&from=%2B22370000001&to=22376543210&coding=8&content=%00%C7%00a&binary=00C70061",
		},
		{
			name: "vonage", settings: `"values":{"api_key":{"value":"k"},"api_secret":{"value":"s"}},`,
			request: func(t *testing.T, h request) {
				form(t, h, url.Values{
					"api_key": {"k"}, "api_secret": {"s"}, "from": {ourNumber}, "to": {aissata}, "text": {"Ça vâ ?"}, "type": {"unicode"}, "ttl": {"300000"}, "client-ref": {message().Ref},
					"status-report-req": {"1"}, "callback": {"https://api.test/gateways/x/receipts?token=" + testToken},
				})
			},
			answers: map[string]string{
				`200 {"message-count":"1","messages":[{"to":"447700900000","message-id":"0C000000217B7F02","status":"0","remaining-balance":"15.53590000"}]}`: "ack 0C000000217B7F02",
				`200 {"message-count":"1","messages":[{"status":"1","error-text":"Throttled"}]}`:                                                              "rate_limited throttled 1",
				`200 {"message-count":"1","messages":[{"status":"2","error-text":"Missing to param"}]}`:                                                       "permanent message_refused 2",
				`200 {"message-count":"1","messages":[{"status":"4","error-text":"Bad Credentials"}]}`:                                                        "sender_down credentials_refused 4",
				`200 {"message-count":"1","messages":[{"status":"5"}]}`:                                                                                       "unknown provider_error 5",
				`200 {"message-count":"1","messages":[{"status":"7"}]}`:                                                                                       "unreachable recipient_refused 7",
				`200 {"message-count":"1","messages":[{"status":"9"}]}`:                                                                                       "sender_down balance_empty 9",
				`200 {"message-count":"2","messages":[{"message-id":"0C01","status":"0"},{"message-id":"0C02","status":"0"}]}`:                                "ack 0C01",
				`200 {"message-count":"2","messages":[{"message-id":"0C01","status":"0"},{"status":"9"}]}`:                                                    "unknown partly_taken 9",
				`200 {"message-count":"2","messages":[{"status":"1"},{"message-id":"0C02","status":"0"}]}`:                                                    "unknown partly_taken 1",
				`200 {"message-count":"2","messages":[{"status":"9"},{"status":"9"}]}`:                                                                        "sender_down balance_empty 9",
				`200 {"message-count":"2","messages":[{"message-id":"0C01","status":"0"},{}]}`:                                                                "unknown partly_taken 200",
				`200 {"message-count":"0","messages":[]}`:                                                                                                     "unknown answer_unexplained 200",
			},
			receipts: map[string]string{
				`msisdn=447700900000&to=AcmeInc&messageId=0A0000001234567B&status=delivered&err-code=0&client-ref=msg_1&message-timestamp=2026-11-20+12%3A00%3A00`: "msg_1 0A0000001234567B delivered",
				`{"msisdn":"447700900000","messageId":"0A0000001234567B","status":"expired","err-code":"4","client-ref":"msg_1"}`:                                  "msg_1 0A0000001234567B failed 4",
				`{"messageId":"0A0000001234567B","status":"failed","err-code":"9"}`:                                                                                " 0A0000001234567B failed 9 opted out",
				`{"messageId":"0A0000001234567B","status":"rejected","err-code":"99"}`:                                                                             " 0A0000001234567B failed 99",
				`{"messageId":"0A0000001234567B","status":"accepted"}`:                                                                                             " 0A0000001234567B sent",
			},
			inbound: `{"msisdn":"22370000001","to":"22376543210","messageId":"1","text":"Ça","type":"text","message-timestamp":"2026-11-20 12:00:00"}`,
		},
		{
			name: "africastalking", settings: `"values":{"username":{"value":"u"},"api_key":{"value":"k"}},`, path: "/version1/messaging",
			request: func(t *testing.T, h request) {
				form(t, h, url.Values{"username": {"u"}, "to": {"+" + aissata}, "message": {"Ça vâ ?"}})
				if h.request.Header.Get("apiKey") != "k" || h.request.Header.Get("Accept") != "application/json" {
					t.Errorf("%v", h.request.Header)
				}
			},
			answers: map[string]string{
				`201 {"SMSMessageData":{"Message":"Sent to 1/1 Total Cost: KES 0.8000","Recipients":[{"statusCode":101,"number":"+254711XXXYYY","status":"Success","cost":"KES 0.8000","messageId":"ATPid_SampleTxnId123"}]}}`: "ack ATPid_SampleTxnId123",
				`201 {"SMSMessageData":{"Message":"Sent to 0/1","Recipients":[{"statusCode":403,"number":"+254","status":"InvalidPhoneNumber","messageId":"None"}]}}`:                                                          "unreachable recipient_refused 403",
				`201 {"SMSMessageData":{"Message":"Sent to 0/1","Recipients":[{"statusCode":406,"status":"UserInBlacklist","messageId":"None"}]}}`:                                                                             "unreachable recipient_opted_out 406",
				`201 {"SMSMessageData":{"Message":"Sent to 0/1","Recipients":[{"statusCode":405,"status":"InsufficientBalance","messageId":"None"}]}}`:                                                                         "sender_down balance_empty 405",
				`201 {"SMSMessageData":{"Message":"Sent to 0/1","Recipients":[{"statusCode":501,"status":"GatewayError","messageId":"None"}]}}`:                                                                                "unknown provider_error 501",
				`201 {"SMSMessageData":{"Message":"Sent to 0/1","Recipients":[{"statusCode":401,"status":"RiskHold","messageId":"None"}]}}`:                                                                                    "permanent message_refused 401",
				`201 {"SMSMessageData":{"Message":"InvalidSenderId","Recipients":[]}}`:                                                                                                                                         "sender_down sender_refused 201",
				`401 The supplied authentication is invalid`: "sender_down credentials_refused 401",
			},
			receipts: map[string]string{
				"id=ATXid_1&status=Success&phoneNumber=%2B254711&networkCode=63902":    " ATXid_1 delivered",
				"id=ATXid_1&status=Failed&failureReason=UserInBlackList&retryCount=0":  " ATXid_1 failed UserInBlackList opted out",
				"id=ATXid_1&status=Rejected&failureReason=UserIsInactive":              " ATXid_1 failed UserIsInactive",
				"id=ATXid_1&status=Submitted&phoneNumber=%2B254711&networkCode=63902":  " ATXid_1 sent",
				"id=ATXid_1&status=AbsentSubscriber&failureReason=UserNotProvisioned1": " ATXid_1 failed UserNotProvisioned1",
			},
			inbound: "id=1&linkId=x&from=%2B22370000001&to=22376543210&text=%C3%87a&date=2026-11-20+12%3A00%3A00",
		},
		{
			name: "termii", settings: `"values":{"api_key":{"value":"k"},"sender_name":{"value":"Griot"}},`, path: "/api/sms/send",
			request: func(t *testing.T, h request) {
				if want := `{"api_key":"k","channel":"generic","from":"Griot","sms":"Ça vâ ?","to":"22370000001","type":"unicode"}`; h.body != want {
					t.Errorf("got  %s\nwant %s", h.body, want)
				}
			},
			answers: map[string]string{
				`200 {"message_id":9122821270554876574,"message":"Successfully Sent","balance":9,"user":"Peter","code":"ok"}`: "ack 9122821270554876574",
				`400 {"code":400,"message":"Insufficient balance"}`:                                                           "sender_down balance_empty 400",
				`404 {"code":404,"message":"ApplicationSenderId not found for applicationId"}`:                                "sender_down sender_refused 404",
				`401 {"message":"Invalid API key"}`:                                                                           "sender_down credentials_refused 401",
				`422 {"message":"Invalid phone number"}`:                                                                      "unreachable recipient_refused 422",
				`200 {"message_id":"3017544054459083819856413","message":"Successfully Sent","balance":9,"user":"Peter"}`:     "ack 3017544054459083819856413",
				`200 {"message_id":"","message":"Queued"}`:                                                                    "unknown answer_unexplained 200",
				`200 {"message":"Queued"}`:                                                                                    "unknown answer_unexplained 200",
			},
			receipts: map[string]string{
				`{"type":"outbound","id":"1","message_id":"9122821270554876574","receiver":"23490","status":"DELIVERED"}`:                  " 9122821270554876574 delivered",
				`{"type":"outbound","id":"1","message_id":"9122821270554876574","receiver":"23490","status":"DND Active on Phone Number"}`: " 9122821270554876574 failed",
			},
			inbound: `{"type":"inbound","id":"2","message_id":"1","receiver":"22376543210","sender":"22370000001","message":"Ça","received_at":"2026-11-20T12:00:00Z"}`,
			header: func(body string) http.Header {
				m := hmac.New(sha512.New, []byte(testSecret))
				m.Write([]byte(body))
				return http.Header{"X-Termii-Signature": {hex.EncodeToString(m.Sum(nil))}}
			},
		},
		{
			name: "orange", settings: `"values":{"sender_number":{"value":"2250000"}},"oauth":{"url":"OAUTH","client_id":"i","client_secret":"s"},`,
			path: "/smsmessaging/v1/outbound/tel%3A%2B{{sender_number}}/requests",
			request: func(t *testing.T, h request) {
				want := `{"outboundSMSMessageRequest":{"address":"tel:+22370000001","outboundSMSTextMessage":{"message":"Ça vâ ?"},"senderAddress":"tel:+2250000"}}`
				if h.body != want || h.request.URL.EscapedPath() != "/smsmessaging/v1/outbound/tel%3A%2B2250000/requests" || h.request.Header.Get("Authorization") != "Bearer t" {
					t.Errorf("got  %s\nwant %s\n%s", h.body, want, h.request.URL.EscapedPath())
				}
			},
			answers: map[string]string{
				`201 {"outboundSMSMessageRequest":{"address":["tel:+22370000001"],"senderAddress":"tel:+2250000","resourceURL":"https://api.orange.com/smsmessaging/v1/outbound/tel:+2250000/requests/9c70f816"}}`: "ack 9c70f816",
				`400 {"requestError":{"serviceException":{"messageId":"SVC0004","text":"No valid addresses provided in message part %1","variables":["address"]}}}`:                                                "unreachable recipient_refused SVC0004",
				`403 {"requestError":{"policyException":{"messageId":"POL0001","text":"A policy error occurred. Error code is %1","variables":["Expired contract"]}}}`:                                             "sender_down balance_empty POL0001",
				`503 {"code":5}`: "temporary provider_unavailable 503",
			},
			receipts: map[string]string{
				`{"deliveryInfoNotification":{"callbackData":"9c70f816","deliveryInfo":{"address":"tel:+22370000001","deliveryStatus":"DeliveredToTerminal"}}}`: " 9c70f816 delivered",
				`{"deliveryInfoNotification":{"callbackData":"9c70f816","deliveryInfo":{"address":"tel:+22370000001","deliveryStatus":"DeliveryImpossible"}}}`:  " 9c70f816 failed",
			},
			inbound: `{"inboundSMSMessageNotification":{"callbackData":"","inboundSMSMessage":{"dateTime":"2026-11-20T12:00:00.000Z","destinationAddress":"tel:+22376543210","messageId":"1","message":"Ça","senderAddress":"tel:+22370000001"}}}`,
		},
	}
}

func TestPresets(t *testing.T) {
	t.Parallel()
	names := []string{"kannel"} // tested with a real Kannel
	for _, tt := range presetCases() {
		names = append(names, tt.name)
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for answer, want := range tt.answers {
				tt.testAnswer(t, answer, want)
			}
			tt.testCalls(t)
		})
	}
	slices.Sort(names)
	if !slices.Equal(names, httpgate.Presets(presetFiles)) {
		t.Errorf("tested are %q, there are %q", names, httpgate.Presets(presetFiles))
	}
}

// open opens the driver with the preset and an address.
func (tt presetCase) open(t *testing.T, env *gatewaytest.Environment, address string) *sender {
	t.Helper()
	auth := `{"kind":"token","token":"` + testToken + `","query":"token"}`
	if tt.header != nil {
		auth = `{"kind":"hmac","secret":"` + testSecret + `","header":"X-Termii-Signature","algorithm":"sha512"}`
	}
	settings := strings.Replace(tt.settings, "OAUTH", address+"/token", 1)
	return open(t, env, `{"preset":"`+tt.name+`","url":"`+address+tt.path+`",`+settings+`"callback_url":"https://api.test/gateways/x","receipts":{"auth":`+auth+`},"inbound":{"auth":`+auth+`}}`)
}

func (tt presetCase) testAnswer(t *testing.T, answer, want string) {
	t.Helper()
	status, body, _ := strings.Cut(answer, " ")
	var last request
	f := providertest.New(t, func(*http.Request) bool { return true }, func(r *http.Request, b []byte, _ string) providertest.Answer {
		if r.URL.Path == "/token" {
			return providertest.Answer{Status: 200, Body: `{"token_type":"Bearer","access_token":"t","expires_in":"3600"}`}
		}
		last = request{r, string(b)}
		return providertest.Answer{Status: map[string]int{"200": 200, "201": 201, "400": 400, "401": 401, "403": 403, "404": 404, "412": 412, "422": 422, "500": 500, "503": 503}[status], Body: body}
	})
	env := gatewaytest.NewEnvironment()
	out := message()
	out.Text, out.ExpiresAt = "Ça vâ ?", env.Clock.Now().Add(5*time.Minute)
	ack, err := tt.open(t, env, f.URL).Send(t.Context(), out)
	tt.request(t, last)
	if id, ok := strings.CutPrefix(want, "ack "); ok {
		if err != nil || ack.ProviderID != id {
			t.Errorf("%s: %+v, %v", answer, ack, err)
		}
		return
	}
	gatewaytest.WantFailure(t, err, want)
}

func (tt presetCase) testCalls(t *testing.T) {
	t.Helper()
	env := gatewaytest.NewEnvironment()
	h := tt.open(t, env, "http://127.0.0.1:1").WebhookHandler()
	deliver := func(path, body string) {
		t.Helper()
		contentType := formType
		if strings.HasPrefix(body, "{") {
			contentType = "application/json"
		}
		r := post(path+"?token="+testToken, contentType, body, "")
		if tt.header != nil {
			for name, values := range tt.header(body) {
				r.Header[name] = values
			}
		}
		wantStatus(t, h, r, http.StatusOK)
	}
	for body, want := range tt.receipts {
		before := len(env.Sink.Receipts())
		deliver("/receipts", body)
		for _, r := range env.Sink.Receipts()[before:] {
			got := r.Ref + " " + r.ProviderID + " " + string(r.Status)
			if r.Err != nil {
				got = strings.TrimRight(got+" "+r.Err.ProviderCode, " ")
				if r.Err.Code == gateway.CodeOptedOut {
					got += " opted out"
				}
			}
			if got != want {
				t.Errorf("%s: %q, want %q", body, got, want)
			}
		}
		if len(env.Sink.Receipts()) != before+1 {
			t.Errorf("%s: nothing is stored", body)
		}
	}
	path := "/inbound"
	if tt.name == "termii" { // receipts and messages have one address
		path = "/events"
	}
	deliver(path, tt.inbound)
	if in := env.Sink.Messages(); len(in) != 1 || in[0].ID != "1" || in[0].From != aissata || in[0].To != ourNumber || in[0].Text != "Ça" {
		t.Errorf("%s: %+v", tt.inbound, in)
	}
}

// Kannel cuts long texts silently, so a limit must be set, and longer texts are refused.
func TestKannel_LongTexts(t *testing.T) {
	t.Parallel()
	const settings = `"preset":"kannel","url":"http://127.0.0.1:1","values":{"username":{"value":"u"},"password":{"value":"p"}}`
	s := open(t, gatewaytest.NewEnvironment(), `{`+settings+`}`)
	if n := s.Notices(); len(n) != 1 || n[0].Failed || !strings.Contains(n[0].Text, "max-messages") || !strings.Contains(n[0].Hint, "concatenation = true") || !strings.Contains(n[0].Hint, "max_segments") {
		t.Errorf("%+v", n)
	}
	s = open(t, gatewaytest.NewEnvironment(), `{`+settings+`,"max_segments":2}`)
	if n := s.Notices(); n != nil {
		t.Errorf("%+v", n)
	}
	out := message()
	for text, want := range map[string]string{strings.Repeat("a", 306): "temporary provider_unavailable", strings.Repeat("a", 307): "permanent message_too_long", strings.Repeat("ф", 135): "permanent message_too_long"} {
		out.Text = text
		_, err := s.Send(t.Context(), out)
		gatewaytest.WantFailure(t, err, want)
	}
	if n := open(t, gatewaytest.NewEnvironment(), `{`+goodForm+`}`).Notices(); n != nil {
		t.Errorf("%+v", n)
	}
}

// The SMS center's own report decides, and Kannel's status where there is none. Kannel reports UNKNOWN and some forms of
// DELIVRD as 2.
func TestKannel_Receipts(t *testing.T) {
	t.Parallel()
	const line = "id:0123456789 sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:"
	for _, tt := range []struct{ status, report, want string }{
		{"1", "", "delivered"},
		{"2", "", "failed delivery_failed"},
		{"4", "", ""},
		{"8", "", "sent"},
		{"16", "", "failed delivery_failed"},
		{"8", "ACK/", "sent"},
		{"16", "NACK/0x0000000b/Invalid Destination Address", "failed delivery_failed"},
		{"2", "stat", "failed delivery_failed"},
		{"2", "%A", "failed delivery_failed"},
		{"1", line + "DELIVRD err:000 text:Bonjour", "delivered"},
		{"2", line + "DELIVERED err:000 text:Bonjour", "delivered"},
		{"2", line + "UNKNOWN err:000 text:Bonjour", ""},
		{"4", line + "ACCEPTD err:000", "sent"},
		{"2", line + "ACCEPTD err:000", "sent"},
		{"2", line + "EXPIRED err:011", "failed not_delivered_in_time EXPIRED 011"},
		{"2", line + "UNDELIV err:001", "failed undeliverable UNDELIV 001"},
		{"2", line + "REJECTD", "failed rejected REJECTD"},
		{"2", line + "DELETED err:22370000001", "failed deleted DELETED"},
		{"2", line + "SOMETHING", "failed delivery_failed"},
		{"2", line + "REJECTD err:1037", "failed recipient_opted_out REJECTD 1037"},
		{"2", line + "REJECTD err:1038", "failed rejected REJECTD 1038"},
		{"2", line + "DELIVRD err:1037", "delivered"},
		{"2", "id:7 sub:001 text:stat:DELIVRD", "failed delivery_failed"},
	} {
		env := gatewaytest.NewEnvironment()
		h := open(t, env, `{"preset":"kannel","url":"http://127.0.0.1:1","values":{"username":{"value":"u"},"password":{"value":"p"}},"callback_url":"https://api.test/gateways/x",
			"receipts":{"auth":{"kind":"token","token":"`+testToken+`","query":"token"},"statuses":{"REJECTD 1037":"opted_out"}}}`).WebhookHandler()
		wantStatus(t, h, httptest.NewRequest(http.MethodGet, "/receipts?"+url.Values{"token": {testToken}, "ref": {"msg_1"}, "status": {tt.status}, "report": {tt.report}}.Encode(), nil), http.StatusOK)
		got := ""
		for _, r := range env.Sink.Receipts() {
			if got = string(r.Status); r.Err != nil {
				got = strings.TrimSpace(got + " " + r.Err.Code + " " + r.Err.ProviderCode)
			}
		}
		if got != tt.want {
			t.Errorf("%s %q is %q, want %q", tt.status, tt.report, got, tt.want)
		}
	}
}

// No message is lost because of a single field, at the preset's own address of messages.
func TestPresets_Kept(t *testing.T) {
	t.Parallel()
	for _, tt := range presetCases() {
		if tt.inbound == "" {
			continue
		}
		kept := peertest.KeptMessage{Call: tt.inbound, From: aissata, Text: "Ça", Open: func(t *testing.T) (func(string) int, *gatewaytest.Environment) {
			env := gatewaytest.NewEnvironment()
			h := tt.open(t, env, "http://127.0.0.1:1").WebhookHandler()
			return func(body string) int {
				contentType := formType
				if strings.HasPrefix(body, "{") {
					contentType = "application/json"
				}
				r := post("/inbound?token="+testToken, contentType, body, "")
				if tt.header != nil {
					for name, values := range tt.header(body) {
						r.Header[name] = values
					}
				}
				return gatewaytest.Call(h, r)
			}, env
		}}
		at := "2026-11-20T12:00:00Z"
		switch tt.name {
		case "jasmin": // the text is in two forms, and coding says in which
			kept.Sender, kept.Body, kept.Others = []string{"from"}, []string{"content", "binary"}, []string{"coding", "binary"}
		case "vonage":
			kept.Sender, kept.Body, kept.Time = []string{"msisdn"}, []string{"text"}, "message-timestamp"
		case "africastalking":
			kept.Sender, kept.Body, kept.Time = []string{"from"}, []string{"text"}, "date"
		case "termii":
			kept.Sender, kept.Body, kept.Time, kept.Others = []string{"sender"}, []string{"message"}, "received_at", []string{"type"}
		case "orange":
			const message = "inboundSMSMessageNotification.inboundSMSMessage."
			kept.Sender, kept.Body, kept.Time = []string{message + "senderAddress"}, []string{message + "message"}, message+"dateTime"
		default:
			t.Errorf("%s has no case", tt.name)
		}
		kept.At, _ = time.Parse(time.RFC3339, at)
		t.Run(tt.name, kept.Run)
	}
}
