package api_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/openapi"
	"example.com/griot/openapi/openapitest"
)

// Rules: M181.
func TestRoutes_AgreeWithTheDocumentBothWays(t *testing.T) {
	a, err := api.New(api.Options{Endpoints: &webhooks.Endpoints{AccountsSetURL: true}})
	if err != nil {
		t.Fatal(err)
	}
	var routes []string
	for _, r := range a.Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	openapitest.Routes(t, openapi.Messaging(), routes)
}

// Rules: M1, M18, M20, M21, M22, M27, M35, M49, M51.
func TestSend_OnEachChannel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		for i, tc := range []struct{ body, to, from, text, html, subject string }{
			{`{"to":"+22376000001","channel":"whatsapp","message":"Bonjour é","html":"<b>ignored</b>","template":"x","buttons":[1]}`, "22376000001", "22370000001", "Bonjour é", "", ""},
			{`{"to":"22376000001","channel":"sms","message":"Code","subject":"ignored"}`, "22376000001", "22370000003", "Code", "", ""},
			{`{"to":"awa@example.com","channel":"email","message":"Bonjour","html":"<p>Bonjour</p>","subject":"Salut"}`, "awa@example.com", "hello@example.com", "Bonjour", "<p>Bonjour</p>", "Salut"},
			{`{"to":"awa@example.com","channel":"email","html":"<p>Seul</p>"}`, "awa@example.com", "hello@example.com", "Seul", "<p>Seul</p>", "Nouveau message"},
			{`{"to":"22376000001","channel":"whatsapp","preset":"otp","presetVariables":{"code":"0042","locale":"en"}}`, "22376000001", "22370000001", "0042 is your verification code. Do not share it with anyone.", "", ""},
			{
				`{"to":"awa@example.com","channel":"email","preset":"order_confirmed","presetVariables":{"orderId":"A&B"}}`, "awa@example.com", "hello@example.com",
				"Votre commande A&B est confirmée.", "<p>Votre commande A&amp;B est confirmée.</p>", "Commande A&B confirmée",
			},
		} {
			a := s.send(tc.body)
			if a.status != 200 || a.text("status") != "SENT" || a.body["messagesUsed"] != float64(i+1) || a.body["limit"] != float64(10) {
				t.Fatalf("%s: %d %s", tc.body, a.status, a.raw)
			}
			if strings.TrimPrefix(a.text("messageId"), "msg_") != strings.TrimPrefix(a.text("notifMessageId"), "ntf_") {
				t.Errorf("ids %s", a.raw)
			}
			out := s.Gateway.Calls()[i]
			if out.To != tc.to || out.From != tc.from || out.Text != tc.text || out.HTML != tc.html || out.Subject != tc.subject {
				t.Errorf("the gateway got %+v", out)
			}
		}
	})
}

// Rules: M5, M18, M19, M20, M22, M24, M27, M28, M30, M31, M32, M33, M34, M38, M39, M42, M65, M160.
func TestSend_BadInputIsRefusedAndStoresNothing(t *testing.T) {
	long := strings.Repeat("é", 255)
	bodies := map[string]struct {
		body   string
		status int
		code   string
		field  string
	}{
		"empty body":              {``, 400, "invalid_json", ""},
		"not JSON":                {`{"to":`, 400, "invalid_json", ""},
		"an array":                {`[{}]`, 400, "invalid_json", ""},
		"null":                    {`null`, 400, "invalid_json", ""},
		"two values":              {`{} {}`, 400, "invalid_json", ""},
		"not UTF-8":               {"{\"to\":\"\xff\"}", 400, "invalid_json", ""},
		"U+0000 escaped":          {`{"to":"22376000001","channel":"sms","message":"a\u0000b"}`, 400, "invalid_json", ""},
		"a lone surrogate":        {`{"to":"22376000001","channel":"sms","message":"\ud800"}`, 400, "invalid_json", ""},
		"a member twice":          {`{"to":"22376000001","channel":"sms","message":"x","to":"22376000002"}`, 400, "invalid_json", ""},
		"a variable twice":        {`{"to":"22376000001","channel":"sms","preset":"otp","presetVariables":{"code":"1","code":"2"}}`, 400, "invalid_json", ""},
		"another's member twice":  {`{"to":"22376000001","channel":"sms","message":"x","mine":{"a":1,"a":2}}`, 400, "invalid_json", ""},
		"To in a capital":         {`{"To":"22376000001","channel":"sms","message":"x"}`, 400, "invalid_request", "to"},
		"an empty object":         {`{}`, 400, "invalid_request", "to"},
		"to missing":              {`{"channel":"sms","message":"x"}`, 400, "invalid_request", "to"},
		"channel missing":         {`{"to":"22376000001","message":"x"}`, 400, "invalid_request", "channel"},
		"to is a number":          {`{"to":22376000001,"channel":"sms","message":"x"}`, 400, "invalid_request", "to"},
		"to is short":             {`{"to":"2237600","channel":"sms","message":"x"}`, 400, "invalid_phone", "to"},
		"to is long":              {`{"to":"2237600000112345","channel":"sms","message":"x"}`, 400, "invalid_phone", "to"},
		"to begins with 0":        {`{"to":"02237600001","channel":"sms","message":"x"}`, 400, "invalid_phone", "to"},
		"to is an address":        {`{"to":"a@example.com","channel":"whatsapp","message":"x"}`, 400, "invalid_phone", "to"},
		"email to a phone":        {`{"to":"22376000001","channel":"email","message":"x"}`, 400, "invalid_email", "to"},
		"email with a name":       {`{"to":"Awa <a@example.com>","channel":"email","message":"x"}`, 400, "invalid_email", "to"},
		"two emails":              {`{"to":"a@example.com,b@example.com","channel":"email","message":"x"}`, 400, "invalid_email", "to"},
		"email with a newline":    {`{"to":"a@example.com\nBcc: b@example.com","channel":"email","message":"x"}`, 400, "invalid_email", "to"},
		"email too long":          {`{"to":"` + strings.Repeat("a", 250) + `@example.com","channel":"email","message":"x"}`, 400, "invalid_email", "to"},
		"unknown channel":         {`{"to":"22376000001","channel":"pigeon","message":"x"}`, 400, "invalid_channel", "channel"},
		"auto to an address":      {`{"to":"a@example.com","channel":"auto","message":"x"}`, 400, "invalid_phone", "to"},
		"auto, email is none":     {`{"to":"22376000001","channel":"auto","message":"x","email":"a"}`, 400, "invalid_email", "email"},
		"email without auto":      {`{"to":"22376000001","channel":"sms","message":"x","email":"a@example.com"}`, 400, "invalid_request", "email"},
		"fallback without auto":   {`{"to":"22376000001","channel":"sms","message":"x","fallbackAfter":8}`, 400, "invalid_request", "fallbackAfter"},
		"fallback of 0":           {`{"to":"22376000001","channel":"auto","message":"x","fallbackAfter":0}`, 400, "invalid_request", "fallbackAfter"},
		"fallback of two days":    {`{"to":"22376000001","channel":"auto","message":"x","fallbackAfter":172800}`, 400, "invalid_request", "fallbackAfter"},
		"retry is a number":       {`{"to":"22376000001","channel":"sms","message":"x","retry":3}`, 400, "invalid_request", "retry"},
		"retry is a text":         {`{"to":"22376000001","channel":"sms","message":"x","retry":"true"}`, 400, "invalid_request", "retry"},
		"retry 0 times":           {`{"to":"22376000001","channel":"sms","message":"x","retry":{"maxAttempts":0}}`, 400, "invalid_request", "retry"},
		"retry 11 times":          {`{"to":"22376000001","channel":"sms","message":"x","retry":{"maxAttempts":11}}`, 400, "invalid_request", "retry"},
		"retry after 99 ms":       {`{"to":"22376000001","channel":"sms","message":"x","retry":{"delayMs":99}}`, 400, "invalid_request", "retry"},
		"retry after a day":       {`{"to":"22376000001","channel":"sms","message":"x","retry":{"delayMs":86400000}}`, 400, "invalid_request", "retry"},
		"retry half a time":       {`{"to":"22376000001","channel":"sms","message":"x","retry":{"maxAttempts":1.5}}`, 400, "invalid_request", "retry"},
		"media by SMS":            {`{"to":"22376000001","channel":"sms","message":"x","mediaUrl":"https://example.com/x.png"}`, 400, "media_not_supported", "mediaUrl"},
		"media by email":          {`{"to":"a@example.com","channel":"email","message":"x","mediaUrl":"https://example.com/x.png"}`, 400, "media_not_supported", "mediaUrl"},
		"media is no address":     {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"x.png"}`, 400, "invalid_request", "mediaUrl"},
		"media by http":           {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"http://example.com/x.png"}`, 400, "invalid_request", "mediaUrl"},
		"media with a password":   {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://a:b@example.com/x.png"}`, 400, "invalid_request", "mediaUrl"},
		"media of a file":         {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"file:///etc/passwd"}`, 400, "invalid_request", "mediaUrl"},
		"media of a private net":  {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://10.0.0.1/x.png"}`, 400, "invalid_request", "mediaUrl"},
		"media of the metadata":   {`{"to":"22376000001","channel":"auto","mediaUrl":"https://169.254.169.254/latest"}`, 400, "invalid_request", "mediaUrl"},
		"media of a number":       {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://167772161/x.png"}`, 400, "invalid_request", "mediaUrl"},
		"media of a bare name":    {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://intranet/x.png"}`, 400, "invalid_request", "mediaUrl"},
		"media by SSH":            {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://example.com:22/x.png"}`, 400, "invalid_request", "mediaUrl"},
		"media of a long address": {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://example.com/` + strings.Repeat("x", 2048) + `"}`, 400, "invalid_request", "mediaUrl"},
		"secret media":            {`{"to":"22376000001","channel":"whatsapp","mediaUrl":"https://example.com/x.png","sensitive":true}`, 400, "sensitive_not_allowed", "mediaUrl"},
		"caption of nothing":      {`{"to":"22376000001","channel":"whatsapp","message":"x","caption":"y"}`, 400, "invalid_request", "caption"},
		"group on SMS":            {`{"to":"22376000001","channel":"sms","message":"x","groupId":"120363000000000001@g.us"}`, 400, "invalid_request", "groupId"},
		"group is none":           {`{"to":"22376000001","channel":"whatsapp","message":"x","groupId":"12036"}`, 400, "invalid_request", "groupId"},
		"a secret to a group":     {`{"to":"22376000001","channel":"whatsapp","message":"x","groupId":"120363000000000001@g.us","sensitive":true}`, 400, "sensitive_not_allowed", "groupId"},
		"group, but no to":        {`{"channel":"whatsapp","message":"x","groupId":"120363000000000001@g.us"}`, 400, "invalid_request", "to"},
		"webhooks in a text":      {`{"to":"22376000001","channel":"sms","message":"x","sandboxWebhooks":"no"}`, 400, "invalid_request", "sandboxWebhooks"},
		"message missing":         {`{"to":"22376000001","channel":"sms"}`, 400, "invalid_request", "message"},
		"message empty":           {`{"to":"22376000001","channel":"whatsapp","message":""}`, 400, "invalid_request", "message"},
		"message too long, SMS":   {`{"to":"22376000001","channel":"sms","message":"` + strings.Repeat("x", 1531) + `"}`, 400, "invalid_request", "message"},
		"message too long, chat":  {`{"to":"22376000001","channel":"whatsapp","message":"` + strings.Repeat("é", 4097) + `"}`, 400, "invalid_request", "message"},
		"message too long, mail":  {`{"to":"a@example.com","channel":"email","message":"` + strings.Repeat("é", 200_001) + `"}`, 400, "invalid_request", "message"},
		"neither text nor HTML":   {`{"to":"a@example.com","channel":"email","subject":"x"}`, 400, "invalid_request", "message"},
		"subject with a newline":  {`{"to":"a@example.com","channel":"email","message":"x","subject":"a\r\nBcc: b@example.com"}`, 400, "invalid_request", "subject"},
		"subject too long":        {`{"to":"a@example.com","channel":"email","message":"x","subject":"` + long + `é"}`, 400, "invalid_request", "subject"},
		"unknown preset":          {`{"to":"22376000001","channel":"sms","preset":"birthday"}`, 400, "invalid_preset", "preset"},
		"a variable is missing":   {`{"to":"22376000001","channel":"sms","preset":"otp"}`, 400, "missing_variable", "presetVariables.code"},
		"a variable is too long":  {`{"to":"22376000001","channel":"sms","preset":"otp","presetVariables":{"code":"` + long + `"}}`, 400, "invalid_request", "presetVariables.code"},
		"a variable is a number":  {`{"to":"22376000001","channel":"sms","preset":"otp","presetVariables":{"code":482913}}`, 400, "invalid_request", "presetVariables"},
		"unknown locale":          {`{"to":"22376000001","channel":"sms","preset":"otp","presetVariables":{"code":"1","locale":"de"}}`, 400, "invalid_request", "presetVariables.locale"},
		"scheduled no time":       {`{"to":"22376000001","channel":"sms","message":"x","scheduledAt":"tomorrow"}`, 400, "invalid_request", "scheduledAt"},
		"scheduled in a year":     {`{"to":"22376000001","channel":"sms","message":"x","scheduledAt":"2027-03-04T12:00:01Z"}`, 400, "invalid_request", "scheduledAt"},
		"scheduled and secret":    {`{"to":"22376000001","channel":"sms","message":"x","sensitive":true,"scheduledAt":"2026-03-05"}`, 400, "sensitive_not_allowed", "scheduledAt"},
		"a scheduled code":        {`{"to":"22376000001","channel":"sms","preset":"otp","presetVariables":{"code":"1"},"scheduledAt":"2026-03-05"}`, 400, "sensitive_not_allowed", "scheduledAt"},
		"expires no time":         {`{"to":"22376000001","channel":"sms","message":"x","expiresAt":"x"}`, 400, "invalid_request", "expiresAt"},
		"expired already":         {`{"to":"22376000001","channel":"sms","message":"x","expiresAt":"2026-03-04T12:00:00Z"}`, 400, "invalid_request", "expiresAt"},
		"expires before its time": {`{"to":"22376000001","channel":"sms","message":"x","scheduledAt":"2026-03-05","expiresAt":"2026-03-04T13:00:00Z"}`, 400, "invalid_request", "expiresAt"},
		"expires in eight days":   {`{"to":"22376000001","channel":"sms","message":"x","expiresAt":"2026-03-12T12:00:00Z"}`, 400, "invalid_request", "expiresAt"},
		"unknown sender":          {`{"to":"22376000001","channel":"sms","message":"x","senderId":"snd_x"}`, 404, "sender_not_found", "senderId"},
		"key empty":               {`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":""}`, 400, "invalid_idempotency_key", ""},
		"key too long":            {`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"` + long + `é"}`, 400, "invalid_idempotency_key", ""},
		"key with a newline":      {`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"a\nb"}`, 400, "invalid_idempotency_key", ""},
		"a body over 1 MB":        {`{"to":"22376000001","channel":"sms","message":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "payload_too_large", ""},
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		before := s.countRows()
		for name, tc := range bodies {
			a := s.send(tc.body, "Content-Type: application/json")
			if a.status != tc.status || a.text("code") != tc.code || a.text("error") != tc.code || a.text("field") != tc.field {
				t.Errorf("%s: got %d %s, want %d %s (%s)", name, a.status, a.raw, tc.status, tc.code, tc.field)
			}
			if a.body["success"] != false || a.text("requestId") != a.header.Get("X-Request-Id") || !strings.HasPrefix(a.text("docsUrl"), s.URL+"/docs/errors#") {
				t.Errorf("%s: body %s", name, a.raw)
			}
		}
		if n := s.countRows(); n != before || len(s.Gateway.Calls()) != 0 {
			t.Errorf("%d rows were stored, %d messages sent", n-before, len(s.Gateway.Calls()))
		}
	})
}

// A number without a plus has a length of its calling code. With a plus, another length is only a warning.
// Rules: M18.
func TestSend_LengthOfANumber(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	const warned, taken = "unknown_length", ""
	for to, want := range map[string]string{
		"70112233": "invalid_phone", "4155552671": "invalid_phone", "223760000010": "invalid_phone", "225707070707": "invalid_phone", "99912345678": "invalid_phone",
		"+70112233": warned, "+4155552671": warned, "+223760000010": warned, "+99912345678": warned, "+123456789012345": warned,
		"22376000001": taken, "+22376000001": taken, "22300000001": taken, "22300000099": taken, "22507070707": taken, "5215512345678": taken, "14155552671": taken, "+2290197000000": taken,
	} {
		for way, answer := range map[string]*answer{
			"send":  s.send(`{"to":"` + to + `","channel":"sms","message":"x"}`),
			"batch": s.do("POST", "/api/send/batch", `{"messages":[{"to":"`+to+`","channel":"sms","message":"x"}]}`, "Authorization: Bearer "+s.LiveKey),
			"code":  s.otp("send", `{"to":"`+to+`"}`),
		} {
			refused, listed := strings.Contains(answer.raw, "invalid_phone"), strings.Contains(answer.raw, `"warnings":[{"code":"unknown_length","field":"to"`)
			if refused != (want == "invalid_phone") || listed != (want == warned) {
				t.Errorf("%s to %s: %d %s, want %q", way, to, answer.status, answer.raw, want)
			}
			if refused && !strings.Contains(answer.raw, "no plus, so it reads as +"+to) {
				t.Errorf("%s to %s: %s, want the number as it was read", way, to, answer.raw)
			}
		}
	}
}

// Rules: M5, M20, M51, M65.
func TestSend_AtTheBoundsIsAccepted(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	for _, body := range []string{
		`{"to":"12345678","channel":"sms","message":"` + strings.Repeat("x", 1530) + `"}`,
		`{"to":"+123456789012345","channel":"whatsapp","message":"` + strings.Repeat("é", 4096) + `"}`,
		`{"to":"a@example.com","channel":"email","message":"` + strings.Repeat("é", 200_000) + `"}`,
		`{"to":"a@example.com","channel":"email","message":"x","subject":"` + strings.Repeat("é", 255) + `"}`,
		`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":"` + strings.Repeat("é", 255) + `"}`,
		`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":null,"sensitive":false,"scheduledAt":null}`,
		`{"to":"22376000001","channel":"sms","message":"\\u0000 is how it is written"}`,
	} {
		if a := s.send(body); a.status != 200 || a.body["limit"] != nil {
			t.Errorf("%.60s…: %d %s", body, a.status, a.raw)
		}
	}
}

// Rules: M8, M9, M51, M86.
func TestSend_Keys(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		const body = `{"to":"22376000001","channel":"sms","message":"x"}`
		test := s.Key(t, s.Account.ID, "", account.Test)
		broken := s.LiveKey[:len(s.LiveKey)-1] + "!"
		for name, tc := range map[string]struct {
			headers []string
			status  int
		}{
			"none":                       {nil, 401},
			"bearer":                     {[]string{"Authorization: Bearer " + s.LiveKey}, 200},
			"bearer in small letters":    {[]string{"Authorization: bearer " + s.LiveKey}, 200},
			"X-API-Key":                  {[]string{"X-API-Key: " + s.LiveKey}, 200},
			"the same one twice":         {[]string{"Authorization: Bearer " + s.LiveKey, "X-API-Key: " + s.LiveKey}, 200},
			"two different ones":         {[]string{"Authorization: Bearer " + s.LiveKey, "X-API-Key: " + test}, 401},
			"basic":                      {[]string{"Authorization: Basic " + s.LiveKey}, 401},
			"a wrong checksum":           {[]string{"X-API-Key: " + broken}, 401},
			"unknown, with its checksum": {[]string{"X-API-Key: " + unknownKey(t)}, 401},
			"empty":                      {[]string{"X-API-Key: "}, 401},
		} {
			a := s.do("POST", "/api/send", body, tc.headers...)
			if a.status != tc.status {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
			if tc.status == 401 && (a.text("code") != "unauthorized" || a.header.Get("WWW-Authenticate") == "") {
				t.Errorf("%s: %s", name, a.raw)
			}
		}
		if a := s.do("POST", "/api/send", body, "X-API-Key: "+test); a.text("status") != "SANDBOX" || !strings.HasPrefix(a.text("messageId"), "sb_") {
			t.Errorf("a test key: %s", a.raw)
		}
		if a := s.send(body, "X-Svc-Sandbox: 1"); a.text("status") != "SANDBOX" {
			t.Errorf("the header: %s", a.raw)
		}
		if a := s.send(body, "X-Svc-Sandbox: 0"); a.text("status") != "SENT" {
			t.Errorf("the header, off: %s", a.raw)
		}
	})
}

// unknownKey is a well-formed key of another deployment.
func unknownKey(t *testing.T) string {
	t.Helper()
	return newService(t, dbtest.SQLite(t), "free").LiveKey
}

// Rules: M36, M50, M65, M66, M67, M68.
func TestSend_IdempotencyKeyInHeaderAndBody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		body := func(key string) string {
			return fmt.Sprintf(`{"to":"22376000001","channel":"sms","message":"x","idempotencyKey":%q}`, key)
		}
		const plain = `{"to":"22376000001","channel":"sms","message":"x"}`
		first := s.send(plain, "Idempotency-Key: clé-1")
		for name, a := range map[string]*answer{
			"header":           s.send(plain, "Idempotency-Key: clé-1"),
			"body":             s.send(body("clé-1")),
			"both":             s.send(body("clé-1"), "Idempotency-Key: clé-1"),
			"header, Latin-1":  s.send(plain, "Idempotency-Key: cl\xe9-1"),
			"another test key": s.do("POST", "/api/send", plain, "X-API-Key: "+s.LiveKey, "Idempotency-Key: clé-1"),
		} {
			if a.status != 200 || a.body["deduplicated"] != true || a.text("messageId") != first.text("messageId") {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
		}
		if a := s.send(body("clé-1 "), "Idempotency-Key: clé-2"); a.status != 400 || a.text("code") != "idempotency_mismatch" {
			t.Errorf("two keys: %s", a.raw)
		}
		if a := s.send(plain, "Idempotency-Key: "+strings.Repeat("x", 256)); a.text("code") != "invalid_idempotency_key" {
			t.Errorf("a long key: %s", a.raw)
		}
		if n := len(s.Gateway.Calls()); n != 1 {
			t.Errorf("%d messages sent", n)
		}
		s.Gateway.FailWith(gateway.Permanent, "refused")
		failed := s.send(body("bad"))
		s.wants(failed, 502, "provider_error")
		if failed.text("status") != "FAILED" || failed.text("messageId") == "" {
			t.Errorf("got %s", failed.raw)
		}
		again := s.send(body("bad"))
		s.wants(again, 409, "message_failed")
		if again.text("messageId") != failed.text("messageId") {
			t.Errorf("got %s", again.raw)
		}
	})
}

// Rules: M75, M76, M77, M87.
func TestSend_QuotaAndItsBody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() { s.send(`{"to":"22376000001","channel":"sms","message":"x"}`) })
		}
		wg.Wait()
		if n := len(s.Gateway.Calls()); n != 10 {
			t.Errorf("%d messages left", n)
		}
		a := s.send(`{"to":"22376000001","channel":"sms","message":"x"}`)
		s.wants(a, 429, "quota_exceeded")
		if a.body["messagesUsed"] != float64(10) || a.body["limit"] != float64(10) || a.text("upgradeUrl") != s.URL+"/dashboard/billing" || a.header.Get("Retry-After") != "43200" {
			t.Errorf("got %s, Retry-After %s", a.raw, a.header.Get("Retry-After"))
		}
		if a := s.send(`{"to":"22376000001","channel":"sms","message":"x","sandbox":true}`); a.status != 200 || a.body["messagesUsed"] != float64(10) {
			t.Errorf("the sandbox, past the quota: %s", a.raw)
		}
	})
}

// Rules: M49.
func TestSend_QueuedWhileTheGatewayThinks(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	release := make(chan struct{})
	w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) { <-release; return gateway.Ack{}, nil })
	w.ReplaceDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
	s := serve(t, w)
	a := s.send(`{"to":"22376000001","channel":"sms","message":"x"}`)
	if a.status != 202 || a.text("status") != "QUEUED" {
		t.Errorf("got %d %s", a.status, a.raw)
	}
	if st := s.do("GET", "/api/status/"+a.text("messageId"), "", "X-API-Key: "+s.LiveKey); st.text("status") != "SENDING" {
		t.Errorf("status %s", st.raw)
	}
	close(release)
	s.Becomes(t, a.text("messageId"), "SENT")
}

// Rules: M4, M87.
func TestSend_WithoutAGateway(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "business")
	s.Gateway.LoggedOut.Store(true)
	before := s.countRows()
	s.wants(s.send(`{"to":"22376000001","channel":"sms","message":"x"}`), 409, "gateway_not_connected")
	if s.countRows() != before {
		t.Error("something was stored")
	}
	if a := s.send(`{"to":"22376000001","channel":"sms","message":"x","sandbox":true}`); a.status != 200 {
		t.Errorf("the sandbox needs no gateway: %s", a.raw)
	}
}

// Rules: M84.
func TestSend_RequestRates(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free", limited)
	const body = `{"to":"22376000001","channel":"sms","message":"x","sandbox":true}`
	left := func(a *answer) string {
		return a.header.Get("RateLimit-Limit") + " " + a.header.Get("RateLimit-Remaining") + " " + a.header.Get("RateLimit-Reset")
	}
	for _, want := range []string{"2 2 1", "2 2 1", "2 1 2", "2 0 2"} { // 2 a second, 4 at once
		if a := s.send(body); a.status != 200 || left(a) != want {
			t.Fatalf("within the rate: %s, want %s: %s", left(a), want, a.raw)
		}
	}
	a := s.send(body)
	s.wants(a, 429, "rate_limited")
	if a.header.Get("Retry-After") != "1" || left(a) != "2 0 2" {
		t.Errorf("Retry-After %q, left %s", a.header.Get("Retry-After"), left(a))
	}
	s.Clock.Advance(time.Second)
	if a := s.send(body); a.status != 200 || left(a) != "2 1 2" {
		t.Errorf("a second later: %s: %s", left(a), a.raw)
	}
	s.Clock.Advance(time.Minute)
	if a := s.do("GET", "/api/svc-logs", "", "X-API-Key: "+s.LiveKey); left(a) != "2 2 1" {
		t.Errorf("rested: %s", left(a))
	}
}

// Rules: M6.
func TestLogs_HoldNothingThatWasSubmitted(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free")
	s.Gateway.FailWith(gateway.Permanent, "refused")
	s.send(`{"to":"22376000001","channel":"sms","message":"un texte secret","idempotencyKey":"ma-cle"}`)
	s.send(`{"to":"22376000001","channel":"sms","message":"un texte secret","mediaUrl":"x"}`)
	s.do("GET", "/api/status/msg_unknown?to=22376000001", "", "X-API-Key: "+s.LiveKey)
	logged := s.Log.String()
	if !strings.Contains(logged, "POST /api/send") {
		t.Fatalf("nothing was logged: %s", logged)
	}
	for _, secret := range []string{"un texte secret", "ma-cle", s.LiveKey, "22376000001"} {
		if strings.Contains(logged, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

func TestSend_AReceiptThatIsFasterThanTheAnswer(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free")
	s.Gateway.SetScript(func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		return gateway.Ack{}, s.Delivery.Receipt(ctx, gateway.Receipt{Gateway: "fake", Ref: out.Ref, Status: gateway.ReceiptDelivered})
	})
	a := s.send(good)
	if a.status != 200 || a.text("status") != "SENT" {
		t.Errorf("%d %s", a.status, a.raw)
	}
	if st := s.do("GET", "/api/status/"+a.text("messageId"), "", "X-API-Key: "+s.LiveKey); st.text("status") != "DELIVERED" {
		t.Errorf("status %s", st.raw)
	}
}
