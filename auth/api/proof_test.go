package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func twoReceivers(o *auth.Options) {
	o.Receivers = append(o.Receivers, login.Receiver{PhoneID: otherID, Number: "22370000002", Secret: otherSecret})
}

// Rules: L2, L112, L113, L114, L115, L116, L117, L118, L119, L120, L121, L122.
func TestVerify_Refuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, twoReceivers)
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		loginID, otherLogin := b.start(a), b.start(a) // receivers are used in turn
		fits := s.proof(loginID, "m1", alice, b.words(loginID))
		now := s.Clock.Now().UnixMilli()
		before := s.rows()
		for _, tt := range []struct {
			member string
			value  any
			code   string
		}{
			{"loginKeyId", nil, "missing_parameter"},
			{"loginKeyId", "", "missing_parameter"},
			{"loginKeyId", "x", "malformed_parameter"},
			{"loginKeyId", unknownID, "login_unknown"},
			{"loginKeyId", 7, "malformed_parameter"},
			{"phoneE164", nil, "missing_parameter"},
			{"phoneE164", "1234567", "malformed_parameter"},
			{"phoneE164", "1234567890123456", "malformed_parameter"},
			{"phoneE164", "02237654321", "malformed_parameter"},
			{"phoneE164", "++22376543210", "malformed_parameter"},
			{"phoneE164", "2237654321a", "malformed_parameter"},
			{"displayName", strings.Repeat("é", 101), "malformed_parameter"},
			{"messageId", nil, "missing_parameter"},
			{"messageId", strings.Repeat("é", 257), "malformed_parameter"},
			{"timestamp", nil, "missing_parameter"},
			{"timestamp", "now", "malformed_parameter"},
			{"timestamp", 1.5, "malformed_parameter"},
			{"timestamp", now - 60_001, "timestamp_skew"},
			{"timestamp", now + 60_001, "timestamp_skew"},
			{"timestamp", now / 1000, "timestamp_skew"},
			{"timestamp", -1 << 63, "timestamp_skew"},
			{"timestamp", uint64(1<<63 - 1), "timestamp_skew"},
			{"receiverPhoneId", nil, "missing_parameter"},
			{"receiverPhoneId", "unheard of", "receiver_mismatch"},
			{"receiverPhoneId", otherID, "receiver_mismatch"}, // another gateway's number
			{"matchingWords", nil, "missing_parameter"},
			{"matchingWords", "amber river seven", "words_mismatch"},
			{"matchingWords", "!", "words_mismatch"},
		} {
			proof := maps.Clone(fits)
			if proof[tt.member] = tt.value; tt.value == nil {
				delete(proof, tt.member)
			}
			s.verify(proof).refused(t, 400, "invalid_request", tt.code)
		}
		s.verifySyntax(fits)
		// A login of the other gateway's number, signed by this one.
		foreign := s.proof(otherLogin, "m1", alice, b.words(otherLogin))
		foreign["receiverPhoneId"] = otherID
		s.verify(foreign).refused(t, 400, "invalid_request", "receiver_mismatch")
		// The number of the other gateway, signed by it, for a session of the first number.
		fits["receiverPhoneId"] = otherID
		body, err := json.Marshal(fits)
		if err != nil {
			t.Fatal(err)
		}
		s.do(s.request("POST", s.internalURL+"/internal/verify", string(body), "X-Gateway-Signature", sign(otherSecret, body))).
			refused(t, 400, "invalid_request", "receiver_mismatch")
		if after := s.rows(); after != before {
			t.Errorf("refused requests stored something: %s, before: %s", after, before)
		}
	})
}

func (s *service) verifySyntax(fits map[string]any) {
	t := s.t
	raw, err := json.Marshal(fits)
	if err != nil {
		t.Fatal(err)
	}
	body := string(raw)
	good := sign(receiverSecret, raw)
	post := func(body string, header ...string) answer {
		return s.do(s.request("POST", s.internalURL+"/internal/verify", body, header...))
	}
	const header = "X-Gateway-Signature"
	post(body).refused(t, 401, "access_denied", "signature_missing")
	post(body, header, "").refused(t, 401, "access_denied", "signature_missing")
	for _, bad := range []string{"sha256=" + good, good[2:], good + "00", strings.Repeat("0", 64), "zz" + good[2:], sign("", raw), sign("wrong", raw)} {
		post(body, header, bad).refused(t, 401, "access_denied", "signature_invalid")
	}
	post(body+" ", header, good).refused(t, 401, "access_denied", "signature_invalid")
	twice := s.request("POST", s.internalURL+"/internal/verify", body, header, good)
	twice.Header.Add(header, good)
	s.do(twice).refused(t, 401, "access_denied", "signature_invalid")
	for _, proxy := range []string{"X-Forwarded-For", "Forwarded", "X-Forwarded-Host", "Via", "X-Real-Ip"} {
		post(body, header, good, proxy, "127.0.0.1").refused(t, 403, "access_denied", "not_loopback")
	}
	post(body, header, good, "Origin", "https://evil.example").refused(t, 403, "access_denied", "origin_mismatch")
	post(body, header, good, "Content-Type", "text/plain").refused(t, 400, "invalid_request", "unsupported_media_type")
	for _, bad := range []string{"", "{", `{"a":"\u0000"}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, strings.Replace(body, "{", `{"messageId":"m0",`, 1)} {
		post(bad, header, sign(receiverSecret, []byte(bad))).refused(t, 400, "invalid_request", "invalid_json")
	}
	cased := strings.Replace(body, `"messageId"`, `"messageID"`, 1)
	post(cased, header, sign(receiverSecret, []byte(cased))).refused(t, 400, "invalid_request", "missing_parameter")
	post(strings.Repeat(" ", 1<<20)+body, header, good).refused(t, 400, "invalid_request", "body_too_large")
	s.do(s.request("POST", "/internal/verify", body, header, good)).refused(t, 404, "invalid_request", "not_found")
}

// Rules: L105, L113, L114, L115, L116.
func TestVerify_Bounds(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Confidential, tenant.Live)
	for i, change := range []map[string]any{
		{"timestamp": s.Clock.Now().UnixMilli() - 60_000},
		{"timestamp": s.Clock.Now().UnixMilli() + 60_000},
		{"displayName": strings.Repeat("é", 100)},
		{"displayName": nil},
		{"messageId": strings.Repeat("é", 256)},
		{"phoneE164": "12345678"},
		{"phoneE164": "+123456789012345"},
	} {
		b := s.browser()
		loginID := b.start(a)
		proof := s.proof(loginID, fmt.Sprint("m", i), alice, b.words(loginID))
		maps.Copy(proof, change)
		checkProved(t, s.verify(proof), false)
	}
}

// Rules: L119, L121.
func TestVerify_OnPublic(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.VerifyOnPublic = true })
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Live))
	body, err := json.Marshal(s.proof(loginID, "m1", alice, b.words(loginID)))
	if err != nil {
		t.Fatal(err)
	}
	signature := strings.ToUpper(sign(receiverSecret, body))
	s.do(s.request("POST", "/internal/verify", string(body), "X-Gateway-Signature", signature, "X-Forwarded-For", "10.0.0.1")).
		refused(t, 403, "access_denied", "not_loopback")
	checkProved(t, s.do(s.request("POST", "/internal/verify", string(body), "X-Gateway-Signature", signature)), false)
}

// Rules: L68, L73, L74, L111.
func TestProof_Duplicates(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		loginID := b.start(a)
		words := b.words(loginID)
		checkProved(t, s.verify(s.proof(loginID, "m1", alice, words)), false)
		code := b.code(loginID)
		checkProved(t, s.verify(s.proof(loginID, "m1", alice, words)), true)
		checkProved(t, s.verify(s.proof(loginID, "m2", "+"+alice, words)), true)
		if !s.message("m3", alice, words) {
			t.Error("the same person's repeated words were not accepted")
		}
		if got := b.code(loginID); got != code {
			t.Errorf("after duplicates the code is %s, want %s", got, code)
		}
		// The message that proved one login proves no other.
		second := b.start(a)
		s.verify(s.proof(second, "m1", alice, b.words(second))).refused(t, 400, "invalid_request", "message_replayed")
		if b.poll(second)["status"] != "PENDING" {
			t.Error("a replayed message verified a login")
		}
		s.redeemed(a, b.code(loginID))
		checkProved(t, s.verify(s.proof(loginID, "m1", alice, words)), true)
		s.verify(s.proof(loginID, "m4", bob, words)).refused(t, 403, "access_denied", "phone_conflict")
		if b.poll(loginID)["status"] != "CONSUMED" {
			t.Error("a second phone changed a consumed login")
		}
	})
}

// Rules: L58, L68.
func TestProof_TwoPhones(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		loginID := b.start(a)
		words := b.words(loginID)
		checkProved(t, s.verify(s.proof(loginID, "m1", alice, words)), false)
		code := b.code(loginID)
		s.verify(s.proof(loginID, "m2", bob, words)).refused(t, 403, "access_denied", "phone_conflict")
		after := b.poll(loginID)
		if back, err := url.Parse(text(t, after, "redirectUrl")); err != nil || after["status"] != "EXPIRED" || back.Query().Get("error") != "access_denied" ||
			back.Query().Get("state") != state || back.Query().Get("iss") != s.URL || back.Query().Has("code") {
			t.Errorf("after a second phone: %v, %v; want EXPIRED and a redirect with access_denied, the state, and the issuer", after, err)
		}
		s.exchange("/token", exchange(a, code)).refused(t, 400, "invalid_grant", "code_expired")
		if s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.conflict' AND phone = '+223*****109'`) != 1 {
			t.Error("no event of the conflict")
		}
	})
}

// Rules: L68, L75.
func TestProof_Concurrent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		loginID := b.start(a)
		words := b.words(loginID)
		var mu sync.Mutex
		seen := map[string]int{}
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				phone := []string{alice, bob}[i%2]
				got := s.verify(s.proof(loginID, fmt.Sprint("m", i), phone, words))
				m := got.json(t)
				mu.Lock()
				defer mu.Unlock()
				seen[fmt.Sprintf("%d %v %v", got.status, m["duplicate"], m["error_code"])]++
			})
		}
		wg.Wait()
		first, again, conflict, late := seen["201 false <nil>"], seen["201 true <nil>"], seen["403 <nil> phone_conflict"], seen["400 <nil> login_expired"]
		if first != 1 || conflict < 1 || first+again+conflict+late != 50 {
			t.Errorf("answers: %v; want one proof, a conflict, and duplicates or refusals for all others of 50", seen)
		}
		if b.poll(loginID)["status"] != "EXPIRED" {
			t.Error("two phones sent the words, and the login has not expired")
		}
		if s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.conflict'`) != 1 || s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.verified'`) != 1 {
			t.Error("the proof and the conflict happened other than once")
		}
	})
}

// Rules: L28, L44, L57, L61, L66, L67, L70.
func TestTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Test)
		status := func(b *browser, loginID, want string) {
			t.Helper()
			if got := b.poll(loginID)["status"]; got != want {
				t.Errorf("%v, want %s", got, want)
			}
		}
		// 90 seconds to prove.
		b := s.browser()
		late, last := b.start(a), b.start(a)
		words := b.words(late)
		s.Clock.Advance(90*time.Second - time.Millisecond)
		checkProved(t, b.sandbox(last, "22300000001"), false)
		s.Clock.Advance(time.Millisecond)
		status(b, late, "EXPIRED")
		b.sandbox(late, "22300000001").refused(t, 400, "invalid_request", "login_expired")
		b.post("/authorize/activate", map[string]any{"loginKeyId": late}).refused(t, 400, "invalid_request", "login_expired")
		s.verify(s.proof(late, "m1", alice, words)).refused(t, 400, "invalid_request", "login_expired")
		if s.message("m2", alice, words) {
			t.Error("the words of an expired login were accepted")
		}
		// 120 seconds after the proof to hand back, which starts 60 seconds to redeem.
		s.Clock.Advance(120*time.Second - 2*time.Millisecond)
		code := b.code(last)
		s.Clock.Advance(60*time.Second - time.Millisecond)
		status(b, last, "VERIFIED")
		s.exchange("/token", exchange(a, code)).want(t, http.StatusCreated)
		// A proof early on can be handed back until the 90 seconds are over, or 120 after the proof.
		b, loginID := s.provedLogin(a, "22300000001")
		s.Clock.Advance(119 * time.Second)
		status(b, loginID, "VERIFIED")
		// The code expires 60 seconds after its first hand-back, even if it was handed back again.
		b, loginID = s.provedLogin(a, "22300000001")
		code = b.code(loginID)
		s.Clock.Advance(30 * time.Second)
		if got := b.code(loginID); got != code {
			t.Errorf("the second hand-back has the code %s, want %s", got, code)
		}
		s.Clock.Advance(30 * time.Second)
		status(b, loginID, "EXPIRED")
		s.exchange("/token", exchange(a, code)).refused(t, 400, "invalid_grant", "code_expired")
		// Never handed back: there is no code to redeem, and after 120 seconds nothing to hand back.
		b, loginID = s.provedLogin(a, "22300000001")
		s.Clock.Advance(120 * time.Second)
		status(b, loginID, "EXPIRED")
	})
}

// Rules: L103, L106, L109.
func TestProfile_KeepsWhoAPersonIs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a, live := s.app(tenant.Public, tenant.Test), s.app(tenant.Public, tenant.Live)
		profile := func(a app, messageID, name string) map[string]any {
			b := s.browser()
			loginID := b.start(a)
			proof := s.proof(loginID, messageID, alice, b.words(loginID))
			proof["displayName"] = name
			checkProved(t, s.verify(proof), false)
			p, ok := s.exchange("/token", exchange(a, b.code(loginID))).json(t)["profile"].(map[string]any)
			if !ok {
				t.Fatal("no profile")
			}
			return p
		}
		first := profile(a, "m1", "Awa")
		s.Clock.Advance(time.Hour)
		nameless, renamed, other := profile(a, "m2", "  "), profile(a, "m3", "Awa K."), profile(live, "m4", "Awa")
		if nameless["id"] != first["id"] || nameless["display_name"] != "Awa" || nameless["first_seen_at"] != first["first_seen_at"] {
			t.Errorf("%v became %v", first, nameless)
		}
		if renamed["id"] != first["id"] || renamed["display_name"] != "Awa K." || renamed["first_seen_at"] != first["first_seen_at"] {
			t.Errorf("%v became %v", first, renamed)
		}
		if other["id"] == first["id"] {
			t.Error("TEST and LIVE share a profile")
		}
	})
}
