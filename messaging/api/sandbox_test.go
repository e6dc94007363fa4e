package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
)

// Rules: M10.
func TestSandbox_TestKeysSeeNothingElse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		test := "X-API-Key: " + s.Key(t, s.Account.ID, "", account.Test)
		const body = `{"to":"22376000001","channel":"sms","message":"x"`
		live := s.send(body + `}`)
		later := s.send(body + `,"scheduledAt":"2026-03-05T12:00:00Z"}`)
		played := s.send(body + `,"sandbox":true}`)
		byKey := s.do("POST", "/api/send", body+`}`, test)

		for _, hidden := range []string{live.text("messageId"), live.text("notifMessageId"), later.text("messageId"), strings.Replace(live.text("messageId"), "msg_", "sb_", 1)} {
			s.wants(s.do("GET", "/api/status/"+hidden, "", test), 404, "message_not_found")
			s.wants(s.do("POST", "/api/messages/"+hidden+"/cancel", "", test), 404, "message_not_found")
		}
		for _, seen := range []string{played.text("messageId"), byKey.text("notifMessageId")} {
			if a := s.do("GET", "/api/status/"+seen, "", test); a.status != 200 || a.text("status") != "SANDBOX" {
				t.Errorf("%s: %d %s", seen, a.status, a.raw)
			}
		}
		if a := s.do("GET", "/api/status/"+later.text("messageId"), "", "X-API-Key: "+s.LiveKey); a.text("status") != "SCHEDULED" {
			t.Errorf("a test key has canceled a live message: %s", a.raw)
		}
		for query, want := range map[string]float64{"": 2, "?status=SANDBOX": 2, "?status=SENT": 0, "?status=SCHEDULED": 0, "?to=22376000001": 2, "?limit=1": 1, "?channel=email": 0} {
			a := s.do("GET", "/api/svc-logs"+query, "", test)
			if a.status != 200 || a.body["count"] != want || strings.Contains(a.raw, "msg_") {
				t.Errorf("logs%s: %d, want %v of %s", query, a.status, want, a.raw)
			}
		}
		sums := map[string]float64{test: 2, "X-API-Key: " + s.LiveKey: 4}
		for key, want := range sums {
			a := s.do("GET", "/api/svc-analytics", "", key)
			if object(a.body, "sampleSize") != want || object(a.body, "byStatus", "SANDBOX") != 2.0 || object(a.body, "byStatus", "SENT") != want/2-1 {
				t.Errorf("analytics of %v: %s", want, a.raw)
			}
		}
		if a := s.do("GET", "/api/svc-logs", "", "X-API-Key: "+s.LiveKey); a.body["count"] != 4.0 {
			t.Errorf("a live key sees %s", a.raw)
		}
	})
}

// Real and simulated challenges are separate, regardless of how a challenge is identified.
// Rules: M101.
func TestOTP_TwoWorlds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		test := s.Key(t, s.Account.ID, "", account.Test)
		type simulation struct{ key, member, header string }
		simulations := map[string]simulation{
			"test key": {key: test}, "body": {s.LiveKey, `,"sandbox":true`, ""}, "header": {key: s.LiveKey, header: "1"},
		}
		ask := func(path, members string, h simulation) *answer {
			t.Helper()
			headers := []string{"X-API-Key: " + h.key}
			if h.header != "" {
				headers = append(headers, "X-Svc-Sandbox: "+h.header)
			}
			return s.do("POST", "/api/otp/"+path, "{"+members+h.member+"}", headers...)
		}
		n := 0
		for name, h := range simulations {
			n++
			number := fmt.Sprintf(`"to":"2237600%04d"`, n)
			length := 4 + n
			zeros := fmt.Sprintf(`,"code":"%0*d"`, length, 0)
			live := ask("send", number, simulation{key: s.LiveKey})
			code := `,"code":"` + s.code() + `"`
			played := ask("send", fmt.Sprintf(`%s,"length":%d`, number, length), h)
			if played.status != 200 || !strings.HasPrefix(played.text("messageId"), "sb_") {
				t.Fatalf("%s: %d %s", name, played.status, played.raw)
			}
			id := func(a *answer) string { return fmt.Sprintf(`"challengeId":%q`, a.text("challengeId")) }
			real := simulation{key: s.LiveKey}
			s.wants(ask("verify", id(played)+zeros, real), 400, "not_found")
			s.wants(ask("verify", id(live)+code, h), 400, "not_found")
			s.wants(ask("verify", number+zeros, real), 400, "invalid_code") // compared with the code that was sent
			s.wants(ask("verify", number+`,"code":"0000"`, h), 400, "invalid_code")
			s.wants(ask("verify", number+code, h), 400, "invalid_code")
			if a := ask("verify", number+code, real); a.status != 200 {
				t.Errorf("%s hides the code that was sent: %s", name, a.raw)
			}
			named := id(played)
			if n%2 == 0 {
				named = number
			}
			if a := ask("verify", named+zeros, h); a.status != 200 || a.body["valid"] != true {
				t.Errorf("%s: all zeros: %d %s", name, a.status, a.raw)
			}
			s.wants(ask("verify", named+zeros, h), 400, "not_found") // once
		}
		if a := s.otp("verify", `{"to":"22376000001","code":"000000","sandbox":"yes"}`); a.status != 400 || a.text("field") != "sandbox" {
			t.Errorf("got %s", a.raw)
		}
	})
}

// A service that was left in the global sandbox does not accept a documented code.
// Rules: M101.
func TestOTP_TheGlobalSandboxHasNoCode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.ReplaceDelivery(func(o *delivery.Options) { o.Sandbox = true })
		w.OTP = w.NewOTP(func(o *otp.Options) { o.Sandbox = true })
		s := serve(t, w)
		test := "X-API-Key: " + s.Key(t, s.Account.ID, "", account.Test)
		a := s.otp("send", `{"to":"22376000001"}`)
		if a.status != 200 || !strings.HasPrefix(a.text("messageId"), "sb_") {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		for _, named := range []string{fmt.Sprintf(`{"challengeId":%q,`, a.text("challengeId")), `{"to":"22376000001",`} {
			s.wants(s.otp("verify", named+`"code":"000000"}`), 400, "not_found")
			s.wants(s.otp("verify", named+`"code":"000000","sandbox":true}`), 400, "invalid_code")
			s.wants(s.do("POST", "/api/otp/verify", named+`"code":"000000"}`, test), 400, "invalid_code")
		}
		asked := s.otp("send", `{"to":"22376000002"}`, "X-Svc-Sandbox: 1")
		if v := s.otp("verify", fmt.Sprintf(`{"challengeId":%q,"code":"000000","sandbox":true}`, asked.text("challengeId"))); v.status != 200 {
			t.Errorf("a challenge that asked for the sandbox by itself: %s", v.raw)
		}
	})
}

// Keys belong to the account, but a real request reveals nothing about simulated challenges, or the reverse.
// Rules: M73.
func TestOTP_KeysOfTheOtherWorld(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		live := s.otp("send", `{"to":"22376000001"}`, "Idempotency-Key: a")
		played := s.otp("send", `{"to":"22376000001","sandbox":true}`, "Idempotency-Key: b")
		for key, body := range map[string]string{"a": `{"to":"22376000001","sandbox":true}`, "b": `{"to":"22376000001"}`} {
			got := s.otp("send", body, "Idempotency-Key: "+key)
			s.wants(got, 409, "idempotency_key_used")
			for _, a := range []*answer{live, played} {
				if strings.Contains(got.raw, a.text("challengeId")) || strings.Contains(got.raw, a.text("messageId")) {
					t.Errorf("it tells of the other: %s", got.raw)
				}
			}
		}
		if again := s.otp("send", `{"to":"22376000001","sandbox":true}`, "Idempotency-Key: b"); again.text("challengeId") != played.text("challengeId") {
			t.Errorf("a replay: %s", again.raw)
		}
	})
}
