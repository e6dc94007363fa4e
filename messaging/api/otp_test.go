package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
)

func (s *service) otp(path, body string, headers ...string) *answer {
	s.t.Helper()
	return s.do("POST", "/api/otp/"+path, body, append([]string{"Authorization: Bearer " + s.LiveKey}, headers...)...)
}

// code returns the code of the last message.
func (s *service) code() string {
	s.t.Helper()
	calls := s.Gateway.Calls()
	if len(calls) == 0 {
		s.t.Fatal("got no call of the gateway, want one with a code")
	}
	return s.Code(s.t, calls[len(calls)-1].To)
}

// Rules: M90, M93, M94, M96, M97, M106, M107, M115.
func TestOTP_SendAndVerify(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		a := s.otp("send", `{"to":"+22376000001"}`)
		if a.status != 200 || a.body["success"] != true || a.text("channel") != "whatsapp" || a.body["messagesUsed"] != 1.0 || a.body["limit"] != 10.0 || len(a.body) != 7 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		if a.body["expiresAt"] != float64(s.Clock.Now().Add(5*time.Minute).UnixMilli()) || !strings.HasPrefix(a.text("messageId"), "msg_") {
			t.Errorf("got %s", a.raw)
		}
		code := s.code()
		if len(code) != 6 || strings.Contains(a.raw, code) {
			t.Errorf("%d digits, or the answer has them", len(code))
		}
		v := s.otp("verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, a.text("challengeId"), code))
		if v.status != 200 || strings.TrimSpace(v.raw) != `{"valid":true}` {
			t.Errorf("%d %s", v.status, v.raw)
		}
		a = s.otp("send", `{"to":"22376000001","channel":"sms","app":"Boutique","locale":"en","length":8,"ttlSeconds":900,"sandbox":false,"idempotencyKey":null}`)
		if a.status != 200 || a.text("channel") != "sms" || len(s.code()) != 8 {
			t.Errorf("%d %s", a.status, a.raw)
		}
		if v := s.otp("verify", fmt.Sprintf(`{"to":"+22376000001","challengeId":null,"code":%q}`, s.code())); v.status != 200 {
			t.Errorf("%d %s", v.status, v.raw)
		}
		logs := s.do("GET", "/api/svc-logs", "", "X-API-Key: "+s.LiveKey)
		if strings.Count(logs.raw, `"source":"otp"`) != 2 || strings.Count(logs.raw, `"preview":null`) != 2 {
			t.Errorf("logs %s", logs.raw)
		}
	})
}

// Each error with its code.
// Rules: M71, M98, M102, M108, M109, M110, M111.
func TestOTP_Errors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		send := func(n int, headers ...string) *answer {
			return s.otp("send", fmt.Sprintf(`{"to":"2237600%04d","channel":"sms","ttlSeconds":60}`, n), headers...)
		}
		verify := func(a *answer, code string) *answer {
			return s.otp("verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, a.text("challengeId"), code))
		}
		failed := func(a *answer, code string) {
			t.Helper()
			if s.wants(a, 400, code); a.body["valid"] != false {
				t.Errorf("%s without valid: %s", code, a.raw)
			}
		}
		a := send(1)
		code := s.code()
		for range 5 {
			failed(verify(a, messagingtest.WrongCode(code)), "invalid_code")
		}
		failed(verify(a, code), "too_many_attempts")
		failed(s.otp("verify", `{"challengeId":"otp_00000000000000000000000000","code":"123456"}`), "not_found")
		failed(s.otp("verify", `{"to":"22376009999","code":"123456"}`), "not_found")
		a = send(2)
		verify(a, s.code())
		failed(verify(a, s.code()), "not_found")
		a = send(3, "Idempotency-Key: k")
		again := send(3, "Idempotency-Key: k")
		if again.status != 200 || again.body["deduplicated"] != true || again.text("challengeId") != a.text("challengeId") || again.text("messageId") != a.text("messageId") {
			t.Errorf("a replay: %s", again.raw)
		}
		if mismatch := send(4, "Idempotency-Key: k"); mismatch.body["payloadMismatch"] != true {
			t.Errorf("another body: %s", mismatch.raw)
		}
		s.Clock.Advance(time.Minute)
		failed(verify(a, s.code()), "expired")
		s.wants(send(3, "Idempotency-Key: k"), 409, "idempotency_key_used")
		for range 3 {
			send(5)
		}
		limited := send(5)
		if s.wants(limited, 429, "otp_rate_limited"); limited.header.Get("Retry-After") != "600" {
			t.Errorf("Retry-After %q", limited.header.Get("Retry-After"))
		}
		s.Gateway.FailWith(gateway.Unreachable, "unreachable")
		gone := send(6, "Idempotency-Key: f")
		if s.wants(gone, 502, "provider_error"); gone.text("messageId") == "" || gone.text("reason") != "unreachable" {
			t.Errorf("got %s", gone.raw)
		}
		s.wants(send(6, "Idempotency-Key: f"), 409, "message_failed")
		s.Gateway.LoggedOut.Store(true)
		s.wants(send(7), 409, "gateway_not_connected")
		s.wants(s.otp("send", `{"to":"22376000008"}`), 409, "gateway_not_connected")
		project := s.projectKey()
		for _, path := range []string{"send", "verify"} {
			s.wants(s.do("POST", "/api/otp/"+path, `{}`, "X-API-Key: "+project), 403, "forbidden")
			s.wants(s.do("POST", "/api/otp/"+path, `{}`), 401, "unauthorized")
			s.wants(s.otp(path, `{}`, "Content-Type: text/plain"), 415, "unsupported_media_type")
		}
	})
}

// Rules: M99.
func TestOTP_QuotaAndCap(t *testing.T) {
	s := serve(t, messagingtest.New(t, dbtest.SQLite(t), "free", func(a *account.Spec) { a.RecipientCap = 2 }))
	for n, code := range []string{"", "", "recipient_limit_reached", "otp_rate_limited"} {
		if a := s.otp("send", `{"to":"22376000001"}`); a.text("code") != code {
			t.Errorf("request %d: %s", n+1, a.raw)
		}
	}
	for n := range 8 {
		s.otp("send", fmt.Sprintf(`{"to":"2237600001%d"}`, n))
	}
	a := s.otp("send", `{"to":"22376000009"}`)
	s.wants(a, 429, "quota_exceeded")
	if a.body["messagesUsed"] != 10.0 || a.body["limit"] != 10.0 || a.text("upgradeUrl") == "" {
		t.Errorf("got %s", a.raw)
	}
	if a := s.otp("send", `{"to":"22376000009","sandbox":true}`); a.status != 200 || !strings.HasPrefix(a.text("messageId"), "sb_") || a.body["messagesUsed"] != 10.0 {
		t.Errorf("the sandbox, past the quota: %s", a.raw)
	}
}

// Rules: M89, M90, M91, M92, M93, M94, M95, M105.
func TestOTP_BadInput(t *testing.T) {
	const badCode = `{"to":"22376000001",`
	sends := map[string]struct{ body, code, field string }{
		"empty":            {`{}`, "invalid_request", "to"},
		"to null":          {`{"to":null}`, "invalid_request", "to"},
		"to a number":      {`{"to":22376000001}`, "invalid_request", "to"},
		"to an address":    {`{"to":"a@example.com"}`, "invalid_phone", "to"},
		"channel":          {badCode + `"channel":"email"}`, "invalid_channel", "channel"},
		"channel empty":    {badCode + `"channel":""}`, "invalid_channel", "channel"},
		"app too long":     {badCode + `"app":"` + strings.Repeat("é", 101) + `"}`, "invalid_request", "app"},
		"app of two lines": {badCode + `"app":"a\n@evil.example #1"}`, "invalid_request", "app"},
		"app reversed":     {badCode + `"app":"a\u202eb"}`, "invalid_request", "app"},
		"locale":           {badCode + `"locale":"de"}`, "invalid_request", "locale"},
		"locale empty":     {badCode + `"locale":""}`, "invalid_request", "locale"},
		"length 3":         {badCode + `"length":3}`, "invalid_request", "length"},
		"length 9":         {badCode + `"length":9}`, "invalid_request", "length"},
		"length a text":    {badCode + `"length":"6"}`, "invalid_request", "length"},
		"length 6.5":       {badCode + `"length":6.5}`, "invalid_request", "length"},
		"ttl 59":           {badCode + `"ttlSeconds":59}`, "invalid_request", "ttlSeconds"},
		"ttl 901":          {badCode + `"ttlSeconds":901}`, "invalid_request", "ttlSeconds"},
		"ttl negative":     {badCode + `"ttlSeconds":-1}`, "invalid_request", "ttlSeconds"},
		"ttl huge":         {badCode + `"ttlSeconds":9223372036854775807}`, "invalid_request", "ttlSeconds"},
		"scheduled":        {badCode + `"scheduledAt":"2026-06-01T08:00:00Z"}`, "invalid_request", "scheduledAt"},
		"retry":            {badCode + `"retry":true}`, "invalid_request", "retry"},
		"message":          {badCode + `"message":"x"}`, "invalid_request", "message"},
		"metadata":         {badCode + `"metadata":{"order":"2041"}}`, "invalid_request", "metadata"},
		"fallback":         {badCode + `"fallbackAfter":60}`, "invalid_request", "fallbackAfter"},
		"email":            {badCode + `"email":"a@example.com"}`, "invalid_request", "email"},
		"template":         {badCode + `"whatsapp":{}}`, "invalid_request", "whatsapp"},
		"dry run":          {badCode + `"dryRun":true}`, "invalid_request", "dryRun"},
		"its own code":     {badCode + `"code":"123456"}`, "invalid_request", "code"},
		"anything":         {badCode + `"123456":1}`, "invalid_request", ""},
		"key":              {badCode + `"idempotencyKey":""}`, "invalid_idempotency_key", ""},
		"not JSON":         {`{"to":`, "invalid_json", ""},
		"an array":         {`[]`, "invalid_json", ""},
	}
	verifies := map[string]struct{ body, code, field string }{
		"neither":       {`{"code":"123456"}`, "invalid_request", "challengeId"},
		"both":          {`{"code":"123456","to":"22376000001","challengeId":"otp_00000000000000000000000000"}`, "invalid_request", "challengeId"},
		"no code":       {`{"to":"22376000001"}`, "invalid_request", "code"},
		"code empty":    {`{"to":"22376000001","code":""}`, "invalid_request", "code"},
		"code a number": {`{"to":"22376000001","code":123456}`, "invalid_request", "code"},
		"number":        {`{"to":"123","code":"123456"}`, "invalid_phone", "to"},
		"not JSON":      {`x`, "invalid_json", ""},
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		check := func(path string, rows map[string]struct{ body, code, field string }) {
			for name, tc := range rows {
				a := s.otp(path, tc.body)
				if s.wants(a, 400, tc.code); a.text("field") != tc.field || strings.Contains(a.raw, "123456") || a.body["valid"] != nil {
					t.Errorf("%s, %s: %s", path, name, a.raw)
				}
			}
		}
		check("send", sends)
		check("verify", verifies)
		if a := s.otp("send", badCode+`"idempotencyKey":"a"}`, "Idempotency-Key: b"); a.text("code") != "idempotency_mismatch" {
			t.Errorf("two keys: %s", a.raw)
		}
		if s.Int(t, `SELECT count(*) FROM otp_rates`) != 0 || s.countRows() != 0 {
			t.Error("something was stored, or counted")
		}
		for _, ok := range []string{
			`{"to":"12345678","channel":"auto","length":4,"ttlSeconds":60,"app":"` + strings.Repeat("é", 100) + `"}`,
			`{"to":"+123456789012345","channel":"whatsapp","length":8,"ttlSeconds":900,"app":""}`,
			`{"to":"12345679","channel":null,"app":null,"locale":null,"length":null,"ttlSeconds":null,"sandbox":null,"idempotencyKey":null}`,
		} {
			if a := s.otp("send", ok); a.status != 200 {
				t.Errorf("%s: %s", ok, a.raw)
			}
		}
	})
}

// Rules: M96.
func TestOTP_OnItsWay(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	release := w.Hold(t)
	w.ReplaceDelivery(func(o *delivery.Options) { o.QuickWait = time.Millisecond })
	s := serve(t, w)
	a := s.otp("send", `{"to":"22376000001"}`)
	if a.status != 202 || a.text("challengeId") == "" {
		t.Errorf("%d %s", a.status, a.raw)
	}
	s.WaitForCalls(t, 1)
	if v := s.otp("verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, a.text("challengeId"), s.code())); v.status != 200 {
		t.Errorf("a gateway that delivers before it answers: %s", v.raw)
	}
	release()
	s.Becomes(t, a.text("messageId"), "SENT")
}

// Rules: M6.
func TestOTP_LogsHoldNothing(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "free")
	a := s.otp("send", `{"to":"22376000001","app":"un nom secret","idempotencyKey":"ma-cle"}`)
	code := s.code()
	s.otp("verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, a.text("challengeId"), messagingtest.WrongCode(code)))
	s.otp("verify", fmt.Sprintf(`{"to":"22376000001","code":%q}`, code))
	logged := s.Log.String()
	if !strings.Contains(logged, "POST /api/otp/verify") {
		t.Fatalf("nothing was logged: %s", logged)
	}
	for _, secret := range []string{"un nom secret", "ma-cle", s.LiveKey, "22376000001", a.text("challengeId"), " " + code, "=" + code, `"` + code, messagingtest.WrongCode(code) + " "} {
		if strings.Contains(logged, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}
